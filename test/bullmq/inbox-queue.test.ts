import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import {
  createWebhookReceiver,
  type DeliveryHookContext,
  type StoredWebhook,
  WebhookError,
  type WebhookFailure,
} from 'agent-platform-sdk';
import type { BullMQInboxOptions } from 'agent-platform-sdk/bullmq';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeReplica } from '../redis/failover.js';
import { startWay } from '../redis/lagging.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { delivery, envelope, minimal, post, secret } from '../webhooks/deliveries.js';
import {
  createInbox,
  eventually,
  everythingInRedis,
  notes,
  receiverWith,
  redis,
  stored,
  url,
} from './inbox-fixture.js';

const queue = 'bull:agent-platform-webhooks';

test('a delivery is answered 200 when it is a job, whose id is the key of the event, with its envelope', async () => {
  const receiver = receiverWith({ inbox: createInbox() });
  const body = { ...envelope('lead_captured'), version: 2 };
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  const [id = ''] = await redis.lrange(`${queue}:wait`, 0, -1);
  expect(id).toMatch(/^[0-9a-f]{64}$/);
  const job = await redis.hgetall(`${queue}:${id}`);
  expect(JSON.parse(job.data ?? '')).toMatchObject({
    key: id,
    type: 'lead_captured',
    envelope: { version: 2 },
  });
});

test('the secret is nowhere in Redis', async () => {
  const inbox = createInbox();
  const receiver = receiverWith({ secret: { acme: secret }, inbox });
  await receiver.handle(post('conversation_updated'));
  await inbox.store(stored({ payload: { workspaceSecret: secret }, envelope: { workspaceSecret: secret } }));
  const everything = await everythingInRedis();
  expect(everything).toContain('acme');
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain('workspaceSecret');
});

test('a copy makes no second job, at whichever receiver it comes', async () => {
  const receivers = [1, 2, 3].map(() => receiverWith({ inbox: createInbox() }));
  const answers = await Promise.all(
    [...receivers, ...receivers, ...receivers].map((receiver) => receiver.handle(post('lead_captured'))),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(await redis.llen(`${queue}:wait`)).toBe(1);
});

test.each([
  ['of an event that waits', false, 0],
  ['of an event that was handled', true, 0],
  ['that comes at the same time', false, 2],
])('onStored and onDelivery tell a copy %s', async (_, isHandled, others) => {
  const { hooks, runs } = notes();
  const inbox = createInbox({ hooks });
  const told: DeliveryHookContext[] = [];
  const onDelivery = (delivery: DeliveryHookContext) => told.push(delivery);
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ secret, inbox, logger, hooks: { onDelivery } });
  receiver.on('lead_captured', () => undefined);
  const deliver = (count: number) =>
    Promise.all(Array.from({ length: count }, () => receiver.handle(post('lead_captured'))));
  await deliver(1 + others);
  if (isHandled) {
    inbox.work(receiver);
    await eventually(async () => expect((await inbox.health()).depth).toBe(0));
  }
  await deliver(1);
  const stored = runs.flatMap((run) => ('duplicate' in run ? run.duplicate : []));
  expect(stored.filter((isKnown) => isKnown)).toHaveLength(others + 1);
  expect(stored).toHaveLength(others + 2);
  expect(told.map(({ duplicate }) => duplicate)).toEqual(stored);
  expect(new Set(told.map(({ outcome }) => outcome))).toEqual(new Set(['stored']));
});

test('of copies that come at once, the second is told as new where the first could not be stored', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const add = vi.spyOn(Queue.prototype, 'add').mockRejectedValueOnce(new Error('ERR no'));
  onTestFinished(() => add.mockRestore());
  const webhook = stored();
  const copies = [1, 2, 3].map(() => inbox.store(webhook, { tellDuplicate: true }).catch(String));
  expect(await Promise.all(copies)).toEqual([
    expect.stringContaining('ERR no'),
    { duplicate: false },
    { duplicate: true },
  ]);
});

