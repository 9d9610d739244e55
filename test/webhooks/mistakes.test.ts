import { gzipSync } from 'node:zlib';
import {
  createWebhookHandlers,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  type StoredWebhook,
  type WebhookHandlersOptions,
  type WebhookReceiverOptions,
  type WebhookSecrets,
} from 'agent-platform-sdk';
import express from 'express';
import { describe, expect, test, vi } from 'vitest';
import { serve } from '../support/loopback.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, post, secret } from './deliveries.js';

// Common mistakes, and the messages that name them.

function setUp(options: WebhookReceiverOptions = {}) {
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, logger, dedupe: false, ...options });
  return { receiver, lines: logger.lines, all: () => logger.lines.join('\n') };
}

describe('secrets', () => {
  const statusFor = async (given: WebhookSecrets | (() => WebhookSecrets), workspaceSecret: string) => {
    const { receiver } = setUp({ secret: given });
    receiver.onAny(() => undefined);
    return (await receiver.handle(post('webhook_test', { workspaceSecret }))).status;
  };

  test.each([secret, 'old-secret'])('a bare string is split at commas: %s verifies', async (one) => {
    expect(await statusFor(`old-secret, ${secret}`, one)).toBe(200);
    expect(
      parseWebhook(delivery('webhook_test', { workspaceSecret: one }), { secret: `old-secret,${secret}` }),
    ).toMatchObject({ type: 'webhook_test' });
  });

  test.each<[string, WebhookSecrets | (() => WebhookSecrets)]>([
    ['an element of a list', ['one,two']],
    ['a secret of a named workspace', { acme: 'one,two' }],
    ['what a function loads', () => 'one,two'],
  ])('%s is taken as it is, commas included', async (_, given) => {
    expect(await statusFor(given, 'one,two')).toBe(200);
    expect(await statusFor(given, 'one')).toBe(401);
  });

  test.each([
    `"${secret}"`,
    `'${secret}'`,
    `Bearer ${secret}`,
    'undefined',
    'null',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: what a .env file has where nothing expands it.
    '${WEBHOOK_SECRET}',
    '<your secret>',
    '$WEBHOOK_SECRET',
    '["one"]',
    '{"acme":"one"}',
    '[object Object]',
  ])('%s is refused at creation', (given) => {
    const message =
      'secret is not the bare value: remove quotes and `Bearer `, and replace a placeholder such as ' +
      '`$TOKEN`.';
    expect(() => setUp({ secret: given })).toThrow(message);
    expect(() => parseWebhook('{}', { secret: given })).toThrow(message);
    expect(() => setUp({ secret: { acme: [given] } })).toThrow(message.replace('secret', 'secret.acme[0]'));
  });

  test.each(['\u200b', '\u2060', '\u00ad', '\u202e'])(
    '%j inside of a secret is refused at creation',
    (invisible) => {
      const given = `${secret.slice(0, 5)}${invisible}${secret.slice(5)}`;
      const message = 'secret contains an invisible character: copy it again.';
      expect(() => setUp({ secret: given })).toThrow(message);
      expect(() => setUp({ secret: { acme: given } })).toThrow(message.replace('secret', 'secret.acme'));
    },
  );

  test.each(['webhookSecret', 'webhook_secret', 'signing-secret', 'secrets'])(
    '%s is meant to be secret',
    (name) => {
      const wrong = { secret: undefined, [name]: secret };
      expect(() => setUp(wrong)).toThrow(
        `${name.includes('-') ? `["${name}"]` : name} is not a known option. Did you mean \`secret\`?`,
      );
    },
  );

  test('a secret in place of the options is refused', () => {
    expect(() => parseWebhook('{}', secret as never)).toThrow(
      'parseWebhook: options must be an object, got string. Pass { secret }.',
    );
  });
});

