import { Readable } from 'node:stream';
import type { WebhookReceiver, WebhookReceiverOptions, WebhookSecretOptions } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { bytesInUse, collectGarbage, heldPerByte } from '../support/memory.js';
import { delivery, secret, settle } from './deliveries.js';
import { failing, fakeTime, handling, inMemory, never, pass, requestOf } from './receivers.js';

// The memory that bodies of strangers take. All share an eighth of what they may take.

const MEBIBYTE = 1_048_576;

vi.mock(import('../../src/webhooks/body/reading.js'), async (load) => {
  const reading = await load();
  class BodyBudget extends reading.BodyBudget {
    constructor(maxBodyBytes: number, least = 8 * 1_048_576) {
      super(maxBodyBytes, least);
    }
  }
  return { ...reading, BodyBudget };
});
type Reading = typeof import('../../src/webhooks/body/reading.js');
const { BodyBudget } = await vi.importActual<Reading>('../../src/webhooks/body/reading.js');

const setUp = (options: WebhookReceiverOptions = {}) =>
  handling({ dedupe: false, logLevel: 'off', maxBodyBytes: MEBIBYTE, ...options });

const doors = {
  async node(receiver: WebhookReceiver, body: Readable) {
    const { request, response } = inMemory(body);
    await receiver.node(request, response);
    return response.statusCode;
  },
  // Node has its own type for the same class.
  fetch: async (receiver: WebhookReceiver, body: Readable) =>
    (await receiver.fetch(requestOf(Readable.toWeb(body) as ReadableStream))).status,
};

/** A body that arrives as it is pushed. */
function openBody(receiver: WebhookReceiver, deliver = doors.node) {
  const body = new Readable({ read: () => undefined });
  let status: number | undefined;
  void deliver(receiver, body).then((responded) => {
    status = responded;
  });
  return {
    async push(given: number | string | Uint8Array) {
      body.push(typeof given === 'number' ? Buffer.alloc(given, ' ') : given);
      await settle();
    },
    end: () => void body.push(null),
    cutOff: () => void body.destroy(new Error('reset')),
    status: () => status,
  };
}

const eachDoor = test.each(Object.entries(doors));

test.each<[maxBodyBytes: number, limit: number]>([
  [8 * MEBIBYTE, 64 * MEBIBYTE],
  [40 * MEBIBYTE, 80 * MEBIBYTE],
])(
  'with bodies of %i bytes, all may take %i; each counts 4 KiB, and the oldest goes',
  (maxBodyBytes, limit) => {
    const budget = new BodyBudget(maxBodyBytes);
    const stopped: string[] = [];
    const body = (name: string) => ({
      limit: 1,
      stop: (reason: string) => void stopped.push(`${name} ${reason}`),
    });
    const [first, second, third] = [body('first'), body('second'), body('third')];
    budget.hold(first, 1);
    budget.hold(second, limit - 8_192 - 1);
    budget.hold(second, limit - 8_192);
    budget.hold(third, 4_096);
    expect(stopped).toEqual([]);
    budget.hold(third, 4_097);
    expect(stopped).toEqual(['first overloaded']);
    budget.release(second);
    budget.hold(third, limit);
    expect(stopped).toHaveLength(1);
  },
);

eachDoor(
  '%s: bodies being read share a limit; above it, the oldest is ended with 503',
  async (_, deliver) => {
    const { receiver, rejections } = setUp();
    const [first, second, ...others] = Array.from({ length: 8 }, () => openBody(receiver, deliver));
    const last = openBody(receiver, deliver);
    for (const body of [first, second, ...others]) await body?.push(1_000_000);
    await last.push(8 * MEBIBYTE - 8_000_000);
    expect(first?.status()).toBeUndefined();
    await last.push(1);
    await vi.waitFor(() => expect(first?.status()).toBe(503));
    expect(rejections).toMatchObject([{ reason: 'overloaded', status: 503, size: 1_000_000 }]);
    await last.push(delivery('webhook_test'));
    last.end();
    await vi.waitFor(() => expect(last.status()).toBe(200));
    // What was read or ended takes no room.
    await openBody(receiver, deliver).push(1_000_000);
    for (const body of [second, ...others]) expect(body?.status()).toBeUndefined();
  },
);

