import { inspect } from 'node:util';
import { WebhookError, type WebhookFailure } from 'agent-platform-sdk';
import { type BullMQInbox, type BullMQInboxOptions, InboxFullError } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, receiverWith, stored } from '../inbox/fixture.js';
import { type RedisProxy, startProxy } from '../redis/proxy.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { startRedis } from '../support/redis-server.js';
import { minimal, post } from '../webhooks/deliveries.js';
import { createInbox, port, redis, url } from './inbox-fixture.js';

const queue = 'bull:agent-platform-webhooks';

test('a delivery gets a 200 when it is a job, whose id is the key of the event', async () => {
  const receiver = receiverWith({ inbox: createInbox() });
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  const [id = ''] = await redis.lrange(`${queue}:wait`, 0, -1);
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  const job = await redis.hgetall(`${queue}:${id}`);
  expect(JSON.parse(job.data ?? '')).toMatchObject({ version: 1, key: id, type: 'lead_captured' });
});

test('without Redis, a delivery gets a 500, never a 200, and onError is called', async () => {
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1', storeTimeout: 200 });
  const failures: WebhookFailure[] = [];
  const receiver = receiverWith({ inbox }).onError((error, failure) => {
    expect(String(error)).toMatch(/WebhookError: The event could not be stored.*ECONNREFUSED/);
    failures.push(failure);
  });
  expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
  expect(failures.map(({ stage }) => stage)).toEqual(['inbox']);
});

/** Starts a Redis with a memory limit, and a client for it. */
async function startLimited(maxmemory: string) {
  const server = await startRedis(['--maxmemory', maxmemory]);
  const admin = new Redis(server.url);
  onTestFinished(async () => {
    admin.disconnect();
    await server.stop();
  });
  return { admin, connection: server.url };
}

test('an event waits for room in a full Redis', async () => {
  const { admin, connection } = await startLimited('1mb');
  const inbox = createInbox({ connection });
  let isStored = false;
  const storing = inbox.store(stored()).then(() => (isStored = true));
  await eventually(async () => expect((await inbox.health()).warnings.full).toBeDefined());
  expect(isStored).toBe(false);
  await admin.config('SET', 'maxmemory', '100mb');
  expect(await storing).toBe(true);
});

test('a Redis that stays full is an InboxFullError, which contains nothing of the event', async () => {
  const { connection } = await startLimited('1mb');
  const inbox = createInbox({ connection, storeTimeout: 5_000 });
  const error: unknown = await inbox
    .store(stored({ payload: { text: 'canary' } }))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InboxFullError);
  expect((error as Error).message).toMatch(/highWater is 85 %/);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
});

test('events that a frozen Redis does not store are counted until they have left the memory', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const inbox = createInbox({ connection: server.url, storeTimeout: 300 });
  await eventually(() => inbox.store(stored()));
  server.freeze();
  const text = 'x'.repeat(1024 * 1024);
  for (let round = 0; round < 3; round += 1) {
    const storing = Array.from({ length: 50 }, () => inbox.store(stored({ payload: { text } })));
    const results = await Promise.allSettled(storing);
    expect(results.map(({ status }) => status)).not.toContain('fulfilled');
  }
  server.thaw();
  // Redis gets what was sent to it in the meantime.
  const last = stored({ payload: { text } });
  await eventually(() => inbox.store(last));
  const { waiting } = await inbox.health();
  expect(waiting).toBeGreaterThan(1 + 50);
  // Those, and a few before and after that.
  expect(waiting).toBeLessThanOrEqual(64 + 10);
});

test('errors, logs and an inspected inbox contain no password', async () => {
  const server = await startRedis(['--requirepass', 'the-right-one']);
  onTestFinished(() => server.stop());
  const lines: string[] = [];
  const take = (line: string) => void lines.push(line);
  const logger = { error: take, warn: take, info: take, debug: take };
  const connection = `redis://:canary-password@127.0.0.1:${server.port}`;
  const inbox = createInbox({ connection, storeTimeout: 500, logger });
  const worker = inbox.work({});
  const error: unknown = await inbox.store(stored()).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WebhookError);
  const everything = [error, lines, await inbox.health()];
  expect(inspect(everything, { depth: 10, showHidden: true })).not.toContain('canary');
  expect(JSON.stringify([inbox, worker.close])).not.toContain('canary');
});

test('a client that is passed in is used, stays open, and keeps no listener of the inbox', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  await leavesNothing(async () => {
    const inbox = createInbox({ connection: client });
    const worker = inbox.work({});
    await Promise.all([inbox.store(stored()), inbox.store(stored())]);
    await inbox.health();
    await worker.close();
    await inbox.close();
  }, client);
  expect(await client.ping()).toBe('PONG');
});

