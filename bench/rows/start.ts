import { BARE_FETCH, clients } from './clients.js';
import { atMostEach, type Row, type Setting } from './row.js';

const SDKS = ['openai', 'stripe', 'retell-sdk', '@vapi-ai/server-sdk'];

/** From the start of a process to its first parsed answer. */
export function start({ baseUrl }: Setting): Row {
  return {
    id: 'start',
    rounds: 15,
    metrics: [
      {
        id: 'start',
        title: 'process start to first parsed response',
        unit: 'ms',
        baseline: BARE_FETCH,
        goals: [...atMostEach(1.35, BARE_FETCH), ...atMostEach(1, ...SDKS)],
      },
      { id: 'start-cpu', title: 'the same, CPU', unit: 'ms', baseline: BARE_FETCH, goals: [] },
    ],
    measurements: clients.map(({ needs, ...client }) => ({
      program: 'start.mjs',
      task: { ...client, baseUrl },
      needs,
    })),
  };
}