test('a copy costs Redis a question where somebody wants to know, and none elsewhere', async () => {
  const asked: string[] = [];
  const monitor = await redis.monitor();
  monitor.on('monitor', (_: string, [command = '']: string[], source: string) => {
    if (source !== 'lua') asked.push(command.toLowerCase());
  });
  // A hook that is told of no copies.
  const inbox = createInbox({ hooks: { onHandled: () => undefined } });
  expect(await inbox.store(stored())).toEqual({});
  expect(await inbox.store(stored(), { tellDuplicate: true })).toEqual({ duplicate: false });
  await eventually(() => expect(asked.filter((command) => command === 'exists')).toHaveLength(1));
  monitor.disconnect();
});

test('a copy of a handled event makes no job, for as long as the retention', async () => {
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

test('after the retention, a copy is an event of its own', async () => {
  const inbox = createInbox({ retention: 50 });
  const webhook = stored();
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) });
  await inbox.store(webhook);
  await eventually(() => expect(runs).toBe(1));
  await eventually(async () => {
    await inbox.store(webhook);
    expect(runs).toBe(2);
  });
});

test('a copy of an event that still waits makes no job, however old it is', async () => {
  const inbox = createInbox({ retention: 1 });
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(async () => expect(await redis.exists(`${queue}:de:${webhook.key}`)).toBe(0));
  expect(await inbox.store(webhook, { tellDuplicate: true })).toEqual({ duplicate: true });
  expect(await redis.llen(`${queue}:wait`)).toBe(1);
});

test('nothing of a handled event stays but its key', async () => {
  const inbox = createInbox();
  const webhook = stored({ payload: { leadName: 'canary' } });
  inbox.work({ process: async () => undefined });
  await inbox.store(webhook);
  await eventually(async () => expect(await redis.exists(`${queue}:${webhook.key}`)).toBe(0));
  expect(await everythingInRedis()).not.toContain('canary');
});

test.each([1, 15])(
  'a payload of %d MB is stored and handed over whole',
  { timeout: 30_000 },
  async (size) => {
    const inbox = createInbox();
    const maxBodyBytes = 16 * 1024 * 1024;
    const receiver = receiverWith({ inbox, maxBodyBytes });
    const turns = Array.from({ length: size }, () => ({ text: '☎'.repeat(349_000) }));
    const body = delivery('conversation_updated', { turns });
    const handled = new Promise((resolve) => {
      receiver.on('conversation_updated', ({ payload }) => resolve(payload.turns));
    });
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
    inbox.work(receiver);
    expect(await handled).toEqual(turns);
  },
);

test('events of one millisecond are numbered, also one that is stored behind a later one', async () => {
  const inbox = createInbox();
  // One that was numbered before, by another inbox, keeps its number.
  const numbered = stored({ receivedAt: 2, sequence: 70 });
  const webhooks = [...[1, 2, 1, 2].map((receivedAt) => stored({ receivedAt })), numbered];
  for (const webhook of webhooks) await inbox.store(webhook);
  const data = await Promise.all(webhooks.map(({ key }) => redis.hget(`${queue}:${key}`, 'data')));
  const places = data.map((text) => {
    const { receivedAt, sequence = 0 } = JSON.parse(text ?? '') as StoredWebhook;
    return `${receivedAt} ${sequence}`;
  });
  expect(new Set(places).size).toBe(5);
  expect(places.at(-1)).toBe('2 70');
  const first = stored({ receivedAt: 2, sequence: 0 });
  await inbox.store(first);
  expect(JSON.parse((await redis.hget(`${queue}:${first.key}`, 'data')) ?? '')).toMatchObject({
    sequence: 0,
  });
});

