import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import {
  createWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookRejection,
  type WebhookSecretOptions,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { bytesInUse, collectGarbage, heldPerByte, streamOf } from '../support/memory.js';
import { delivery, secret, settle } from './deliveries.js';

// The memory that bodies of strangers take.

const MEBIBYTE = 1_048_576;
const forged = { workspaceSecret: 'forged' };

function setUp(options: WebhookReceiverOptions = {}) {
  const rejections: WebhookRejection[] = [];
  const secrets = options.verifySecret === undefined ? { secret } : {};
  const receiver = createWebhookReceiver({ ...secrets, dedupe: false, logLevel: 'off', ...options })
    .onAny(() => undefined)
    .onRejected((rejection) => rejections.push(rejection));
  return { receiver, rejections };
}

/** A body that arrives as it is pushed. */
interface OpenBody {
  readonly push: (bytes: number | string | Uint8Array) => Promise<void>;
  readonly end: () => void;
  readonly cutOff: () => void;
  readonly status: () => number | undefined;
}

const bytesOf = (given: number | string | Uint8Array) => {
  if (typeof given === 'number') return Buffer.alloc(given, ' ');
  return typeof given === 'string' ? Buffer.from(given) : given;
};

function throughFetch(receiver: WebhookReceiver): OpenBody {
  let status: number | undefined;
  let controller: ReadableStreamDefaultController | undefined;
  const body = new ReadableStream({
    start: (given) => {
      controller = given;
    },
  });
  const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
  void receiver.fetch(new Request('https://receiver.test', init)).then((response) => {
    status = response.status;
  });
  return {
    push: async (given) => {
      controller?.enqueue(bytesOf(given));
      await settle();
    },
    end: () => controller?.close(),
    cutOff: () => controller?.error(new Error('reset')),
    status: () => status,
  };
}

function throughNode(receiver: WebhookReceiver): OpenBody {
  const request = Object.assign(new Readable({ read: () => undefined }), { method: 'POST', headers: {} });
  // Only these parts of a request are used.
  const response = new ServerResponse(request as unknown as IncomingMessage);
  void receiver.node(request, response);
  return {
    push: async (given) => {
      request.push(bytesOf(given));
      await settle();
    },
    end: () => request.push(null),
    cutOff: () => request.destroy(),
    status: () => (response.headersSent ? response.statusCode : undefined),
  };
}

const doors: readonly [string, (receiver: WebhookReceiver) => OpenBody][] = [
  ['node', throughNode],
  ['fetch', throughFetch],
];

test.each(doors)(
  '%s: bodies being read share 64 MiB; above that, the oldest is ended with 503',
  async (_, open) => {
    const { receiver, rejections } = setUp();
    const [first, second, ...others] = Array.from({ length: 8 }, () => open(receiver));
    const last = open(receiver);
    for (const body of [first, second, ...others]) await body?.push(8_000_000);
    await last.push(64 * MEBIBYTE - 64_000_000);
    expect(first?.status()).toBeUndefined();
    await last.push(1);
    await vi.waitFor(() => expect(first?.status()).toBe(503));
    expect(rejections).toMatchObject([{ reason: 'overloaded', status: 503, size: 8_000_000 }]);
    await last.push(delivery('webhook_test'));
    last.end();
    await vi.waitFor(() => expect(last.status()).toBe(200));
    // What was read or ended takes no room.
    await open(receiver).push(8_000_000);
    for (const body of [second, ...others]) expect(body?.status()).toBeUndefined();
  },
);

test.each(doors)('%s: all share twice `maxBodyBytes` if that is more than 64 MiB', async (_, open) => {
  const { receiver } = setUp({ maxBodyBytes: 40 * MEBIBYTE });
  const [first, second, third] = [open(receiver), open(receiver), open(receiver)];
  for (const body of [first, second]) await body.push(36 * MEBIBYTE);
  await third.push(8 * MEBIBYTE);
  expect(first.status()).toBeUndefined();
  await third.push(1);
  await vi.waitFor(() => expect(first.status()).toBe(503));
});

const never = () => new Promise<never>(() => undefined);
const secretSources: readonly [name: string, makeSource: () => WebhookSecretOptions, status: number][] = [
  ['a loader that hangs', () => ({ secret: never }), 500],
  ['a loader that fails', () => ({ secret: () => Promise.reject(new Error('away')) }), 500],
  ['a loader that knows another secret', () => ({ secret: async () => secret }), 401],
  ['a `verifySecret` that hangs', () => ({ verifySecret: (given) => given === secret || never() }), 500],
];

const doorsAndSources = doors.flatMap(([door, open]) =>
  secretSources.map(([source, ...more]) => [door, source, open, ...more] as const),
);

test.each(doorsAndSources)(
  '%s: with %s, unverified bodies hold 64 MiB, and an authentic one is handled',
  async (_door, _source, open, makeSource, status) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { receiver, rejections } = setUp(makeSource());
    if (status === 401) await receiver.handle({ method: 'POST', body: delivery('webhook_test') });
    await vi.advanceTimersByTimeAsync(1_000);
    // Eight take all of the 64 MiB.
    const message = 'x'.repeat(8 * MEBIBYTE - delivery('webhook_test', forged).length + 'A test.'.length);
    const large = Buffer.from(delivery('webhook_test', { ...forged, message }));
    const before = bytesInUse();
    const bodies: OpenBody[] = [];
    for (let count = 0; count < 12; count += 1) {
      const body = open(receiver);
      await body.push(large);
      body.end();
      await settle();
      bodies.push(body);
    }
    // Twice: the sweep that begins with one collection ends with the next at the latest.
    collectGarbage();
    await settle();
    expect(bytesInUse() - before).toBeLessThan(66 * MEBIBYTE);
    expect(bodies.map((body) => body.status())).toEqual(
      Array.from({ length: 12 }, (_none, index) => (index < 4 ? 503 : undefined)),
    );
    expect(rejections).toMatchObject(Array(4).fill({ reason: 'overloaded', size: 8 * MEBIBYTE }));
    if (status === 401 || makeSource().verifySecret !== undefined) {
      const authentic = { method: 'POST', body: delivery('webhook_test') };
      expect((await receiver.handle(authentic)).status).toBe(200);
    }
    await vi.advanceTimersByTimeAsync(55_000);
    await settle();
    expect(bodies.slice(-7).map((body) => body.status())).toEqual(Array(7).fill(status));
    expect(bytesInUse() - before).toBeLessThan(2 * MEBIBYTE);
  },
);

