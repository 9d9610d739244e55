import { type Row, SDK, type Setting } from './row.js';
import { delivery } from './texts.js';

const OFF = `${SDK}, nothing watches`;
const ON = `${SDK}, hooks, tracing and logs`;
const subjects = [
  { subject: OFF, client: 'sdk', library: 'sdk-unobserved' },
  { subject: ON, client: 'sdk-observed', library: 'sdk-observed' },
];

/** The cost of hooks, tracing channels and structured logs for each call and each delivery. */
export function observed({ smoke, baseUrl, file }: Setting): Row {
  const calls = smoke ? 20 : 4_000;
  const metric = 'observed-delivery';
  const events = [{ metric, file: file('observed.json', () => delivery('lead_captured')) }];
  const metrics = [
    { id: 'cpu-1', title: 'CPU per call, watched or not' },
    { id: metric, title: 'taking a webhook of 0.2 kB, watched or not' },
  ];
  return {
    id: 'observed',
    rounds: 5,
    metrics: metrics.map((each) => ({ ...each, unit: 'µs', baseline: OFF, goals: [] })),
    measurements: subjects.flatMap(({ subject, client, library }) => [
      { program: 'cpu.mjs', task: { subject, client, baseUrl, calls } },
      { program: 'webhook.mjs', task: { subject, library, events } },
    ]),
  };
}