test("BullMQ's telemetry has spans for storing and processing in one trace, without a payload", async () => {
  const spans: string[] = [];
  const shown: unknown[] = [];
  const continued: unknown[] = [];
  const startSpan = (name: string) => {
    spans.push(name);
    const note = (...about: readonly unknown[]) => void shown.push(about);
    return {
      setSpanOnContext: (context: unknown) => context,
      setAttribute: note,
      setAttributes: note,
      addEvent: note,
      recordException: note,
      end: () => undefined,
    };
  };
  const telemetry = {
    tracer: { startSpan },
    contextManager: {
      with: <Returned>(_: unknown, work: () => Returned) => work(),
      active: () => ({}),
      getMetadata: () => 'the-trace',
      fromMetadata: (_: unknown, metadata: string) => continued.push(metadata),
    },
  } as unknown as BullMQInboxOptions['telemetry'];
  const inbox = createInbox({ telemetry });
  const handled = new Promise((resolve) => inbox.work({ lead_captured: resolve }));
  await inbox.store(stored({ payload: { ...minimal.lead_captured, leadName: 'canary' } }));
  await handled;
  await inbox.close();
  expect(spans.map((name) => name.split(' ')[0])).toEqual(expect.arrayContaining(['add', 'process']));
  expect(continued).toContain('the-trace');
  expect(inspect(shown, { depth: 10 })).not.toContain('canary');
});

test("the inbox hands out BullMQ's queue, before and after an event is stored", async () => {
  const inbox = createInbox({ queueName: 'crm' });
  // BullMQ 5 counts those of a paused queue with them.
  expect(await inbox.queue.getJobCounts('waiting')).toMatchObject({ waiting: 0 });
  await inbox.store(stored());
  expect(inbox.queue.name).toBe('crm');
  expect(await inbox.queue.getJobCounts('waiting')).toMatchObject({ waiting: 1 });
});

/** Starts to store an event, whose job is in Redis while the response is held. */
async function storeWithoutResponse(inbox: BullMQInbox, proxy: RedisProxy) {
  const webhook = stored();
  proxy.holdFrom(webhook.key);
  const storing = inbox.store(webhook);
  await eventually(async () => expect(await redis.exists(`${queue}:${webhook.key}`)).toBe(1));
  // In an object, or the promise would be awaited here.
  return { storing };
}

test('closing ends although Redis does not respond, or was never there', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: { host: '127.0.0.1', port: proxy.port, socketTimeout: 600_000 } });
  await inbox.store(stored());
  proxy.hold();
  const other = createInbox({ connection: 'redis://127.0.0.1:1', storeTimeout: 100 });
  await expect(other.store(stored())).rejects.toThrow(WebhookError);
  await expect(Promise.all([inbox.close(), other.close()])).resolves.toHaveLength(2);
});

test('closing rejects what waits in a client that was passed in', async () => {
  const proxy = await startProxy(port);
  const client = new Redis({ host: '127.0.0.1', port: proxy.port, maxRetriesPerRequest: null });
  onTestFinished(() => client.disconnect());
  const inbox = createInbox({ connection: client });
  await inbox.store(stored());
  proxy.hold();
  const waiting = [inbox.store(stored()), inbox.deadLetters.list()];
  await inbox.close();
  for (const one of waiting) await expect(one).rejects.toThrow('The inbox is closed.');
});

test.each([
  ['ioredis', {}],
  ['the inbox', { maxRetriesPerRequest: 0 }],
])(
  'an event whose connection was cut before Redis responded, repeated by %s, is stored once',
  async (_, options) => {
    const proxy = await startProxy(port);
    const inbox = createInbox({ connection: { host: '127.0.0.1', port: proxy.port, ...options } });
    await inbox.store(stored());
    const { storing } = await storeWithoutResponse(inbox, proxy);
    proxy.cut();
    proxy.release();
    await storing;
    expect((await inbox.health()).waiting).toBe(2);
  },
);

test('an event for which Redis did not return in time is not stored afterwards', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: proxy.url, storeTimeout: 500 });
  const first = stored();
  await eventually(() => inbox.store(first));
  proxy.lead(1);
  proxy.cut();
  await eventually(async () => expect((await inbox.health()).ready).toBe(false));
  await expect(inbox.store(stored())).rejects.toThrow(WebhookError);
  proxy.lead(port);
  const other = stored();
  await eventually(() => inbox.store(other));
  expect((await inbox.health()).waiting).toBe(2);
});

test('closing before the first connection rejects the events that wait, and adds no listener for each', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1' });
  const storing = Array.from({ length: 50 }, () => inbox.store(stored()));
  const settled = Promise.allSettled(storing);
  await inbox.close();
  for (const result of await settled)
    expect(result).toMatchObject({ reason: { message: expect.stringContaining('closed') } });
  expect(warnings).toEqual([]);
});

test('a Redis without CLIENT LIST has an unknown number of workers', async () => {
  const server = await startRedis(['--rename-command', 'CLIENT', '']);
  onTestFinished(() => server.stop());
  const inbox = createInbox({ connection: server.url });
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 0, workers: undefined });
  await inbox.close();
});
