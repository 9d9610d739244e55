import { type Row, SDK, type Setting } from './row.js';
import { conversationOf, delivery } from './texts.js';

const BARE = 'bare node:http';
const DEDUPE_OFF = `${SDK}, dedupe off`;
const subjects = [
  { subject: BARE, server: 'bare' },
  { subject: SDK, server: 'sdk', dedupe: true },
  { subject: DEDUPE_OFF, server: 'sdk', dedupe: false },
  // The layer between `node:http` and `Request` alone: it parses the same JSON, and verifies nothing.
  { subject: 'srvx', server: 'srvx', needs: 'srvx' },
];

/** A server of webhooks, under load. */
export function receiver({ smoke, file }: Setting): Row {
  const requests = smoke ? 100 : 20_000;
  const bodies = [
    { size: '0.3 kB', atLeast: [0.75, 0.85], body: file('message.json', () => delivery('message_received')) },
    { size: '8 kB', atLeast: [0.8, 0.9], body: file('webhook-8kB.json', () => conversationOf(8_000)) },
  ];
  return {
    id: 'receiver',
    rounds: 5,
    metrics: bodies.flatMap(({ size, atLeast: [withDefaults, dedupeOff] }) => [
      {
        id: `receiver ${size}`,
        title: `receiver over HTTP, webhooks of ${size} per second`,
        unit: '',
        baseline: BARE,
        goals: [],
      },
      {
        id: `receiver-cpu ${size}`,
        title: `the same, per second of the server's CPU`,
        unit: '',
        baseline: BARE,
        goals: [
          { subject: SDK, against: BARE, atLeast: withDefaults },
          { subject: DEDUPE_OFF, against: BARE, atLeast: dedupeOff },
        ],
      },
    ]),
    measurements: bodies.flatMap(({ size, body }) =>
      subjects.map(({ needs, ...subject }) => ({
        program: 'receiver.mjs',
        task: { ...subject, size, body, requests },
        needs,
      })),
    ),
  };
}