test('events that are stored at once reach Redis in a few steps', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const reads = async () => Number(/total_reads_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
  const before = await reads();
  await Promise.all(Array.from({ length: 200 }, () => inbox.store(stored())));
  expect((await reads()) - before).toBeLessThan(60);
  expect((await inbox.health()).waiting).toBe(201);
});

test('of many that are stored in one turn of the event loop, the first are sent while the next are made', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  const inbox = createInbox({ connection: client });
  await inbox.store(stored());
  const sent = vi.spyOn(client.stream, 'uncork');
  const storing: Promise<unknown>[] = [];
  for (let count = 0; count < 100; count += 1) {
    storing.push(inbox.store(stored()));
    // So that each is written before the next one comes, and nothing else happens meanwhile.
    for (let hop = 0; hop < 100; hop += 1) await Promise.resolve();
  }
  const pieces = sent.mock.calls.length;
  await Promise.all(storing);
  // Each is about 1 kB, and a piece 12.
  expect(pieces).toBeGreaterThan(4);
  expect(pieces).toBeLessThan(20);
});

test('a field named __proto__ arrives as it was sent', async () => {
  const inbox = createInbox();
  const receiver = receiverWith({ inbox });
  const body = delivery('form_submitted').replace('{"colour"', '{"__proto__":{"a":1},"colour"');
  const handled = new Promise((resolve) => {
    receiver.on('form_submitted', ({ payload }) => resolve(JSON.stringify(payload.formData)));
  });
  await receiver.handle({ method: 'POST', body });
  inbox.work(receiver);
  expect(await handled).toBe('{"__proto__":{"a":1},"colour":"blue"}');
});

test('without Redis, a delivery is answered 500 and told to onError, never 200', async () => {
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1', storeTimeout: 200 });
  const failures: WebhookFailure[] = [];
  const receiver = receiverWith({ inbox });
  receiver.onError((error, failure) => {
    expect(error).toBeInstanceOf(WebhookError);
    failures.push(failure);
  });
  expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
  expect(failures.map(({ stage }) => stage)).toEqual(['inbox']);
});

test('a Redis that is full refuses, and the error holds nothing of the event', async () => {
  const server = await startRedis(['--maxmemory', '1mb']);
  try {
    const inbox = createInbox({ connection: server.url, highWater: 1 });
    const webhook = stored({ payload: { text: 'canary'.repeat(500_000) } });
    const error: unknown = await inbox.store(webhook).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(WebhookError);
    expect((error as Error).message).toMatch(/highWater is 100 %/);
    expect(inspect(error, { depth: 10, showHidden: true, maxStringLength: null })).not.toContain('canary');
    await expect(inbox.store(stored(), { tellDuplicate: true })).rejects.toThrow(/highWater is 100 %/);
  } finally {
    await server.stop();
  }
});

test('a Redis that comes back in time gets the event', async () => {
  const server = await startRedis();
  try {
    const inbox = createInbox({ connection: server.url });
    await inbox.store(stored());
    const restarted = server.crash(500);
    const answers = await Promise.all([inbox.store(stored()), inbox.store(stored()), restarted]);
    expect(answers).toHaveLength(3);
    expect((await inbox.health()).waiting).toBe(2);
  } finally {
    await server.stop();
  }
});

test('no password shows in errors, logs, hooks or when the inbox is inspected', async () => {
  const server = await startRedis(['--requirepass', 'the-right-one']);
  const logger = new RecordingLogger();
  const told: unknown[] = [];
  try {
    const connection = `redis://:canary-password@127.0.0.1:${server.port}`;
    const hooks = { onRedisError: (error: Error) => told.push(error) };
    const inbox = createInbox({ connection, storeTimeout: 500, logger, hooks });
    inbox.work({});
    const error: unknown = await inbox.store(stored()).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(WebhookError);
    await eventually(() => expect(told.length).toBeGreaterThan(1));
    const everything = [error, told, logger.lines, inbox, inbox.work({}), await inbox.health()];
    const shown = inspect(everything, { depth: 10, showHidden: true }) + JSON.stringify(everything);
    expect(shown).not.toContain('canary');
  } finally {
    await server.stop();
  }
});

