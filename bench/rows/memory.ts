import { BARE_FETCH, bareFetch, openai, sdk } from './clients.js';
import { atMostEach, type Row, SDK, type Setting } from './row.js';
import { delivery, toolAnswer } from './texts.js';

/** A leak of one object for each call would be a hundred bytes and more: so many bytes a call are noise. */
const NO_GROWTH_KB = 1_000;

/** Allocation of a call and of a delivery, and the heap after 200,000 calls. */
export function memory({ smoke, file }: Setting): Row {
  const calls = smoke ? 100 : 200_000;
  const body = file('tool-answer.json', toolAnswer);
  const event = file('memory-event.json', () => delivery('lead_captured'));
  const flags = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];
  const counts = { calls, warmUp: smoke ? 100 : 5_000 };
  return {
    id: 'memory',
    rounds: 3,
    metrics: [
      {
        id: 'allocation',
        title: 'allocation per call',
        unit: 'kB',
        baseline: BARE_FETCH,
        goals: atMostEach(1, 'openai'),
      },
      {
        id: 'retained',
        title: `heap retained after ${calls.toLocaleString('en')} calls`,
        unit: 'kB',
        goals: [{ subject: SDK, atMost: NO_GROWTH_KB }],
      },
      {
        id: 'delivery-allocation',
        title: 'allocation per delivery of 0.2 kB, its parsed JSON included',
        unit: 'kB',
        goals: [{ subject: SDK, atMost: 3 }],
      },
    ],
    measurements: [
      ...[bareFetch, sdk, openai].map(({ needs, ...client }) => ({
        program: 'memory.mjs',
        task: { ...client, ...counts, body },
        needs,
        flags,
      })),
      { program: 'delivery-memory.mjs', task: { subject: SDK, ...counts, body: event }, flags },
    ],
  };
}
