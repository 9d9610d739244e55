import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import {
  ConfigurationError,
  type Drift,
  parseWebhook,
  parseWebhookRequest,
  UnknownEventError,
  WebhookPayloadError,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope, minimal, secret, settle } from './deliveries.js';

const authentic = delivery('lead_captured');
const event = { type: 'lead_captured', payload: minimal.lead_captured };
const bytes = new TextEncoder().encode(authentic);

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
])('takes %s', (_, body) => {
  expect(parseWebhook(body, { secret })).toStrictEqual(event);
});

test('leaves the object of a body parser as it is', () => {
  const body = envelope('lead_captured');
  parseWebhook(body, { secret });
  expect(body).toEqual(envelope('lead_captured'));
});

test('returns the payload as sent: fields the document does not list are kept, the secret is not', () => {
  const { payload } = parseWebhook(delivery('webhook_test', { extra: { deep: [1] } }), { secret });
  expect(payload).toEqual({ ...minimal.webhook_test, extra: { deep: [1] } });
  expect(payload).not.toHaveProperty('workspaceSecret');
});

test('keeps a field named __proto__ a field', () => {
  const body = authentic.replace('{"agentId"', '{"__proto__":{"leadEmail":"forged"},"agentId"');
  const { payload } = parseWebhook(body, { secret });
  expect(Object.hasOwn(payload, '__proto__')).toBe(true);
  expect(payload).not.toHaveProperty('leadEmail');
});

test('does not take a secret that a prototype carries', () => {
  const text = `{"type":"webhook_test","payload":{"__proto__":{"workspaceSecret":"${secret}"}}}`;
  const payload: unknown = Object.create({ workspaceSecret: secret });
  for (const body of [text, { type: 'webhook_test', payload }]) {
    expect(() => parseWebhook(body, { secret })).toThrow(WebhookVerificationError);
  }
});

test.each([
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
])('%s does not verify, and is not looked at further', (body) => {
  expect(() => parseWebhook(body, { secret })).toThrow(WebhookVerificationError);
});

test('an event that is not authentic is not validated', () => {
  const body = { type: 'no_such_type', payload: { workspaceSecret: 'forged' } };
  expect(() => parseWebhook(body, { secret })).toThrow(WebhookVerificationError);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['an empty string', ''],
  ['no bytes', new Uint8Array()],
  ['truncated JSON', authentic.slice(0, -1)],
  ['text with the secret', `hello "workspaceSecret":"${secret}"`],
])('%s is a payload error, and shows nothing of the body', (_, body) => {
  try {
    parseWebhook(body, { secret });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(WebhookPayloadError);
    const message =
      body === undefined
        ? /^expected JSON, received nothing/
        : /^expected JSON\. The (body is empty|JSON (is cut off|breaks) at position)/;
    expect(error).toMatchObject({
      issues: [{ path: [], code: 'not_json', message: expect.stringMatching(message) as string }],
    });
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain('agent_1');
  }
});

test('names each field of a known event that does not fit', () => {
  expect(() =>
    parseWebhook(delivery('message_received', { convoId: 1, messageContent: undefined }), {
      secret,
      validation: 'strict',
    }),
  ).toThrow(
    expect.objectContaining({
      issues: [
        {
          path: ['payload', 'convoId'],
          code: 'invalid_type',
          message: expect.stringContaining('received number'),
        },
        {
          path: ['payload', 'messageContent'],
          code: 'invalid_type',
          message: expect.stringContaining('required'),
        },
      ],
    }),
  );
});

test.each([
  [undefined, 'required: expected string'],
  [null, 'expected string, received null'],
  [7, 'expected string, received number'],
  [{}, 'expected string, received object'],
])('a verified envelope with the type %j is a payload error', (type, message) => {
  const body = { type, payload: { workspaceSecret: secret } };
  expect(() => parseWebhook(body, { secret: { acme: secret } })).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('The webhook (no type) of "acme" does not match its schema') as string,
      issues: [{ path: ['type'], code: 'invalid_type', message }],
    }),
  );
});

