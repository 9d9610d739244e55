import { type Row, SDK, type Setting } from './row.js';
import { conversationOf, delivery } from './texts.js';

const BARE = 'bare node:http';
const subjects = [
  { subject: BARE, server: 'bare' },
  { subject: SDK, server: 'sdk', dedupe: false },
  { subject: `${SDK}, with dedupe`, server: 'sdk', dedupe: true },
];

/** A server of webhooks, under load. */
export function receiver({ smoke, file }: Setting): Row {
  const requests = smoke ? 100 : 20_000;
  const bodies = [
    { size: '0.3 kB', body: file('message.json', () => delivery('message_received')) },
    { size: '8 kB', body: file('webhook-8kB.json', () => conversationOf(8_000)) },
  ];
  return {
    id: 'receiver',
    rounds: 5,
    metrics: bodies.flatMap(({ size }) => [
      {
        id: `receiver ${size}`,
        title: `receiver over HTTP, webhooks of ${size} per second`,
        unit: '',
        baseline: BARE,
        goals: [{ subject: SDK, against: BARE, atLeast: 0.85 }],
      },
      {
        id: `receiver-cpu ${size}`,
        title: `the same, per second of the server's CPU`,
        unit: '',
        baseline: BARE,
        goals: [],
      },
    ]),
    measurements: bodies.flatMap(({ size, body }) =>
      subjects.map((subject) => ({ program: 'receiver.mjs', task: { ...subject, size, body, requests } })),
    ),
  };
}
