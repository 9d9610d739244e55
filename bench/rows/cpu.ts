import { BARE_FETCH, clients, sdkUnvalidated } from './clients.js';
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
    goals: [
      ...atMostEach(1, 'openai'),
      ...atMostEach(1.45, BARE_FETCH),
      ...atMostEach(1, 'retell-sdk', '@vapi-ai/server-sdk'),
      { subject: sdkUnvalidated.subject, against: BARE_FETCH, atMost: 1.4 },
    ],
  };
}
