import { inspect } from 'node:util';
import {
  createWebhookReceiver,
  type Drift,
  parseWebhook,
  type StoredWebhook,
  UnknownEventError,
  type WebhookSecretOptions,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { envelope, secret } from './deliveries.js';

const slashed = 'a/secret"with\\signs-é';
const nested = (levels: number, inner: unknown): unknown =>
  Array.from({ length: levels }).reduce((held) => [{ held }], inner);

/** Places in which a sender may repeat its secret, beside the one where it belongs. */
const repeats: readonly [string, (secret: string) => object][] = [
  ['the type', (its) => ({ ...envelope('webhook_test'), type: `of ${its}` })],
  ['a field', (its) => envelope('webhook_test', { message: `token ${its}, twice ${its}` })],
  ['a field of its own name', (its) => envelope('webhook_test', { inner: { workspaceSecret: its } })],
  ['one element of a list', (its) => envelope('webhook_test', { list: [1, `x ${its}`, 'another'] })],
  ['the name of a field', (its) => envelope('webhook_test', { [`x ${its}`]: 1 })],
  ['a list, deep inside', (its) => envelope('webhook_test', { deep: nested(200, [its]) })],
  ['the envelope', (its) => ({ ...envelope('webhook_test'), [its]: [its] })],
  ['a payload that does not fit', (its) => envelope('lead_captured', { agentId: { [its]: its } })],
];

const escaped = (text: string, its: string) =>
  text.replaceAll(its, Array.from(its, (unit) => `\\u00${unit.charCodeAt(0).toString(16)}`).join(''));

test.each(repeats)(
  'a secret that is repeated in %s is nowhere: not in event, inbox, log or error',
  async (_, repeat) => {
    for (const its of [secret, slashed]) {
      const body = repeat(its) as { payload: Record<string, unknown> };
      body.payload.workspaceSecret = its;
      const text = JSON.stringify(body);
      const phpText = text.replaceAll('/', '\\/');
      for (const sent of [body, text, phpText, its === secret ? escaped(text, its) : text]) {
        const seen: unknown[] = [];
        const logger = new RecordingLogger();
        const options = { logger, logLevel: 'debug', onDrift: (drift: Drift) => seen.push(drift) } as const;
        const secrets: WebhookSecretOptions = { secret: its };
        const see = (event: unknown) => void seen.push(event);
        const direct = createWebhookReceiver({ ...secrets, ...options });
        const inbox = { store: (stored: StoredWebhook) => void seen.push(stored) };
        for (const receiver of [direct, createWebhookReceiver({ ...secrets, ...options, inbox })]) {
          receiver.onAny(see).onInvalid(see).onUnknown(see);
          expect((await receiver.handle({ method: 'POST', body: sent })).status).toBe(200);
        }
        try {
          seen.push(parseWebhook(sent, { secret: its }));
        } catch (error) {
          seen.push(error, error instanceof UnknownEventError && error.event);
        }
        expect(seen.length).toBeGreaterThanOrEqual(3);
        const told = inspect([seen, logger.lines], { depth: 1_000, showHidden: true });
        expect(told).toContain('[redacted]');
        expect(told).not.toContain(its);
        expect(JSON.stringify(seen)).not.toContain(JSON.stringify(its).slice(1, -1));
      }
      expect(JSON.stringify(body)).toBe(text);
    }
  },
);

test.each([
  ['by numbers where it is repeated', secret, escaped(secret, secret)],
  ['as PHP writes it where it is repeated', 'secret/with/slashes', 'secret\\/with\\/slashes'],
  ['with a letter by a number beyond Latin-1', 'secret-worth-5-€', 'secret-worth-5-\\u20ac'],
])('a secret that is written %s is masked there', (_, its, written) => {
  // Before the secret itself, and behind it.
  for (const field of ['message', 'note']) {
    const body = JSON.stringify(envelope('webhook_test', { workspaceSecret: its, [field]: 'HERE' }));
    const { payload } = parseWebhook(body.replace('HERE', `is ${written}`), { secret: its });
    expect(payload).toMatchObject({ [field]: 'is [redacted]' });
  }
});

test.each([
  ['lists', '[', ']'],
  ['records', '{"a":', '}'],
])('what a body parser has made may be nested as deep as it likes, in %s alone', (_, open, close) => {
  const levels = 50_000;
  const deep: unknown = JSON.parse(`${open.repeat(levels)}1${close.repeat(levels)}`);
  expect(parseWebhook(envelope('webhook_test', { deep }), { secret }).type).toBe('webhook_test');
});

test('only what repeats the secret is changed', () => {
  const rest = { list: [1, null, 'one'], __proto__x: { a: {} }, none: [], message: `is ${secret}` };
  const body = JSON.stringify(envelope('webhook_test', rest)).replace('__proto__x', '__proto__');
  const { payload } = parseWebhook(body, { secret });
  expect(Object.entries(payload)).toEqual([
    ['message', 'is [redacted]'],
    ['createdAt', 1_760_000_000_000],
    ['list', [1, null, 'one']],
    ['__proto__', { a: {} }],
    ['none', []],
  ]);
});

test('in what a body parser has made, dates stay dates, one object one object; and a copy can be changed', () => {
  const at = new Date(0);
  const shared = { text: 'once' };
  const body = envelope('webhook_test', { message: `is ${secret}`, at, one: shared, other: shared });
  const payload: Record<string, unknown> = { ...parseWebhook(body, { secret }).payload };
  expect(payload).toMatchObject({ message: 'is [redacted]', at, one: shared });
  expect(payload.one).toBe(payload.other);
  expect(Object.getOwnPropertyDescriptor(payload.one, 'text')).toEqual(
    Object.getOwnPropertyDescriptor(shared, 'text'),
  );
});

test('a secret as short as a word of a test changes no payload', () => {
  const { payload } = parseWebhook(
    envelope('webhook_test', { message: 'this is a test', workspaceSecret: 'test' }),
    {
      secret: 'test',
    },
  );
  expect(payload).toMatchObject({ message: 'this is a test' });
});

test('a secret of eight characters is looked for, and another secret of a rotation in the envelope', async () => {
  const [one, two] = ['eight888', 'the-other-of-a-rotation'];
  const seen: unknown[] = [];
  const onDrift = (drift: Drift) => void seen.push(drift);
  const options = { secret: [one, two], onDrift, logLevel: 'off' } as const;
  const receiver = createWebhookReceiver(options).onAny((event) => void seen.push(event));
  const body = {
    ...envelope('webhook_test', { workspaceSecret: one, message: `is ${one}` }),
    workspaceSecret: two,
  };
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  expect(seen).toHaveLength(2);
  for (const its of [one, two]) expect(inspect(seen, { depth: 10 })).not.toContain(its);
});
