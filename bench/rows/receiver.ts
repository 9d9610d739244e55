import { type Metric, type Row, SDK, type Setting } from './row.js';
import { delivery } from './texts.js';

const BARE = 'bare node:http';
const subjects = [
  { subject: BARE, server: 'bare' },
  { subject: SDK, server: 'sdk', dedupe: false },
  { subject: `${SDK}, with dedupe`, server: 'sdk', dedupe: true },
];

/** A server of webhooks, under load. */
export function receiver({ file }: Setting): Row {
  const body = file('message.json', () => delivery('message_received'));
  return {
    id: 'receiver',
    rounds: 7,
    metrics: [
      metric('receiver', 'receiver over HTTP, per second'),
      metric('receiver-cpu', 'receiver over HTTP, per second of its CPU'),
    ],
    measurements: subjects.map((subject) => ({ program: 'receiver.mjs', task: { ...subject, body } })),
  };
}

function metric(id: string, title: string): Metric {
  const goals = [{ subject: SDK, against: BARE, atLeast: 0.85 }];
  return { id, title, unit: 'requests', baseline: BARE, goals };
}