test('the oldest may end itself, if its text takes more than its bytes', async () => {
  const { receiver, rejections, events, failures } = setUp();
  const oldest = openBody(receiver);
  await oldest.push(delivery('webhook_test', { message: 'é'.padEnd(900_000) }));
  for (let count = 0; count < 7; count += 1) await openBody(receiver).push(1_000_000);
  oldest.end();
  await vi.waitFor(() => expect(oldest.status()).toBe(503));
  expect([rejections, events, failures]).toMatchObject([[{ reason: 'overloaded' }], [], []]);
});

/** Like a database driver that hangs, and keeps its argument and the promise. */
const driver = () => {
  const kept: unknown[] = [];
  return (candidate: string) => {
    const answer = candidate === secret || never();
    kept.push(candidate, answer);
    return answer;
  };
};

test.each<[door: keyof typeof doors, source: string, status: number, options: WebhookSecretOptions]>([
  ['node', 'a loader that hangs', 500, { secret: never }],
  ['fetch', 'a loader that fails', 500, { secret: failing }],
  ['node', 'a loader that knows another secret', 401, { secret: async () => secret }],
  ['node', 'a `verifySecret` that hangs', 500, { verifySecret: driver() }],
  ['fetch', 'a `verifySecret` that hangs', 500, { verifySecret: driver() }],
])('%s: with %s, unverified bodies keep to the limit', async (door, _source, status, options) => {
  fakeTime();
  const { receiver, rejections, send } = setUp(options);
  if (status === 401) await send(delivery('webhook_test'));
  await pass(1_000);
  const forged = { workspaceSecret: 'forged', message: '' };
  // Eight take all.
  const message = 'x'.repeat(MEBIBYTE - delivery('webhook_test', forged).length);
  const large = Buffer.from(delivery('webhook_test', { ...forged, message }));
  const before = bytesInUse();
  const bodies: ReturnType<typeof openBody>[] = [];
  for (let count = 0; count < 12; count += 1) {
    const body = openBody(receiver, doors[door]);
    await body.push(large);
    body.end();
    await settle();
    bodies.push(body);
  }
  // Twice: the sweep that begins with one collection ends with the next at the latest.
  collectGarbage();
  await settle();
  expect(bytesInUse() - before).toBeLessThan(9.5 * MEBIBYTE);
  expect(bodies.map((body) => body.status())).toEqual([...Array(4).fill(503), ...Array(8).fill(undefined)]);
  expect(rejections).toMatchObject(Array(4).fill({ reason: 'overloaded', size: MEBIBYTE }));
  // An authentic one is handled.
  if (status === 401 || options.verifySecret !== undefined) {
    expect(await send(delivery('webhook_test'))).toEqual([200]);
  }
  await pass(55_000);
  await settle();
  expect(bodies.slice(-7).map((body) => body.status())).toEqual(Array(7).fill(status));
  expect(bytesInUse() - before).toBeLessThan(1.5 * MEBIBYTE);
});

eachDoor('%s: a body that is too large, cut off or handled makes room again', async (_, deliver) => {
  const { receiver, rejections } = setUp();
  for (let round = 0; round < 5; round += 1) {
    const [large, cutOff, handled] = [
      openBody(receiver, deliver),
      openBody(receiver, deliver),
      openBody(receiver, deliver),
    ];
    for (const body of [large, cutOff, handled]) await body.push(1_000_000);
    await large.push(100_000);
    cutOff.cutOff();
    await handled.push(delivery('webhook_test'));
    handled.end();
    await vi.waitFor(() =>
      expect([large, cutOff, handled].map((body) => body.status())).toEqual([413, 400, 200]),
    );
  }
  expect(new Set(rejections.map(({ reason }) => reason))).toEqual(
    new Set(['body_too_large', 'body_unreadable']),
  );
});

test('a body in chunks of one byte costs the memory of its bytes, not of its chunks', async () => {
  const { receiver } = setUp();
  const held = heldPerByte(' '.repeat(30_000) + delivery('webhook_test'), async (chunks) => {
    expect(await doors.node(receiver, Readable.from(chunks, { objectMode: false }))).toBe(200);
  });
  expect(await held).toBeLessThan(20);
});

test('a request that was refused does not stay in memory', async () => {
  const { receiver } = setUp();
  const refuse = async () => {
    const { request, response } = inMemory([Buffer.alloc(MEBIBYTE), Buffer.alloc(1)]);
    await receiver.node(request, response);
    expect(response.statusCode).toBe(413);
    return new WeakRef(request);
  };
  const refused = await refuse();
  await vi.waitFor(() => {
    collectGarbage();
    expect(typeof refused.deref()).toBe('undefined');
  });
});
