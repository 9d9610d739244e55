import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import {
  parseWebhook,
  parseWebhookRequest,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope, minimal, secret, settle } from './deliveries.js';
import { failing, requestOf, throwing } from './receivers.js';

const authentic = delivery('lead_captured');
const event = { type: 'lead_captured', payload: minimal.lead_captured };
const bytes = new TextEncoder().encode(authentic);

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test.each<[string, unknown]>([
  ['a string', authentic],
  ['a string with a byte order mark', `\uFEFF${authentic}`],
  ['a string with blanks around it', ` \r\n\t${authentic}\n`],
  ['bytes', bytes],
  ['bytes with a byte order mark', new Uint8Array([0xef, 0xbb, 0xbf, ...bytes])],
  ['a Buffer', Buffer.from(authentic)],
  // As of a test runner's or a worker's realm.
  ['bytes of another realm', runInNewContext('Uint8Array.from(bytes)', { bytes: [...bytes] })],
  ['an ArrayBuffer', bytes.slice().buffer],
  [
    'an ArrayBuffer of another realm',
    runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] }),
  ],
  ['an object', JSON.parse(authentic)],
])('takes %s, also as a promise', async (_, body) => {
  expect(parseWebhook(body, { secret })).toStrictEqual(event);
  expect(await parseWebhookRequest(Promise.resolve(body), { secret })).toStrictEqual(event);
});

test.each<[string, () => unknown]>([
  ['a Request', () => requestOf(authentic)],
  ['a Web stream', () => new Response(authentic).body],
  ['a promise', () => requestOf(authentic).text()],
])('only parseWebhookRequest takes %s, and parseWebhook says what to pass', async (_, make) => {
  const error = errorOf(() => parseWebhook(make(), { secret }));
  expect(error).toMatchObject({ type: 'configuration_error', option: 'body' });
  expect(String(error)).toContain('body must have been read. Pass `await request.text()`');
  expect(await parseWebhookRequest(make(), { secret })).toEqual(event);
});

test('a promise that rejects, rejects', async () => {
  const cutOff = new TypeError('cut off');
  await expect(parseWebhookRequest(Promise.reject(cutOff), { secret })).rejects.toBe(cutOff);
});

test('leaves the object of a body parser as it is', () => {
  const body = envelope('lead_captured');
  parseWebhook(body, { secret });
  expect(body).toEqual(envelope('lead_captured'));
});

test('keeps a field named __proto__ a field', () => {
  const body = authentic.replace('{"agentId"', '{"__proto__":{"leadEmail":"forged"},"agentId"');
  const { payload } = parseWebhook(body, { secret });
  expect(Object.hasOwn(payload, '__proto__')).toBe(true);
  expect(payload).not.toHaveProperty('leadEmail');
});

test.each<unknown>([
  'null',
  '"text"',
  '{}',
  '{"payload":[]}',
  '{"payload":null}',
  '{"payload":{"workspaceSecret":"\\x"}}',
  // A secret that a prototype carries.
  `{"type":"webhook_test","payload":{"__proto__":{"workspaceSecret":"${secret}"}}}`,
  { type: 'webhook_test', payload: Object.create({ workspaceSecret: secret }) as unknown },
  { type: 'no_such_type', payload: { workspaceSecret: 'forged' } },
])('%j does not verify, and is not looked at further', (body) => {
  expect(() => parseWebhook(body, { secret })).toThrow(WebhookVerificationError);
});

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /^expected JSON, received nothing: is a body parser mounted\?/],
  ['no bytes', new Uint8Array(), /^expected JSON\. ./],
  ['truncated JSON', authentic.slice(0, -1), /^expected JSON\. ./],
])('%s is a payload error, and shows nothing of the body', (_, body, words) => {
  const error = errorOf(() => parseWebhook(body, { secret }));
  const message = expect.stringMatching(words) as string;
  expect(error).toBeInstanceOf(WebhookPayloadError);
  expect(error).toMatchObject({ issues: [{ path: [], code: 'not_json', message }] });
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('agent_1');
});

test('a body without a payload may be the request', () => {
  const bodies = [{}, { payload: {} }, Buffer.from('{}')];
  const messages = bodies.map((body) => String(errorOf(() => parseWebhook(body, { secret }))));
  const isHinted = messages.map((message) => message.includes('pass the body of the request'));
  expect(isHinted).toEqual([true, false, false]);
});