describe('results of handlers', () => {
  test.each([
    ['false', false],
    ['a Response of an error', new Response(null, { status: 500 })],
    ['{ statusCode }', { statusCode: 503, body: '' }],
    ['an error', new Error('no')],
    ['{ ok: false }', { ok: false }],
    ['{ success: false }', { success: false }],
    ['a list with an error in a list', [[undefined], [[new Error('no')]]]],
    ['what Promise.allSettled has caught', [{ status: 'rejected', reason: new Error('no') }]],
  ])('%s leaves one warning for each type', async (_, result) => {
    const { receiver, lines } = setUp();
    receiver.onAny(() => result);
    expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
    await receiver.handle(post('webhook_test'));
    await receiver.handle(post('lead_captured'));
    const problem =
      'a handler returned false, an error or an error status, which has no effect: ' +
      'throw to refuse the event (logged once)';
    expect(lines).toEqual([
      `warn [agent-platform-sdk] webhook webhook_test: ${problem}`,
      `warn [agent-platform-sdk] webhook lead_captured: ${problem}`,
    ]);
  });

  test.each<[string, () => unknown]>([
    ['a function', () => () => undefined],
    ['an Observable', () => ({ subscribe: () => undefined })],
    // biome-ignore lint/correctness/useYield: it is never started.
    ['a generator', () => (function* () {})()],
    // biome-ignore lint/correctness/useYield: it is never started.
    ['a generator', () => (async function* () {})()],
    ['an Observable', () => ({ '@@observable': () => undefined })],
    ['an Observable', () => [1, 2].map(() => ({ subscribe: () => undefined }))],
    ['a function', () => [1, 2].map(() => async () => () => undefined)],
  ])('%s leaves a warning: nobody starts it', async (what, run) => {
    const { receiver, lines } = setUp();
    receiver.onAny(run);
    expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
    expect(lines).toEqual([
      expect.stringMatching(new RegExp(`^warn .*a handler returned ${what}, which nobody runs`)),
    ]);
  });

  // graphile/crystal#397
  test('a list of promises is awaited, and one that rejects is a 500', async () => {
    const { receiver, lines } = setUp();
    const saved: number[] = [];
    const save = async (index: number) => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      if (index === 3) throw new Error('the third');
      saved.push(index);
    };
    receiver.on('webhook_test', () => [1, 2].map(save)).on('lead_captured', () => [1, 2, 3].map(save));
    receiver.on('agent_deleted', () => [[1], [3]].map(async (indices) => indices.map(save)));
    expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
    expect(saved).toEqual([1, 2]);
    expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
    expect((await receiver.handle(post('agent_deleted'))).status).toBe(500);
    expect(lines).toEqual([expect.stringContaining('the third'), expect.stringContaining('the third')]);
  });

  test('lists of data leave no warning, and one that contains itself is read once', async () => {
    const { receiver, lines } = setUp();
    const list: unknown[] = [false, { status: 500 }, { success: false }, undefined];
    list.push(list);
    receiver.onAny(() => list);
    expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
    expect(lines).toEqual([]);
  });

  test.each<[string, WebhookReceiverOptions, string]>([
    ['24, meant as hours', { dedupe: { window: 24 } }, 'dedupe.window is 24'],
    ['55, meant as seconds', { deadline: 55 }, 'deadline is 55'],
  ])('a duration of %s is warned of', (_, options, warning) => {
    expect(setUp(options).lines).toEqual([
      `warn [agent-platform-sdk] receiver: ${warning} milliseconds, which is short. Is it in another unit?`,
    ]);
  });

  test.each([
    [],
    undefined,
    null,
    true,
    0,
    '',
    {},
    { ok: true },
    { status: 'ok' },
    { status: 200 },
    new Response('ok'),
  ])('%j leaves none', async (result) => {
    const { receiver, lines } = setUp();
    receiver.onAny(() => result);
    await receiver.handle(post('webhook_test'));
    expect(lines).toEqual([]);
  });

  test('a thrown object is described without the values of its fields', async () => {
    const { receiver, all } = setUp();
    receiver.onAny(() => Promise.reject({ code: 'E_CRM', token: 'hunter2', message: 'CRM is down' }));
    await receiver.handle(post('webhook_test'));
    expect(all()).toContain(': an object, not an Error (fields: code, token, message): CRM is down');
    expect(all()).not.toContain('hunter2');
  });

  test('a response that was sent before the handlers settled is logged', async () => {
    const { receiver, lines } = setUp();
    let handled = () => {};
    receiver.onAny(() => new Promise<void>((_, reject) => (handled = () => reject(new Error('no')))));
    const url = await serve((request, response) => {
      void receiver.node(request, response);
      response.end('ok');
    });
    const response = await fetch(url, { method: 'POST', body: delivery('webhook_test') });
    expect(response.status).toBe(200);
    await vi.waitFor(() => handled());
    await vi.waitFor(() => expect(lines).toHaveLength(2));
    expect(lines[1]).toBe(
      'error [agent-platform-sdk] your program responded with 200 to a webhook, so receiver.node could not send ' +
        'its 500. Do not respond yourself.',
    );
  });
});