test('an unknown type is thrown with the event, which printing does not show', () => {
  try {
    parseWebhook(delivery('agent_renamed', { name: 'private' }), { secret: { acme: secret } });
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(UnknownEventError);
    const { event: carried } = error as UnknownEventError;
    expect(carried).toEqual({ type: 'agent_renamed', payload: { name: 'private' }, workspace: 'acme' });
    expect(inspect(error)).not.toContain('private');
    expect((error as Error).message).toContain('"agent_renamed" of "acme"');
  }
});

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('no error contains the secret, wherever the sender has put it', () => {
  const errors = [
    delivery('lead_captured', { channel: secret }),
    delivery('lead_captured', { agentId: { [secret]: 1 } }),
    authentic.slice(0, -1),
  ].map((body) => errorOf(() => parseWebhook(body, { secret, validation: 'strict' })));
  for (const error of errors) {
    expect(inspect(error, { depth: 9 }) + JSON.stringify(error)).not.toContain(secret);
  }
});

const grown = delivery('lead_captured', { channel: 'hologram', leadName: null });
const grownPayload = { ...minimal.lead_captured, channel: 'hologram', leadName: null };
const invalid = delivery('agent_deleted', { agentId: null });

test('tolerant, the default, passes on what does not match, and reports it; strict does not', async () => {
  const drifts: Drift[] = [];
  const onDrift = (drift: Drift) => void drifts.push(drift);
  expect(parseWebhook(grown, { secret, onDrift }).payload).toEqual(grownPayload);
  expect((await parseWebhookRequest(grown, { secret, onDrift })).payload).toEqual(grownPayload);
  const drift = {
    source: 'lead_captured',
    issues: [{ path: ['payload', 'leadName'] }, { path: ['payload', 'channel'] }],
  };
  expect(drifts).toMatchObject([drift, drift]);
  expect(() => parseWebhook(invalid, { secret })).toThrow(WebhookPayloadError);
  expect(() => parseWebhook(grown, { secret, validation: 'strict' })).toThrow(WebhookPayloadError);
  const strict = parseWebhookRequest(grown, { secret, validation: 'strict' });
  await expect(strict).rejects.toThrow(WebhookPayloadError);
});

test('what parseWebhook forgives is passed to onDrift alone', () => {
  const printed = vi.spyOn(console, 'warn');
  onTestFinished(() => printed.mockRestore());
  parseWebhook(grown, { secret });
  expect(printed).not.toHaveBeenCalled();
});

test.each([
  [
    () => {
      throw new Error('hook');
    },
  ],
  [
    async () => {
      throw new Error('hook');
    },
  ],
])('an onDrift that fails loses no event, and prints nothing', async (onDrift) => {
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  expect(parseWebhook(grown, { secret, onDrift }).payload).toEqual(grownPayload);
  await settle();
  expect(printed).not.toHaveBeenCalled();
});

const request = (body: BodyInit | null, init: RequestInit = {}) =>
  new Request('https://receiver.example/webhooks', { method: 'POST', body, ...init });

test.each([
  [{ secret, maxBytes: 1 }, 'maxBytes'],
  [{ secret, validaton: 'off' }, 'validaton'],
  [{ secret, maxBodyBytes: 0 }, 'maxBodyBytes'],
  [{ secret, maxBodyBytes: '1' }, 'maxBodyBytes'],
  [{ secret, validation: 'lax' }, 'validation'],
  [{ secret, onDrift: 1 }, 'onDrift'],
  [{ secret, verifySecret: () => true }, 'verifySecret'],
  [{ verifySecret: 'a-secret' }, 'verifySecret'],
  [{}, 'secret'],
  [undefined, 'secret'],
  [{ secret: undefined }, 'secret'],
])('refuses the options %j', async (options, option) => {
  const parsing = parseWebhookRequest('not JSON', options as never);
  await expect(parsing).rejects.toThrow(ConfigurationError);
  await expect(parsing).rejects.toMatchObject({ option });
  if (option.startsWith('max')) return;
  expect(() => parseWebhook(authentic, options as never)).toThrow(expect.objectContaining({ option }));
});

