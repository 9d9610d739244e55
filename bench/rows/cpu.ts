import { BARE_FETCH, clients, KY_SET_UP, sdkUnvalidated } from './clients.js';
import { atMostEach, type Metric, type Row, type Setting } from './row.js';

/** CPU of a call over loopback. */
export function cpu({ smoke, baseUrl }: Setting): Row {
  const calls = smoke ? 20 : 4_000;
  return {
    id: 'cpu',
    rounds: 5,
    metrics: [metric('cpu-1', '1 in flight'), metric('cpu-32', '32 in flight')],
    measurements: [...clients, sdkUnvalidated].map(({ needs, ...client }) => ({
      program: 'cpu.mjs',
      task: { ...client, baseUrl, calls },
      needs,
    })),
  };
}

function metric(id: string, title: string): Metric {
  return {
    id,
    title: `CPU per call, ${title}`,
    unit: 'µs',
    baseline: BARE_FETCH,
    goals: [...atMostEach(1.1, KY_SET_UP, 'openai'), ...atMostEach(1, 'retell-sdk', '@vapi-ai/server-sdk')],
  };
}