describe('bodies', () => {
  const send = async (
    { receiver }: ReturnType<typeof setUp>,
    how: string,
    body: Uint8Array<ArrayBuffer> | string,
  ) => {
    const init = { method: 'POST', headers: { 'content-encoding': 'gzip' }, body };
    if (how === 'fetch') return (await receiver.fetch(new Request('https://a.test', init))).status;
    if (how === 'handle') return (await receiver.handle(init)).status;
    return (await fetch(await serve(receiver.node), init)).status;
  };

  describe.each(['fetch', 'node', 'handle'])('through receiver.%s', (how) => {
    test('a body compressed by gzip is read', async () => {
      const parts = setUp();
      const onAny = vi.fn();
      parts.receiver.onAny(onAny);
      expect(await send(parts, how, gzipSync(delivery('webhook_test')))).toBe(200);
      expect(onAny).toHaveBeenCalledOnce();
    });

    test('what a server has decompressed already is read', async () => {
      const parts = setUp();
      parts.receiver.onAny(() => undefined);
      expect(await send(parts, how, delivery('webhook_test'))).toBe(200);
    });

    test('a bomb ends at maxBodyBytes', async () => {
      const parts = setUp({ maxBodyBytes: 100_000 });
      expect(await send(parts, how, gzipSync(Buffer.alloc(50_000_000)))).toBe(413);
    });

    test('a broken one is refused', async () => {
      const parts = setUp();
      const onRejected = vi.fn();
      parts.receiver.onRejected(onRejected);
      expect(await send(parts, how, gzipSync(delivery('webhook_test')).subarray(0, 40))).toBe(400);
      expect(onRejected.mock.lastCall?.[0]).toMatchObject({
        reason: 'body_unreadable',
        hint: expect.stringMatching(/^Reading it failed: ./) as string,
      });
    });
  });

  test('parseWebhookRequest reads gzip, within maxBodyBytes', async () => {
    const body = gzipSync(delivery('webhook_test'));
    const request = new Request('https://a.test', { method: 'POST', body });
    expect(await parseWebhookRequest(request, { secret })).toMatchObject({ type: 'webhook_test' });
    const bomb = gzipSync(Buffer.alloc(1_000_000));
    await expect(parseWebhookRequest(bomb, { secret, maxBodyBytes: 10_000 })).rejects.toThrow(
      'expected at most 10000 bytes',
    );
  });

  const text = delivery('webhook_test');
  test.each([
    ['JSON inside a string', JSON.stringify(text), 'JSON inside a string: it was stringified twice'],
    ['base64', Buffer.from(text).toString('base64'), 'base64: decode it'],
    ['a form', new URLSearchParams({ payload: text }).toString(), 'form data: send JSON'],
    [
      'a form of parts',
      `--boundary\r\ncontent-disposition: form-data\r\n\r\n${text}`,
      'form data: send JSON',
    ],
    ['another compression', 'ÿü\0', 'neither a JSON object nor gzip'],
  ])('%s is named', async (_, body, kind) => {
    const { receiver, all } = setUp({ secret: 'another-secret' });
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(401);
    expect(all()).toContain(`The body is ${kind}.`);
    expect(() => parseWebhook(body, { secret: 'another-secret' })).toThrow(`The body is ${kind}.`);
  });
});