test('a body that is not a Request is taken as it is, also as a promise', async () => {
  for (const body of [JSON.parse(authentic), request(authentic).json(), request(authentic).arrayBuffer()]) {
    await expect(parseWebhookRequest(body, { secret })).resolves.toEqual(event);
  }
  const cutOff = new TypeError('cut off');
  await expect(parseWebhookRequest(Promise.reject(cutOff), { secret })).rejects.toBe(cutOff);
});

test.each<[string, () => unknown]>([
  ['a Request', () => request(authentic)],
  ['a Web stream', () => new Response(authentic).body],
  ['a promise', () => request(authentic).text()],
])('parseWebhook does not take %s, and says what to pass', (_, make) => {
  const parse = () => parseWebhook(make(), { secret });
  expect(parse).toThrow(ConfigurationError);
  expect(parse).toThrow(/needs a body that was read: pass `await request\.text\(\)`/);
});

test('a Request is read up to the limit', async () => {
  const size = new TextEncoder().encode(authentic).byteLength;
  await expect(parseWebhookRequest(request(authentic), { secret, maxBodyBytes: size })).resolves.toEqual(
    event,
  );
  const parsing = parseWebhookRequest(request(authentic), { secret, maxBodyBytes: size - 1 });
  const message = `expected at most ${size - 1} bytes`;
  await expect(parsing).rejects.toMatchObject({ issues: [{ path: [], code: 'body_too_large', message }] });
  const blanks = ' '.repeat(8 * 1024 * 1024 - size);
  await expect(parseWebhookRequest(request(blanks + authentic), { secret })).resolves.toEqual(event);
  await expect(parseWebhookRequest(request(`${blanks} ${authentic}`), { secret })).rejects.toThrow(
    'expected at most 8388608 bytes',
  );
});

test.each([
  [
    'read before',
    async () => {
      const used = request(authentic);
      await used.text();
      return used;
    },
  ],
  [
    'drained',
    async () => {
      const drained = request(authentic);
      const reader = drained.body?.getReader();
      while ((await reader?.read())?.done === false);
      reader?.releaseLock();
      return drained;
    },
  ],
  [
    'being read',
    async () => {
      const locked = request(authentic);
      locked.body?.getReader();
      return locked;
    },
  ],
  [
    'cut off',
    async () =>
      request(new ReadableStream({ start: (stream) => stream.error(new Error('reset')) }), {
        duplex: 'half',
      } as RequestInit),
  ],
])('a Request that was %s is a payload error', async (_, make) => {
  const parsing = parseWebhookRequest(await make(), { secret });
  await expect(parsing).rejects.toThrow(WebhookPayloadError);
  await expect(parsing).rejects.toThrow(/^The webhook body was not read\n/);
  const message = 'expected a body that was neither read before nor cut off';
  await expect(parsing).rejects.toMatchObject({ issues: [{ path: [], code: 'body_unreadable', message }] });
});

test('a Request without a body is not JSON', async () => {
  const issues = [{ code: 'not_json' }];
  await expect(parseWebhookRequest(request(null), { secret })).rejects.toMatchObject({ issues });
});

test('a Web stream is read', async () => {
  await expect(parseWebhookRequest(new Response(authentic).body, { secret })).resolves.toEqual(event);
});

test('a secret that is not valid Unicode is a secret like any other', () => {
  const odd = 'half-a-pair-\ud800-secret';
  const body = { type: 'later_event', payload: { createdAt: 1, workspaceSecret: odd } };
  expect(() => parseWebhook(body, { secret: odd })).toThrow(UnknownEventError);
});
