import { inspect } from 'node:util';
import { WebhookError, type WebhookFailure } from 'agent-platform-sdk';
import { type BullMQInboxOptions, InboxFullError } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startWay } from '../redis/lagging.js';
import { startRedis } from '../support/redis-server.js';
import { delivery, minimal, post, secret } from '../webhooks/deliveries.js';
import {
  createInbox,
  eventually,
  everythingInRedis,
  processing,
  receiverWith,
  redis,
  stored,
  url,
} from './inbox-fixture.js';

const queue = 'bull:agent-platform-webhooks';

test('a delivery gets a 200 when it is a job, whose id is the key of the event', async () => {
  const receiver = receiverWith({ inbox: createInbox() });
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  const [id = ''] = await redis.lrange(`${queue}:wait`, 0, -1);
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  const job = await redis.hgetall(`${queue}:${id}`);
  expect(JSON.parse(job.data ?? '')).toMatchObject({ version: 1, key: id, type: 'lead_captured' });
});

test('the secret is nowhere in Redis', async () => {
  const receiver = receiverWith({ secret: { acme: secret }, inbox: createInbox() });
  await receiver.handle(post('conversation_updated'));
  const everything = await everythingInRedis();
  expect(everything).toContain('acme');
  expect(everything).not.toContain(secret);
});

test('a duplicate makes no second job, at whichever receiver it comes', async () => {
  const receivers = [1, 2, 3].map(() => receiverWith({ inbox: createInbox() }));
  const answers = await Promise.all(
    [...receivers, ...receivers, ...receivers].map((receiver) => receiver.handle(post('lead_captured'))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await redis.llen(`${queue}:wait`)).toBe(1);
});

test('a duplicate of a handled event makes no job for as long as the retention', async () => {
  const inbox = createInbox({ retention: 60_000.5 });
  const webhook = stored();
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) });
  await inbox.store(webhook);
  await eventually(async () => expect([runs, (await inbox.health()).depth]).toEqual([1, 0]));
  await inbox.store({ ...webhook, deliveryId: 'another' });
  expect((await inbox.health()).depth).toBe(0);
  expect(await redis.pttl(`${queue}:de:${webhook.key}`)).toBeGreaterThan(50_000);
});

test('after the retention, a duplicate is an event of its own', async () => {
  const inbox = createInbox({ retention: 50 });
  const webhook = stored();
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) });
  await inbox.store(webhook);
  await eventually(async () => {
    await inbox.store(webhook);
    expect(runs).toBe(2);
  });
});

test('a duplicate of an event that still waits makes no job, however old it is', async () => {
  const inbox = createInbox({ retention: 1 });
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(async () => expect(await redis.exists(`${queue}:de:${webhook.key}`)).toBe(0));
  await inbox.store(webhook);
  expect(await redis.llen(`${queue}:wait`)).toBe(1);
});

test('nothing of a handled event stays but its key', async () => {
  const inbox = createInbox();
  const webhook = stored({ payload: { leadName: 'canary' } });
  inbox.work(processing(async () => undefined));
  await inbox.store(webhook);
  await eventually(async () => expect(await redis.exists(`${queue}:${webhook.key}`)).toBe(0));
  expect(await everythingInRedis()).not.toContain('canary');
});

test('a payload of 15 MB is stored and handed over whole', async () => {
  const inbox = createInbox();
  const receiver = receiverWith({ inbox, maxBodyBytes: 16 * 1024 * 1024 });
  const turns = Array.from({ length: 15 }, () => ({ text: '☎'.repeat(349_000) }));
  const body = delivery('conversation_updated', { turns });
  const handled = new Promise((resolve) => {
    inbox.work({ conversation_updated: ({ payload }) => resolve(payload.turns) });
  });
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  expect(await handled).toEqual(turns);
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

test('an event waits for a Redis that restarts', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const inbox = createInbox({ connection: server.url });
  await inbox.store(stored());
  const restarted = server.crash(500);
  await Promise.all([inbox.store(stored()), inbox.store(stored()), restarted]);
  expect((await inbox.health()).waiting).toBe(2);
});

/** A Redis with a limit of memory, and a client of it. */
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

test('a Redis that stays full refuses by name, and the error holds nothing of the event', async () => {
  const { connection } = await startLimited('1mb');
  const inbox = createInbox({ connection, storeTimeout: 300 });
  const error: unknown = await inbox
    .store(stored({ payload: { text: 'canary' } }))
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InboxFullError);
  expect((error as Error).message).toMatch(/highWater is 85 %/);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
});