test('an unknown type is thrown with the event, which printing does not show', () => {
  const body = delivery('renamed', { name: 'private' });
  const error = errorOf(() => parseWebhook(body, { secret: { acme: secret } }));
  const carried = { type: 'renamed', payload: { name: 'private' }, workspace: 'acme' };
  expect(error).toMatchObject({ type: 'unknown_event_error', event: carried });
  expect(inspect(error)).not.toContain('private');
  expect(String(error)).toContain('"renamed" of "acme"');
});

test('the error of an event without a type names its workspace', () => {
  const body = { payload: { workspaceSecret: secret } };
  expect(() => parseWebhook(body, { secret: { acme: secret } })).toThrow('(no type) of "acme"');
});

// What else departs, and what becomes of it, is in `test/validation/table.test.ts`.
const grown = delivery('lead_captured', { channel: 'hologram' });

test('parseWebhookRequest validates as its options say', async () => {
  const onDrift = vi.fn();
  const { payload } = await parseWebhookRequest(grown, { secret, onDrift });
  expect(payload).toMatchObject({ channel: 'hologram' });
  expect(onDrift.mock.calls).toMatchObject([[{ source: 'lead_captured' }]]);
  const parsing = parseWebhookRequest(grown, { secret, validation: 'strict' });
  await expect(parsing).rejects.toThrow(WebhookPayloadError);
});

test.each<[string, undefined | (() => unknown)]>([
  ['is absent', undefined],
  ['rejects', failing],
  ['throws', throwing],
])('an onDrift that %s loses no event, and prints nothing', async (_, onDrift) => {
  const printed = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level));
  onTestFinished(() => void vi.restoreAllMocks());
  expect(parseWebhook(grown, { secret, onDrift }).payload).toMatchObject({ channel: 'hologram' });
  await settle();
  for (const print of printed) expect(print).not.toHaveBeenCalled();
});

const buffers = () =>
  new TransformStream<Uint8Array<ArrayBuffer>, ArrayBuffer>({
    transform: (chunk, stream) => stream.enqueue(chunk.slice().buffer),
  });

test.each<[what: string, limit: number, make: (body: string) => unknown]>([
  ['a Request, up to maxBodyBytes', 1_000, (body) => requestOf(body)],
  ['a Request, up to 8 MiB', 8_388_608, (body) => requestOf(body)],
  ['gzip, up to maxBodyBytes unpacked', 1_000, (body) => gzipSync(body)],
  ['an ArrayBuffer of gzip', 1_000, (body) => Uint8Array.from(gzipSync(body)).buffer],
  ['a stream of ArrayBuffers', 1_000, (body) => new Blob([body]).stream().pipeThrough(buffers())],
])('parseWebhookRequest reads %s', async (_, limit, make) => {
  const options = { secret, ...(limit === 1_000 && { maxBodyBytes: limit }) };
  const parse = (length: number) => parseWebhookRequest(make(authentic.padStart(length)), options);
  expect(await parse(limit)).toEqual(event);
  const issues = [{ path: [], code: 'body_too_large', message: `expected at most ${limit} bytes` }];
  await expect(parse(limit + 1)).rejects.toMatchObject({ issues });
});

test.each<[what: string, code: string, body: BodyInit | null, use?: (request: Request) => unknown]>([
  ['read before', 'body_unreadable', authentic, (request) => request.text()],
  ['being read', 'body_unreadable', authentic, ({ body }) => body?.getReader()],
  ['drained', 'body_unreadable', authentic, ({ body }) => text(body as ReadableStream)],
  ['cut off', 'body_unreadable', new ReadableStream({ start: (stream) => stream.error(new Error('reset')) })],
  ['without a body', 'not_json', null],
])('a Request that is %s is a payload error: %s', async (_, code, body, use) => {
  const request = requestOf(body);
  await use?.(request);
  const parsing = parseWebhookRequest(request, { secret });
  await expect(parsing).rejects.toMatchObject({ issues: [{ path: [], code }] });
  await expect(parsing).rejects.toThrow(
    /is not JSON|expected a body that was neither read before nor cut off/,
  );
});
