import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import {
  type Drift,
  parseWebhook,
  parseWebhookRequest,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope, minimal, secret, settle } from './deliveries.js';
import { requestOf } from './receivers.js';

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
  expect(String(error)).toContain('needs a body that was read: pass `await request.text()`');
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

test('returns the payload as sent: fields the document does not list are kept, the secret is not', () => {
  const { payload } = parseWebhook(delivery('webhook_test', { extra: { deep: [1] } }), { secret });
  expect(payload).toStrictEqual({ ...minimal.webhook_test, extra: { deep: [1] } });
});

test('keeps a field named __proto__ a field', () => {
  const body = authentic.replace('{"agentId"', '{"__proto__":{"leadEmail":"forged"},"agentId"');
  const { payload } = parseWebhook(body, { secret });
  expect(Object.hasOwn(payload, '__proto__')).toBe(true);
  expect(payload).not.toHaveProperty('leadEmail');
});

test.each<unknown>([
  'null',
  '1',
  'true',
  'hello',
  '"text"',
  '[]',
  '{}',
  '{"type":"lead_captured"}',
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
  ['an empty string', '', /^expected JSON\. The body is empty/],
  ['no bytes', new Uint8Array(), /^expected JSON\. The body is empty/],
  ['truncated JSON', authentic.slice(0, -1), /^expected JSON\. The JSON is cut off at position/],
  [
    'text with the secret',
    `hello "workspaceSecret":"${secret}"`,
    /^expected JSON\. The JSON breaks at position/,
  ],
])('%s is a payload error, and shows nothing of the body', (_, body, words) => {
  const error = errorOf(() => parseWebhook(body, { secret }));
  const message = expect.stringMatching(words) as string;
  expect(error).toBeInstanceOf(WebhookPayloadError);
  expect(error).toMatchObject({ issues: [{ path: [], code: 'not_json', message }] });
  expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('agent_1');
});

test('a body without a payload may be the request', () => {
  const messages = [{}, { payload: {} }].map((body) => String(errorOf(() => parseWebhook(body, { secret }))));
  expect(messages.map((message) => message.includes('pass the body of the request'))).toEqual([true, false]);
});

test('names each field of a known event that does not fit', () => {
  const body = delivery('message_received', { convoId: 1, messageContent: undefined });
  const issue = (field: string, words: string) => {
    const message = expect.stringContaining(words) as string;
    return { path: ['payload', field], code: 'invalid_type', message };
  };
  expect(errorOf(() => parseWebhook(body, { secret, validation: 'strict' }))).toMatchObject({
    issues: [issue('convoId', 'received number'), issue('messageContent', 'required')],
  });
});

test.each([
  [undefined, 'required: expected string'],
  [null, 'expected string, received null'],
  [7, 'expected string, received number'],
  [{}, 'expected string, received object'],
])('a verified envelope with the type %j is a payload error', (type, message) => {
  const body = { type, payload: { workspaceSecret: secret } };
  expect(errorOf(() => parseWebhook(body, { secret: { acme: secret } }))).toMatchObject({
    message: expect.stringContaining('The webhook (no type) of "acme" does not match its schema') as string,
    issues: [{ path: ['type'], code: 'invalid_type', message }],
  });
});

test('an unknown type is thrown with the event, which printing does not show', () => {
  const error = errorOf(() =>
    parseWebhook(delivery('renamed', { name: 'private' }), { secret: { acme: secret } }),
  );
  const carried = { type: 'renamed', payload: { name: 'private' }, workspace: 'acme' };
  expect(error).toMatchObject({ type: 'unknown_event_error', event: carried });
  expect(inspect(error)).not.toContain('private');
  expect(String(error)).toContain('"renamed" of "acme"');
});

const grown = delivery('lead_captured', { channel: 'hologram', leadName: null });
const grownPayload = { ...minimal.lead_captured, channel: 'hologram', leadName: null };
const invalid = delivery('agent_deleted', { agentId: null });
const drift = {
  source: 'lead_captured',
  issues: [{ path: ['payload', 'leadName'] }, { path: ['payload', 'channel'] }],
};