test.each([
  ['for room', () => startLimited('1mb')],
  ['for Redis', async () => ({ connection: 'redis://127.0.0.1:1' })],
])(
  'no more than 64 MiB of events wait %s: the next one is refused at once',
  async (_, start) => {
    const { connection } = await start();
    const inbox = createInbox({ connection, storeTimeout: 5_000 });
    const big = () => stored({ payload: { text: 'x'.repeat(20 * 1024 * 1024) } });
    const waiting = [big(), big(), big()].map((webhook) => inbox.store(webhook).catch(() => 'refused late'));
    const fourth = inbox.store(big()).catch(() => 'refused at once');
    expect(await Promise.race([fourth, ...waiting])).toBe('refused at once');
    await inbox.close();
    await Promise.all(waiting);
  },
  60_000,
);

test('no password shows in errors, logs or when the inbox is inspected', async () => {
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

test('a client that is passed in is used, and stays open', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  const inbox = createInbox({ connection: client });
  const worker = inbox.work({});
  await Promise.all([inbox.store(stored()), inbox.store(stored())]);
  const before = client.listenerCount('error');
  await worker.close();
  await inbox.close();
  expect(await client.ping()).toBe('PONG');
  expect(client.listenerCount('error')).toBeLessThan(before);
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
  expect(await inbox.queue.getJobCounts('waiting')).toEqual({ waiting: 0 });
  await inbox.store(stored());
  expect(inbox.queue.name).toBe('crm');
  expect(await inbox.queue.getJobCounts('waiting')).toEqual({ waiting: 1 });
});

const wayToRedis = () => startWay(Number(new URL(url).port));

test('closing lets an event that is being stored be stored', async () => {
  const way = await wayToRedis();
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}` });
  await inbox.store(stored());
  way.hold();
  const storing = inbox.store(stored());
  await eventually(async () => expect(await redis.llen(`${queue}:wait`)).toBe(2));
  const closed = inbox.close();
  way.release();
  await closed;
  await expect(storing).resolves.toBeUndefined();
});

test('closing ends though Redis does not answer, or was never there', async () => {
  const way = await wayToRedis();
  const inbox = createInbox({ connection: { host: '127.0.0.1', port: way.port, socketTimeout: 600_000 } });
  await inbox.store(stored());
  way.hold();
  const other = createInbox({ connection: 'redis://127.0.0.1:1', storeTimeout: 100 });
  await expect(other.store(stored())).rejects.toThrow(WebhookError);
  await expect(Promise.all([inbox.close(), other.close()])).resolves.toHaveLength(2);
});

test('after close, nothing is stored and nothing works', async () => {
  const inbox = createInbox();
  await inbox.close();
  await expect(inbox.store(stored())).rejects.toThrow(/closed/);
  expect(() => inbox.work({})).toThrow(/closed/);
});

test.each([
  ['ioredis', {}],
  ['the inbox', { maxRetriesPerRequest: 0 }],
])(
  'an event whose connection was cut before Redis answered, repeated by %s, is stored once',
  async (_, options) => {
    const way = await wayToRedis();
    const inbox = createInbox({ connection: { host: '127.0.0.1', port: way.port, ...options } });
    await inbox.store(stored());
    way.hold();
    const storing = inbox.store(stored());
    await eventually(async () => expect(await redis.llen(`${queue}:wait`)).toBe(2));
    way.cut();
    way.release();
    await storing;
    expect((await inbox.health()).waiting).toBe(2);
  },
);

test.each(['Connection is closed.', 'Command timed out'])(
  'a connection that is cut while the queue is opened costs no event: %s',
  async (cut) => {
    const client = new Redis(url);
    onTestFinished(() => client.disconnect());
    await client.ping();
    const info = client.info.bind(client) as () => Promise<string>;
    let asked = 0;
    client.info = async () => {
      asked += 1;
      if (asked === 1) throw new Error(cut);
      return info();
    };
    await expect(createInbox({ connection: client }).store(stored())).resolves.toBeUndefined();
  },
);

test('an event that Redis was not there for in time is not stored when it is back', async () => {
  const way = await wayToRedis();
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}`, storeTimeout: 500 });
  await inbox.store(stored());
  way.lead(1);
  way.cut();
  await eventually(async () => expect((await inbox.health()).ready).toBe(false));
  await expect(inbox.store(stored())).rejects.toThrow(WebhookError);
  way.lead(Number(new URL(url).port));
  const other = stored();
  await eventually(() => inbox.store(other));
  expect((await inbox.health()).waiting).toBe(2);
});