test('deliveries that wait for secrets count 4 KiB each at least, and the oldest are ended with 503', async () => {
  let load: (secret: string) => void = () => undefined;
  const { receiver, rejections } = setUp({ secret: () => new Promise((resolve) => (load = resolve)) });
  const post = () => receiver.handle({ method: 'POST', body: delivery('webhook_test') });
  const waiting = Array.from({ length: 16_384 + 2 }, post);
  await vi.waitFor(() => expect(rejections).toHaveLength(2), 10_000);
  load(secret);
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([
    503,
    503,
    ...Array(16_384).fill(200),
  ]);
});

test.each(doors)('%s: a body that is too large, cut off or handled makes room again', async (_, open) => {
  const { receiver, rejections } = setUp();
  for (let round = 0; round < 5; round += 1) {
    const large = open(receiver);
    await large.push(8_000_000);
    await large.push(1_000_000);
    await vi.waitFor(() => expect(large.status()).toBe(413));
    const cutOff = open(receiver);
    await cutOff.push(8_000_000);
    cutOff.cutOff();
    await vi.waitFor(() => expect(cutOff.status()).toBe(400));
    const handled = open(receiver);
    await handled.push(8_000_000);
    await handled.push(delivery('webhook_test'));
    handled.end();
    await vi.waitFor(() => expect(handled.status()).toBe(200));
  }
  const reasons = new Set(rejections.map(({ reason }) => reason));
  expect([...reasons]).toEqual(['body_too_large', 'body_unreadable']);
});

test('a text that is passed to `handle` counts until it is verified, two bytes a character', async () => {
  const { receiver } = setUp({ verifySecret: never, deadline: 1_000 });
  const body = delivery('webhook_test', { message: 'x'.repeat(8_000_000) });
  const responses = Array.from({ length: 5 }, () => receiver.handle({ method: 'POST', body }));
  const statuses = (await Promise.all(responses)).map(({ status }) => status);
  expect(statuses).toEqual([503, 500, 500, 500, 500]);
});

test.each<[string, (receiver: WebhookReceiver, chunks: Iterable<Uint8Array>) => Promise<number>]>([
  [
    'node',
    async (receiver, chunks) => {
      const stream = Readable.from(chunks, { objectMode: false });
      const request = Object.assign(stream, { method: 'POST', headers: {} });
      const response = new ServerResponse(request as unknown as IncomingMessage);
      await receiver.node(request, response);
      return response.statusCode;
    },
  ],
  [
    'fetch',
    async (receiver, chunks) => {
      const init = { method: 'POST', body: streamOf(chunks), duplex: 'half' };
      return (await receiver.fetch(new Request('https://receiver.test', init as RequestInit))).status;
    },
  ],
])(
  '%s: a body in chunks of one byte costs the memory of its bytes, not of its chunks',
  async (_, deliver) => {
    const { receiver } = setUp();
    const held = heldPerByte(' '.repeat(30_000) + delivery('webhook_test'), async (chunks) => {
      expect(await deliver(receiver, chunks)).toBe(200);
    });
    expect(await held).toBeLessThan(20);
  },
);

test('at the deadline, a body that waits for its secret is dropped', async () => {
  const kept: Promise<boolean>[] = [];
  const candidates: string[] = [];
  const verifySecret = (candidate: string) => {
    // Like a database driver, which keeps its argument and the promise.
    candidates.push(candidate);
    const pending = new Promise<boolean>(() => undefined);
    kept.push(pending);
    return pending;
  };
  const receiver = createWebhookReceiver({ verifySecret, deadline: 50, logLevel: 'off' });
  const dropped: WeakRef<object>[] = [];
  const sendLarge = async () => {
    const bytes = Buffer.from(delivery('webhook_test', { message: 'x'.repeat(1_000_000) }));
    dropped.push(new WeakRef(bytes));
    expect((await receiver.handle({ method: 'POST', body: bytes })).status).toBe(500);
  };
  for (let index = 0; index < 3; index += 1) await sendLarge();
  await vi.waitFor(() => {
    collectGarbage();
    expect(dropped.filter((one) => one.deref() !== undefined)).toEqual([]);
  });
  expect([kept.length, candidates.length]).toEqual([3, 3]);
});

test('a Web stream as the body of `handle` is read within the limit', async () => {
  const { receiver } = setUp({ maxBodyBytes: 1_000 });
  const send = (text: string) => receiver.handle({ method: 'POST', body: new Response(text).body });
  expect((await send(delivery('webhook_test'))).status).toBe(200);
  expect((await send(delivery('webhook_test', { message: 'x'.repeat(1_000) }))).status).toBe(413);
});