test.each([
  [undefined, grownPayload, [drift], WebhookPayloadError],
  ['tolerant', grownPayload, [drift], WebhookPayloadError],
  ['strict', undefined, [], WebhookPayloadError],
  ['off', grownPayload, [], undefined],
] as const)(
  'validation %s: what departs, its drift, and an event without its id',
  async (mode, payload, drift, error) => {
    const drifts: Drift[] = [];
    const options = { secret, validation: mode, onDrift: (one: Drift) => void drifts.push(one) };
    const parse = (body: string) => [
      async () => parseWebhook(body, options),
      () => parseWebhookRequest(body, options),
    ];
    for (const run of parse(grown)) {
      if (payload === undefined) await expect(run()).rejects.toThrow(WebhookPayloadError);
      else expect((await run()).payload).toEqual(payload);
    }
    expect(drifts).toMatchObject([...drift, ...drift]);
    for (const run of parse(invalid)) {
      if (error === undefined) expect((await run()).payload).toMatchObject({ agentId: null });
      else await expect(run()).rejects.toThrow(error);
    }
  },
);

test.each<[string, undefined | (() => unknown)]>([
  ['is absent', undefined],
  ['rejects', () => Promise.reject(new Error('hook'))],
  [
    'throws',
    () => {
      throw new Error('hook');
    },
  ],
])('an onDrift that %s loses no event, and prints nothing', async (_, onDrift) => {
  const printed = (['warn', 'error'] as const).map((level) => vi.spyOn(console, level));
  onTestFinished(() => void vi.restoreAllMocks());
  expect(parseWebhook(grown, { secret, onDrift }).payload).toEqual(grownPayload);
  await settle();
  for (const print of printed) expect(print).not.toHaveBeenCalled();
});

test('a Request is read up to the limit, and up to 8 MiB without one', async () => {
  const parse = (body: string, maxBodyBytes?: number) =>
    parseWebhookRequest(requestOf(body), { secret, maxBodyBytes });
  const { length } = bytes;
  expect(await parse(authentic, length)).toEqual(event);
  const message = `expected at most ${length - 1} bytes`;
  const issues = [{ path: [], code: 'body_too_large', message }];
  await expect(parse(authentic, length - 1)).rejects.toMatchObject({ issues });
  const blanks = ' '.repeat(8 * 1024 * 1024 - length);
  expect(await parse(blanks + authentic)).toEqual(event);
  await expect(parse(`${blanks} ${authentic}`)).rejects.toThrow('expected at most 8388608 bytes');
});

const taken = (release: boolean) => async (request: Request) => {
  const reader = request.body?.getReader();
  while (release && (await reader?.read())?.done === false);
  if (release) reader?.releaseLock();
};

test.each<[string, (request: Request) => unknown]>([
  ['read before', (request) => request.text()],
  ['drained', taken(true)],
  ['being read', taken(false)],
])('a Request that was %s is a payload error', async (_, use) => {
  const request = requestOf(authentic);
  await use(request);
  const parsing = parseWebhookRequest(request, { secret });
  const message = 'expected a body that was neither read before nor cut off';
  await expect(parsing).rejects.toMatchObject({ issues: [{ path: [], code: 'body_unreadable', message }] });
  await expect(parsing).rejects.toThrow(/^The webhook body was not read\n/);
});

test.each([
  ['cut off', 'body_unreadable', new ReadableStream({ start: (stream) => stream.error(new Error('reset')) })],
  ['without a body', 'not_json', null],
])('a Request that is %s is a payload error: %s', async (_, code, body) => {
  const parsing = parseWebhookRequest(requestOf(body), { secret });
  await expect(parsing).rejects.toMatchObject({ type: 'webhook_payload_error', issues: [{ code }] });
});