describe('bodies that cannot be read', () => {
  const open = (field: string) => `{"type":"webhook_test","payload":{"workspaceSecret":"${secret}",${field}`;
  const head = open('').length;

  test.each<[string, string, string]>([
    [
      'NaN',
      open('"score":NaN}}'),
      `The JSON breaks at position ${head + 8} of ${head + 13}: NaN is not JSON.`,
    ],
    ['a trailing comma', open('"a":1,}}'), `The JSON breaks at position ${head + 6} of ${head + 8}.`],
    [
      'a trailing comma in a list',
      open('"a":[1,]}}'),
      `The JSON breaks at position ${head + 7} of ${head + 10}.`,
    ],
    ['no comma', open('"a":1 "b":2}}'), `The JSON breaks at position ${head + 6} of ${head + 13}.`],
    ['a raw line break', open('"a":"b\n"}}'), `The JSON breaks at position ${head + 4} of ${head + 10}.`],
    ['text behind it', open('"a":1}}x'), `The JSON breaks at position ${head + 7} of ${head + 8}.`],
    ['its end missing', open('"a":{"b":[1'), `The JSON is cut off at position ${head + 11}, or`],
    ['a bracket too many', open('"a":[1]]}}'), `or its brackets do not match.`],
  ])('JSON with %s is a 400 that says where, and quotes nothing', async (_, body, hint) => {
    const { receiver, all } = setUp();
    const onRejected = vi.fn();
    receiver.onRejected(onRejected);
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(400);
    expect(onRejected.mock.lastCall?.[0]).toMatchObject({
      reason: 'not_json',
      hint: expect.stringContaining(hint) as string,
    });
    expect(all()).toContain(hint);
    expect(() => parseWebhook(body, { secret })).toThrow(hint);
  });

  test.each([
    ['a string of escapes, which no regular expression takes', `"a":"${'\\n'.repeat(4_000_000)}",}`],
    ['blanks in a list', `"a":[${' '.repeat(4_000_000)}x]}}`],
    ['blanks behind a comma', `"a":1,${' '.repeat(4_000_000)}}}`],
    ['open lists', `"a":${'[ '.repeat(200_000)}x`],
  ])('millions of characters are a 400 too: %s', async (_, field) => {
    const { receiver } = setUp();
    expect((await receiver.handle({ method: 'POST', body: open(field) })).status).toBe(400);
  });

  test.each(['br', 'deflate', 'zstd'])('%s is named', async (encoding) => {
    const body = Uint8Array.of(0x8b, 0x02, 0x80, 0x7b);
    const hint = `The body is compressed (${encoding}). The receiver unpacks only gzip`;
    const init = { method: 'POST', headers: { 'content-encoding': encoding }, body };
    const { receiver, lines } = setUp();
    await receiver.handle(init);
    await receiver.fetch(new Request('https://a.test', init));
    await fetch(await serve(receiver.node), init);
    expect(lines).toEqual(Array(3).fill(expect.stringContaining(hint)));
  });

  test('one that is too large is a line that names the option, its value and the size', async () => {
    const { receiver, all } = setUp({ maxBodyBytes: 1_000 });
    const body = delivery('webhook_test', { message: 'x'.repeat(2_000) });
    for (const headers of [{ 'content-length': String(body.length) }, {}]) {
      await receiver.fetch(new Request('https://a.test', { method: 'POST', headers, body }));
      await receiver.handle({ method: 'POST', body });
    }
    expect(
      all().match(/413 body_too_large, \d{4} bytes .*\n.*The limit is 1000 bytes: raise .*maxBodyBytes/g),
    ).toHaveLength(4);
  });

  test('a stream that somebody else reads says how', async () => {
    const { receiver, lines } = setUp();
    const request = new Request('https://a.test', { method: 'POST', body: delivery('webhook_test') });
    request.body?.getReader();
    await receiver.fetch(request);
    const { body } = new Response(delivery('webhook_test'));
    body?.getReader();
    await receiver.handle({ method: 'POST', body });
    expect(lines).toEqual(Array(2).fill(expect.stringContaining('The body was read before.')));
  });

  test('a stream whose first chunk was taken says how', async () => {
    const { receiver, all } = setUp();
    const url = await serve((request, response) => {
      request.once('data', () => {
        request.pause();
        void receiver.node(request, response);
      });
    });
    const body = delivery('webhook_test', { message: 'x'.repeat(500_000) });
    expect((await fetch(url, { method: 'POST', body })).status).toBe(400);
    expect(all()).toContain('The body was read before.');
  });
});

