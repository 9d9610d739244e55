import type { Row, Setting } from './row.js';

/** The store of handled events in memory, at a million of them and beyond. */
export function dedupe({ smoke }: Setting): Row {
  const maxKeys = smoke ? 10_000 : 1_000_000;
  const totals = [0.1, 1, 1.5, 2.5].map((share) => maxKeys * share);
  const [few = '', full = '', , beyond = ''] = totals.map((total) => `${total.toLocaleString('en')} seen`);
  const remembered = maxKeys.toLocaleString('en');
  return {
    id: 'dedupe',
    rounds: 3,
    metrics: [
      {
        id: 'dedupe',
        title: `dedupe: one claim and completion, up to ${remembered} remembered`,
        unit: 'µs',
        baseline: few,
        // The steps are the same; a map that does not fit into the processor's cache takes longer for each.
        goals: [{ subject: beyond, against: few, atMost: 2 }],
      },
      {
        id: 'dedupe-memory',
        title: 'dedupe: heap per remembered event',
        unit: 'bytes',
        baseline: full,
        goals: [{ subject: beyond, against: full, atMost: 1.1 }],
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
