import { type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { collectGarbage, heldPerByte, leastGrowth, streamOf } from '../support/memory.js';
import { delivery, secret } from './deliveries.js';

type Deliver = (receiver: WebhookReceiver, chunks: Iterable<Uint8Array>) => Promise<number>;

const throughNode: Deliver = async (receiver, chunks) => {
  const request = Object.assign(Readable.from(chunks, { objectMode: false }), {
    method: 'POST',
    headers: {},
  });
  // Only these parts of a request are looked at.
  const response = new ServerResponse(request as unknown as IncomingMessage);
  await receiver.node(request, response);
  return response.statusCode;
};

const throughFetch: Deliver = async (receiver, chunks) => {
  const init = { method: 'POST', body: streamOf(chunks), duplex: 'half' };
  const { status } = await receiver.fetch(new Request('https://receiver.test', init as RequestInit));
  return status;
};

test.each([
  ['node', throughNode],
  ['fetch', throughFetch],
])(
  '%s: a body in chunks of one byte costs the memory of its bytes, not of its chunks',
  async (_, deliver) => {
    const receiver = createWebhookReceiver({ secret, logLevel: 'off' });
    const held = heldPerByte(' '.repeat(30_000) + delivery('webhook_test'), async (chunks) => {
      expect(await deliver(receiver, chunks)).toBe(200);
    });
    expect(await held).toBeLessThan(20);
  },
);

/** A request of one announced size, of which as much comes as is pushed. */
function requestOf(announced?: number) {
  const headers = announced === undefined ? {} : { 'content-length': String(announced) };
  return Object.assign(new Readable({ read: () => undefined }), { method: 'POST', headers });
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test.each([
  ['announced', 1_001, 0],
  ['not announced', undefined, 101],
  ['announced, and is read as text', 1_001, 0, 'latin1'],
] as const)(
  'of a body that is too large, and was %s, twice the limit passes unread; then the connection ends',
  async (_, announced, before, encoding?: BufferEncoding) => {
    const receiver = createWebhookReceiver({ secret, maxBodyBytes: 100, logLevel: 'off' });
    const request = requestOf(announced);
    if (encoding !== undefined) request.setEncoding(encoding);
    // Only these parts of a request are looked at.
    const response = new ServerResponse(request as unknown as IncomingMessage);
    if (before > 0) request.push(Buffer.alloc(before));
    await receiver.node(request, response);
    expect(response.statusCode).toBe(413);
    // An error without a listener would be thrown, and end the process.
    request.emit('error', new Error('aborted'));
    request.push(Buffer.alloc(150));
    request.push(Buffer.alloc(50));
    await turn();
    expect(request.destroyed).toBe(false);
    // One that reads, and one that counts what passes.
    expect(request.listenerCount('data')).toBeLessThanOrEqual(2);
    request.push(Buffer.alloc(1));
    await turn();
    expect(request.destroyed).toBe(true);
  },
);

test('a look-up that keeps what it was asked about keeps no body for it', async () => {
  const kept: string[] = [];
  const verifySecret = (presented: string) => kept.push(presented) === 0;
  const receiver = createWebhookReceiver({ verifySecret, logLevel: 'off' });
  const message = 'x'.repeat(3_000_000);
  const grown = await leastGrowth(async () => {
    for (let count = 0; count < 10; count += 1) {
      const workspaceSecret = `a-forged-secret-${kept.length}`;
      const body = delivery('webhook_test', { message, workspaceSecret });
      expect((await receiver.handle({ method: 'POST', body })).status).toBe(401);
    }
    await turn();
  });
  expect([kept.length, kept.at(-1)]).toEqual([30, 'a-forged-secret-29']);
  expect(grown).toBeLessThan(15_000_000);
});

test('of bodies that gave way while the secrets are loaded, nothing is kept', async () => {
  const receiver = createWebhookReceiver({
    secret: () => new Promise<string>(() => undefined),
    maxBodyBytes: 4_000_000,
    maxUnverifiedBytes: 4_000_000,
    logLevel: 'off',
  });
  const message = 'x'.repeat(3_000_000);
  let gaveWay = 0;
  const grown = await leastGrowth(async () => {
    for (let count = 0; count < 10; count += 1) {
      const body = delivery('webhook_test', { message, workspaceSecret: `a-forged-secret-${count}` });
      const request = new Request('https://example.com', { method: 'POST', body });
      void receiver.fetch(request).then(({ status }) => (gaveWay += Number(status === 503)));
      await turn();
    }
    await turn();
  });
  expect(gaveWay).toBe(29);
  expect(grown).toBeLessThan(15_000_000);
});

test('of a body that is refused nothing is kept, though its request goes on', async () => {
  const receiver = createWebhookReceiver({ secret, maxBodyBytes: 100, logLevel: 'off' });
  const request = requestOf();
  // As above.
  const response = new ServerResponse(request as unknown as IncomingMessage);
  const answered = receiver.node(request, response);
  const push = async (size: number) => {
    const chunk = new Uint8Array(size);
    request.push(chunk);
    await turn();
    return new WeakRef(chunk.buffer);
  };
  const first = await push(100);
  // A stream keeps its last chunk.
  await push(1);
  await push(1);
  await answered;
  expect([response.statusCode, request.destroyed]).toEqual([413, false]);
  await expect
    .poll(() => {
      collectGarbage();
      return first.deref();
    })
    .toBeUndefined();
});

test.each([
  [1_599, ['overloaded']],
  [1_600, []],
])(
  'over node:http too, a body counts by the room that is kept for it, of %d bytes',
  async (maxUnverifiedBytes, expected) => {
    const rejections: unknown[] = [];
    const receiver = createWebhookReceiver({
      secret,
      maxBodyBytes: 1_000,
      maxUnverifiedBytes,
      logLevel: 'off',
    }).onRejected(({ reason }) => rejections.push(reason));
    for (const chunks of [[600, 1], [600]]) {
      const request = requestOf(undefined);
      // As above.
      void receiver.node(request, new ServerResponse(request as unknown as IncomingMessage));
      for (const size of chunks) request.push(Buffer.alloc(size));
      for (let turns = 0; turns < 5; turns += 1) await turn();
    }
    expect(rejections).toEqual(expected);
  },
);