test('a client that is passed in is used, and stays open', async () => {
  const client = new Redis(url);
  const listeners = [client.listenerCount('error'), client.listenerCount('ready')];
  const inbox = createInbox({ connection: client });
  const worker = inbox.work({});
  await Promise.all([inbox.store(stored()), inbox.store(stored())]);
  await worker.close();
  await inbox.close();
  expect(await client.ping()).toBe('PONG');
  // It carries nothing of the inbox that was closed.
  expect([client.listenerCount('error'), client.listenerCount('ready')]).toEqual(listeners);
  await client.quit();
});

test("BullMQ's telemetry has a span for storing and one for processing, in the trace of the former, and no payload", async () => {
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

test('no password that Redis repeats shows in why nothing was stored, nor in why Redis cannot be asked', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  client.options.password = 'canary-password';
  client.info = () => Promise.reject(new Error('ERR not with canary-password'));
  const inbox = createInbox({ connection: client });
  const said = 'ERR not with [redacted]';
  await expect(inbox.store(stored())).rejects.toThrow(`could not be stored in Redis: ${said}`);
  await expect(inbox.deadLetters.count()).rejects.toThrow(`could not be opened: ${said}`);
  expect((await inbox.health()).warnings).toEqual([`Redis cannot be asked: ${said}`]);
});

test('closing lets an event that is being stored be stored', async () => {
  const way = await startWay(Number(new URL(url).port));
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}` });
  await inbox.store(stored());
  way.hold();
  const storing = inbox.store(stored());
  await eventually(async () => expect(await redis.llen(`${queue}:wait`)).toBe(2));
  const closed = inbox.close();
  // Time in which it would close its connection, and the answer is not there.
  for (let asked = 0; asked < 5; asked += 1) await redis.ping();
  way.release();
  await closed;
  expect(await storing).toEqual({});
});

test('closing ends though Redis answers no more', async () => {
  const way = await startWay(Number(new URL(url).port));
  // The socket itself waits for long.
  const inbox = createInbox({ connection: { host: '127.0.0.1', port: way.port, socketTimeout: 600_000 } });
  await inbox.store(stored());
  const client = new Redis(way.port);
  onTestFinished(() => client.disconnect());
  await client.ping();
  way.hold();
  // This one asks for the first time.
  const other = createInbox({ connection: client, storeTimeout: 100 });
  await expect(other.store(stored())).rejects.toThrow(WebhookError);
  await expect(Promise.all([inbox.close(), other.close()])).resolves.toHaveLength(2);
});

/** The clients that are made from now on. */
function clientsMade(): readonly Redis[] {
  const connect = vi.spyOn(Redis.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  // It is a method of nothing else.
  return connect.mock.contexts as readonly Redis[];
}

test('an inbox that is closed before Redis came connects no more, in silence', async () => {
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  const clients = clientsMade();
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1', storeTimeout: 100 });
  const storing = inbox.store(stored());
  await expect(inbox.close()).resolves.toBeUndefined();
  await expect(storing).rejects.toThrow(WebhookError);
  expect(clients).toHaveLength(1);
  await eventually(() => expect(clients[0]?.status).toBe('end'));
  // Closing can fail too; an error that nobody listens to would be thrown here.
  expect(() => clients[0]?.emit('error', new Error('a cut'))).not.toThrow();
  expect(printed).not.toHaveBeenCalled();
});

test('a client that stores waits a second at most before it connects again, twenty times for one command', async () => {
  const clients = clientsMade();
  await createInbox().store(stored());
  const { retryStrategy, maxRetriesPerRequest } = clients[0]?.options ?? {};
  expect(maxRetriesPerRequest).toBe(20);
  expect([1, 9, 10, 11, 1_000].map((times) => retryStrategy?.(times))).toEqual([
    100, 900, 1_000, 1_000, 1_000,
  ]);
});

test('however many events wait for a Redis that is away, its client has one listener for them', async () => {
  const client = new Redis({ port: 1, lazyConnect: true });
  onTestFinished(() => client.disconnect());
  const inbox = createInbox({ connection: client, storeTimeout: 100 });
  await Promise.allSettled([inbox.store(stored())]);
  // Counted before and after in one turn: between turns, ioredis comes and goes with a listener of its own.
  const before = client.listenerCount('ready');
  const storing = Array.from({ length: 20 }, () => inbox.store(stored()));
  expect(client.listenerCount('ready')).toBe(before);
  await Promise.allSettled(storing);
});

test('after close, storing fails', async () => {
  const inbox = createInbox();
  await inbox.close();
  await expect(inbox.store(stored())).rejects.toThrow(/closed/);
});

const wayToRedis = () => startWay(Number(new URL(url).port));

test.each<[string, object]>([
  ['ioredis', {}],
  ['the inbox', { maxRetriesPerRequest: 0 }],
])(
  'an event whose connection was cut before Redis had answered, repeated by %s, is stored once and told as new',
  async (_, options) => {
    const { hooks, runs } = notes();
    const way = await wayToRedis();
    const inbox = createInbox({ connection: { host: '127.0.0.1', port: way.port, ...options }, hooks });
    await inbox.store(stored());
    way.hold();
    const storing = inbox.store(stored());
    await eventually(async () => expect(await redis.llen(`${queue}:wait`)).toBe(2));
    way.cut();
    way.release();
    expect(await storing).toEqual({ duplicate: false });
    expect(runs).toMatchObject([{ duplicate: false }, { duplicate: false }]);
    expect((await inbox.health()).waiting).toBe(2);
  },
);

test('an event whose answer was lost is told as new, though Redis refuses it before it is there again', async () => {
  const replica = await startRedis();
  try {
    await makeReplica(replica.url, 1);
    const way = await wayToRedis();
    const refused = deferred();
    const hooks = {
      onRedisError: ({ message }: Error) => void (/READONLY/.test(message) && refused.resolve()),
    };
    const connection = { host: '127.0.0.1', port: way.port, maxRetriesPerRequest: 0 };
    const inbox = createInbox({ connection, hooks });
    await inbox.store(stored());
    way.hold();
    const storing = inbox.store(stored(), { tellDuplicate: true });
    await eventually(async () => expect(await redis.llen(`${queue}:wait`)).toBe(2));
    way.lead(replica.port);
    way.cut();
    way.release();
    await refused.promise;
    way.lead(Number(new URL(url).port));
    expect(await storing).toEqual({ duplicate: false });
    await inbox.close();
  } finally {
    await replica.stop();
  }
});

test('a client that connects when it is told to is told to', async () => {
  const client = new Redis(url, { lazyConnect: true });
  const inbox = createInbox({ connection: client });
  expect(await inbox.store(stored())).toEqual({});
  await inbox.close();
  await client.quit();
});

test('errors of a client are told to onRedisError alone, and what is over is blamed for nothing', async () => {
  const printed = vi.spyOn(console, 'error');
  onTestFinished(() => printed.mockRestore());
  const client = new Redis(url);
  const told: string[] = [];
  const hooks = { onRedisError: ({ message }: Error) => told.push(message) };
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: client, storeTimeout: 200, hooks, logger, queueName: 'webhooks' });
  await inbox.store(stored());
  client.emit('error', new Error('a cut'));
  client.emit('ready');
  expect(logger.lines.slice(-2)).toEqual([
    expect.stringContaining('Redis failed: a cut'),
    expect.stringContaining('Redis is back'),
  ]);
  client.disconnect();
  await expect(inbox.store(stored())).rejects.toThrow(/no answer from Redis within/);
  expect([told, printed.mock.calls]).toEqual([['a cut'], []]);
});

test.each([
  'Connection is closed.',
  'Reached the max retries per request limit (which is 0). Refer to',
  'Command aborted due to connection close',
  'Failed to refresh slots cache.',
  'None of startup nodes is available',
  'Too many Cluster redirections. Last error: Error: Connection is closed.',
  'Command timed out',
])('a connection that is cut while the queue is opened costs no event: %s', async (cut) => {
  const client = new Redis(url);
  await client.ping();
  const info = client.info.bind(client) as () => Promise<string>;
  let asked = 0;
  client.info = async () => {
    asked += 1;
    if (asked === 1) throw new Error(cut);
    return info();
  };
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: client, logger });
  expect(await inbox.store(stored())).toEqual({});
  // It was not that the user may not.
  expect(logger.lines.join()).not.toContain('INFO');
  await inbox.close();
  await client.quit();
});

test('a queue that cannot be opened leaves nothing at a client that is passed in', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  const info = client.info.bind(client) as () => Promise<string>;
  let asked = 0;
  // The second question is that of BullMQ.
  client.info = async () => {
    asked += 1;
    if (asked % 2 === 0) throw new Error('ERR no');
    return info();
  };
  const inbox = createInbox({ connection: client });
  const listeners = () => client.eventNames().map((name) => client.listenerCount(name));
  await expect(inbox.store(stored())).rejects.toThrow('ERR no');
  const before = listeners();
  await expect(inbox.store(stored())).rejects.toThrow('ERR no');
  expect(listeners()).toEqual(before);
});

test('what is no failure of the connection, nor one that passes, is told at once', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  let asked = 0;
  client.info = async () => {
    asked += 1;
    throw new Error('ERR the Connection is closed.');
  };
  const inbox = createInbox({ connection: client, storeTimeout: 1_000 });
  await expect(inbox.store(stored())).rejects.toThrow('could not be stored in Redis: ERR the Connection');
  expect(asked).toBe(1);
});

const hang = () => new Promise<never>(() => undefined);

test.each<[what: string, spoil: (client: Redis) => void, told: string]>([
  [
    'is there no more',
    (client) => {
      client.info = () => {
        client.disconnect();
        return Promise.reject(new Error('Connection is closed.'));
      };
    },
    'Redis is not there',
  ],
  [
    'answers no more',
    (client) => {
      const answers = [() => Promise.reject(new Error('LOADING not yet')), hang];
      client.exists = () => (answers.shift() ?? hang)();
    },
    'The event could not be stored in Redis',
  ],
])('an event that is tried again where Redis %s has the time that is left', async (_, spoil, told) => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  spoil(client);
  const inbox = createInbox({ connection: client, storeTimeout: 1_500 });
  const storing = inbox.store(stored(), { tellDuplicate: true });
  const { message } = (await storing.catch((error: unknown) => error)) as Error;
  const [, said, left] = /^(.*): no answer from Redis within (\d+) ms$/.exec(message) ?? [message];
  expect(said).toBe(told);
  // After about 100 ms.
  expect(Number(left)).toBeLessThan(1_450);
});

test('an event that Redis was not there for in time is not stored when it is back', async () => {
  const way = await wayToRedis();
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}`, storeTimeout: 500 });
  await inbox.store(stored());
  way.lead(1);
  way.cut();
  await sleep(100);
  await expect(inbox.store(stored())).rejects.toThrow(WebhookError);
  way.lead(Number(new URL(url).port));
  const other = stored();
  await eventually(() => inbox.store(other));
  expect((await inbox.health()).waiting).toBe(2);
});

test('events that are stored leave no timer behind', async () => {
  // Those that keep a process alive.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const inbox = createInbox();
  await inbox.store(stored());
  const before = timers();
  for (let count = 0; count < 20; count += 1) await inbox.store(stored());
  expect(timers() - before).toBeLessThan(10);
});
