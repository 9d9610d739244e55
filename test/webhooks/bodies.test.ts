import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createWebhookReceiver, type WebhookReceiver, type WebhookRejection } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { collectGarbage, heldPerByte, streamOf } from '../support/memory.js';
import { delivery, secret, settle } from './deliveries.js';

// The memory that bodies of strangers take.

const MEBIBYTE = 1_048_576;

function setUp(limits: { maxBodyBytes?: number } = {}) {
  const rejections: WebhookRejection[] = [];
  const receiver = createWebhookReceiver({ secret, dedupe: false, logLevel: 'off', ...limits })
    .onAny(() => undefined)
    .onRejected((rejection) => rejections.push(rejection));
  return { receiver, rejections };
}

/** A body that arrives as it is pushed. */
interface OpenBody {
  readonly push: (bytes: number | string) => Promise<void>;
  readonly end: () => void;
  readonly cutOff: () => void;
  readonly status: () => number | undefined;
}

const bytesOf = (given: number | string) =>
  typeof given === 'string' ? Buffer.from(given) : Buffer.alloc(given, ' ');

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

test.each(doors)('%s: if one body may be larger than 64 MiB, all share that much', async (_, open) => {
  const { receiver } = setUp({ maxBodyBytes: 80 * MEBIBYTE });
  const [first, second] = [open(receiver), open(receiver)];
  await first.push(70 * MEBIBYTE);
  await second.push(10 * MEBIBYTE);
  expect(first.status()).toBeUndefined();
  await second.push(1);
  await vi.waitFor(() => expect(first.status()).toBe(503));
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