test('every method of a receiver and of handlers can be taken off it', async () => {
  const types: string[] = [];
  const made = createWebhookHandlers({ logLevel: 'off' });
  const { on, onAny, onUnhandled, onUnknown, onInvalid, onError, handles, process } = made;
  on('lead_captured', ({ type }) => types.push(type));
  for (const register of [onAny, onUnhandled, onUnknown, onInvalid]) register(() => undefined);
  onError(() => undefined);
  expect([handles('lead_captured'), handles('scored')]).toEqual([true, true]);
  const { handle, onRejected, onError: onFailure } = createWebhookReceiver({ secret, handlers: made });
  onRejected(() => undefined);
  onFailure(() => undefined);
  expect((await handle(post('lead_captured'))).status).toBe(200);
  const stored: StoredWebhook[] = [];
  const inbox = { store: async (webhook: StoredWebhook) => void stored.push(webhook) };
  await createWebhookReceiver({ secret, inbox }).handle(post('lead_captured'));
  await Promise.all(stored.map((webhook) => process(webhook)));
  const own = createWebhookReceiver({ secret });
  const { on: onType, onAny: onEach, node, fetch: take } = own;
  onType('webhook_test', ({ type }) => types.push(type));
  onEach(() => undefined);
  expect((await fetch(await serve(node), { method: 'POST', body: delivery('webhook_test') })).status).toBe(
    200,
  );
  const request = new Request('https://a.test', {
    method: 'POST',
    body: delivery('webhook_test', { createdAt: 2 }),
  });
  expect((await take(request)).status).toBe(200);
  expect(types).toEqual(['lead_captured', 'lead_captured', 'webhook_test', 'webhook_test']);
});

test.each<[string, WebhookHandlersOptions, number]>([
  ['without a logger log where their receiver does', {}, 1],
  ['with a level of their own keep it', { logLevel: 'off' }, 0],
])('handlers %s', async (_, options, count) => {
  const handlers = createWebhookHandlers(options).onAny(() => false);
  const { receiver, lines } = setUp({ handlers });
  await receiver.handle(post('webhook_test'));
  // The first one counts.
  const other = setUp({ handlers });
  await other.receiver.handle(post('lead_captured'));
  expect([lines.length, other.lines.length]).toEqual([2 * count, 0]);
});

describe('a method', () => {
  test.each<[given: unknown, message: string]>([
    [{ lead_captured: () => undefined }, 'on(type, handler): {} is not an event type.'],
    ['*', 'Unknown types go to onUnknown, all others to onAny, failures to onError.'],
  ])('on with %j says how', (given, message) => {
    const handler = typeof given === 'string' ? () => undefined : undefined;
    expect(() => setUp().receiver.on(given as never, handler as never)).toThrow(message);
  });

  test.each<[given: object, hint: string]>([
    [
      { type: 'webhook_test', payload: {} },
      'This is the parsed body. Pass receiver.handle({ method, body })',
    ],
    [{ body: '{}' }, '`method` is missing.'],
  ])('handle with %j says how', async (given, hint) => {
    const { receiver, all } = setUp();
    await receiver.handle(given);
    expect(all()).toContain(hint);
  });

  test('process with the body of a request says where it goes', async () => {
    const body = JSON.parse(delivery('webhook_test')) as never;
    await expect(createWebhookHandlers().process(body)).rejects.toThrow(
      'Pass a raw body to a receiver or to parseWebhook',
    );
  });
});

test.each(['GET', 'HEAD', 'OPTIONS'])('a probe by %s is one line at info', async (method) => {
  const { receiver, lines } = setUp({ logLevel: 'info' });
  await receiver.handle({ method });
  expect(lines).toEqual([
    expect.stringMatching(
      /^info \[agent-platform-sdk\] webhook \(unverified\): refused with 405 method_not_allowed after \d+ ms, delivery \S+$/,
    ),
  ]);
  const { receiver: other, lines: warnings } = setUp();
  await other.handle({ method: 'PUT' });
  expect(warnings).toEqual([expect.stringMatching(/^warn .*405 method_not_allowed/)]);
});

test('a receiver on every route of Express is a warning', async () => {
  const { receiver, lines } = setUp();
  const everywhere = express().use(receiver.node);
  expect((await fetch(`${await serve(everywhere)}/health`)).status).toBe(405);
  expect(lines).toEqual([
    expect.stringMatching(/^warn .*405[^]*mounted on every route.*app\.use\('\/webhooks', receiver\.node\)/),
  ]);
  const right = express().use('/webhooks', receiver.node).post('/other', receiver.node);
  const url = await serve(right);
  for (const path of ['webhooks', 'webhooks/more', 'other']) await fetch(`${url}/${path}`);
  expect(lines).toHaveLength(1);
});
