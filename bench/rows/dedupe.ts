import type { Row, Setting } from './row.js';

/** The store of handled events in memory, at a million of them and beyond. */
export function dedupe({ smoke }: Setting): Row {
  const maxKeys = smoke ? 2_000 : 1_000_000;
  const totals = [maxKeys / 100, maxKeys / 10, maxKeys, maxKeys * 1.5, maxKeys * 2.5].map((total) =>
    Math.max(total, 1_000),
  );
  const [small = 0, , full = 0, , beyond = 0] = totals.map(seen);
  return {
    id: 'dedupe',
    rounds: 3,
    metrics: [
      {
        id: 'dedupe',
        title: 'dedupe: one claim and completion, a million remembered',
        unit: 'µs',
        baseline: String(small),
        goals: [{ subject: String(beyond), against: String(full), atMost: 1.5 }],
      },
      {
        id: 'dedupe-memory',
        title: 'dedupe: heap per remembered event',
        unit: 'bytes',
        baseline: String(full),
        goals: [{ subject: String(beyond), against: String(full), atMost: 1.1 }],
      },
    ],
    measurements: [
      {
        program: 'dedupe.mjs',
        task: { maxKeys, totals, batches: smoke ? 1 : 50 },
        flags: ['--expose-gc'],
      },
    ],
  };
}

const seen = (total: number): string => `${total.toLocaleString('en')} seen`;
