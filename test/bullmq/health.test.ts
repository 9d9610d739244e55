import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startWay } from '../redis/lagging.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { DURABLE, startRedis } from '../support/redis-server.js';
import { createInbox, eventually, notes, redis, stored, url } from './inbox-fixture.js';

test('it tells how many events wait, run, retry and are dead letters, and how old the next one is', async () => {
  const inbox = createInbox({ attempts: 2, backoff: 3_600_000 });
  const began = deferred();
  const worker = inbox.work(
    {
      process: ({ payload }) => {
        if (payload.wish === 'run') {
          began.resolve();
          return new Promise(() => undefined);
        }
        return Promise.reject(new Error('no'));
      },
    },
    { concurrency: 1 },
  );
  const { failures } = await inbox.health();
  await inbox.store(stored({ payload: { wish: 'retry' } }));
  await eventually(async () => expect((await inbox.health()).retrying).toBe(1));
  await inbox.store(stored({ payload: { wish: 'run' } }));
  await began.promise;
  await inbox.store(stored({ receivedAt: Date.now() - 60_000 }));
  await inbox.store(stored());
  const health = await inbox.health();
  expect(health).toMatchObject({ ready: true, depth: 4, waiting: 2, active: 1, retrying: 1, deadLetters: 0 });
  expect(health.failures).toMatchObject({ retried: 1, deadLetters: 0, redisErrors: 0 });
  // It is as it was when it was asked for.
  expect(failures.retried).toBe(0);
  expect(health.oldestMs).toBeGreaterThanOrEqual(60_000);
  expect(health.oldestMs).toBeLessThan(90_000);
  await worker.close({ grace: 0 });
});

// More wait for one than are looked at from one end.
const ages = Array.from({ length: 510 }, () => 1_000);

test.each([
  ['last', [...ages, 3_600_000]],
  ['first', [3_600_000, ...ages]],
])('the oldest event can be one that waits for a retry, and is due %s', async (_, received) => {
  const inbox = createInbox({ backoff: 3_600_000 });
  const worker = inbox.work({ process: () => Promise.reject(new Error('no')) });
  for (const age of received) {
    await inbox.store(stored({ receivedAt: Date.now() - age }));
  }
  await eventually(async () => expect((await inbox.health()).retrying).toBe(511));
  await worker.close();
  await inbox.store(stored());
  expect((await inbox.health()).oldestMs).toBeGreaterThanOrEqual(3_600_000);
});

test.each([
  ['the first 500', 499, 3_600_000],
  ['the last 500', 502, 3_600_000],
  ['neither', 500, 60_000],
])(
  'of 1,002 events that wait for a retry, the oldest is looked for in each half: %s',
  async (_, place, ms) => {
    const queue = 'bull:agent-platform-webhooks';
    const now = Date.now();
    const writes = redis.pipeline();
    for (let due = 0; due < 1_002; due += 1) {
      writes.zadd(`${queue}:delayed`, due, `job ${due}`);
      writes.hset(`${queue}:job ${due}`, 'timestamp', now - (due === place ? 3_600_000 : 60_000));
    }
    await writes.exec();
    const { oldestMs } = await createInbox().health();
    expect(oldestMs).toBeGreaterThanOrEqual(ms);
    if (ms === 60_000) expect(oldestMs).toBeLessThan(3_600_000);
  },
);

test('an empty inbox is ready, and has no oldest event', async () => {
  const inbox = createInbox();
  expect(await inbox.health()).toMatchObject({ ready: true, depth: 0, oldestMs: 0 });
  // One that a worker ends while it is looked at has no age either.
  await redis.rpush('bull:agent-platform-webhooks:wait', 'ended');
  expect(await inbox.health()).toMatchObject({ waiting: 1, oldestMs: 0 });
});

test('an event from a machine whose clock is ahead is as old as a new one', async () => {
  const { hooks, runs } = notes();
  const inbox = createInbox({ hooks });
  await inbox.store(stored({ receivedAt: Date.now() + 60_000 }));
  expect(await inbox.health()).toMatchObject({ waiting: 1, oldestMs: 0 });
  inbox.work({ lead_captured: () => undefined });
  await eventually(() => expect(runs).toMatchObject([{}, { waitedMs: 0 }]));
});

test('a Redis that has stopped answering is not ready, and that is told in time', async () => {
  const way = await startWay(Number(new URL(url).port));
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}` });
  expect(await inbox.health()).toMatchObject({ ready: true });
  way.hold();
  expect(await inbox.health()).toMatchObject({
    ready: false,
    warnings: ['Redis cannot be asked: The inbox was asked: no answer from Redis within 2000 ms'],
  });
});

test('without Redis it is not ready, and rejects nothing', async () => {
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1' });
  const health = await inbox.health();
  expect(health).toEqual({
    ready: false,
    depth: 0,
    waiting: 0,
    active: 0,
    retrying: 0,
    deadLetters: 0,
    oldestMs: 0,
    memoryUsed: undefined,
    failures: expect.any(Object),
    warnings: [expect.stringContaining('Redis cannot be asked: connect ECONNREFUSED')],
  });
  const { redisErrors } = health.failures;
  expect(redisErrors).toBeGreaterThan(0);
  await eventually(async () =>
    expect((await inbox.health()).failures.redisErrors).toBeGreaterThan(redisErrors),
  );
  expect(health.failures.redisErrors).toBe(redisErrors);
});

/** Of the Redis of most tests. */
const USUAL = [
  'maxmemory is 0: Redis takes memory until the system kills it, and highWater has no effect. Set maxmemory.',
  'appendonly is no: a Redis that restarts forgets stored events. Set appendonly yes.',
];

test('it warns of settings with which an acknowledged event can be lost', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ queueName: 'webhooks', logger });
  expect((await inbox.health()).warnings).toEqual(USUAL);
  const policies: string[] = [];
  for (const policy of ['allkeys-lru', 'volatile-ttl']) {
    await redis.config('SET', 'maxmemory-policy', policy);
    const warning = `maxmemory-policy is ${policy}: a full Redis drops stored events. Set noeviction.`;
    policies.push(warning);
    expect((await inbox.health()).warnings).toEqual([warning, ...USUAL]);
  }
  // Each is logged once.
  expect(logger.lines).toEqual([...USUAL, ...policies].map((warning) => expect.stringContaining(warning)));
  await redis.config('SET', 'maxmemory-policy', 'noeviction');
});

const LIMITED = [...DURABLE, '--maxmemory', '100mb'];

test.each([
  [LIMITED, []],
  [
    [...LIMITED, '--appendfsync', 'everysec'],
    ['appendfsync is everysec: a crash loses what was stored last. Set appendfsync always.'],
  ],
])('with %j it warns of %j', async (args, warnings) => {
  const server = await startRedis(args);
  try {
    const inbox = createInbox({ connection: server.url });
    expect((await inbox.health()).warnings).toEqual(warnings);
    await inbox.close();
  } finally {
    await server.stop();
  }
});

test('it says nothing of a setting that the user of Redis may not read', async () => {
  const server = await startRedis(LIMITED);
  const admin = new Redis(server.url);
  try {
    await admin.acl('SETUSER', 'inbox', 'on', '>password', '~*', '&*', '+@all', '-config');
    const connection = server.url.replace('redis://', 'redis://inbox:password@');
    const inbox = createInbox({ connection });
    expect(await inbox.health()).toMatchObject({ ready: true, warnings: [] });
    await inbox.close();
  } finally {
    admin.disconnect();
    await server.stop();
  }
});

test('dead letters that may not be measured are warned of, and an event is stored', async () => {
  const server = await startRedis(LIMITED);
  const admin = new Redis(server.url);
  try {
    await admin.acl('SETUSER', 'inbox', 'on', '>password', '~*', '&*', '+@all', '-hstrlen');
    await admin.zadd('bull:agent-platform-webhooks:failed', 1, 'one');
    const logger = new RecordingLogger();
    const connection = server.url.replace('redis://', 'redis://inbox:password@');
    const inbox = createInbox({ connection, logger });
    await inbox.store(stored());
    const warning = expect.stringMatching(/dead letters cannot be measured: NOPERM .* see its ACL/);
    expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1, warnings: [warning] });
    expect(logger.lines).toEqual([expect.stringContaining('queueName'), warning]);
    await inbox.close();
  } finally {
    admin.disconnect();
    await server.stop();
  }
});

test('it is ready only if a write has just succeeded, which is logged', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger });
  expect(await inbox.health()).toMatchObject({ ready: true });
  // Every command that reads is answered, and no write is taken.
  await redis.config('SET', 'min-replicas-to-write', '1');
  try {
    const { ready, warnings } = await inbox.health();
    expect([ready, warnings[0]]).toEqual([
      false,
      expect.stringContaining('No event can be stored: NOREPLICAS'),
    ]);
    expect(logger.lines).toContainEqual(expect.stringMatching(/^warn .*No event can be stored: NOREPLICAS/));
  } finally {
    await redis.config('SET', 'min-replicas-to-write', '0');
  }
  expect(await inbox.health()).toMatchObject({ ready: true });
});

test('it is not ready where no more than `highWater` allows is free', async () => {
  const server = await startRedis(LIMITED);
  try {
    const inbox = createInbox({ connection: server.url, highWater: 0.001 });
    expect(await inbox.health()).toMatchObject({
      ready: false,
      warnings: ['More than 0 % of maxmemory is in use: no event is stored.'],
    });
    await inbox.close();
  } finally {
    await server.stop();
  }
});

test('it tells that writes are taken again, though no event comes', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger });
  // A worker that looks for stalled events writes often.
  const worker = inbox.work({}, { lockDuration: 100 });
  await redis.config('SET', 'min-replicas-to-write', '1');
  try {
    await eventually(() => expect(logger.lines.join()).toContain('Redis failed: NOREPLICAS'));
  } finally {
    await redis.config('SET', 'min-replicas-to-write', '0');
  }
  await worker.close();
  expect(logger.lines.join()).not.toContain('Redis is back');
  await inbox.health();
  expect(logger.lines.at(-1)).toContain('Redis is back');
});

test('no password shows in why no event can be stored, nor dead letters be measured', async () => {
  const client = new Redis(url);
  await client.ping();
  client.options.password = 'canary-password';
  const refuse = () => Promise.reject(new Error('ERR not with canary-password'));
  client.set = refuse;
  client.hstrlen = refuse;
  // Dead letters are measured where there is a limit.
  const info = client.info.bind(client) as () => Promise<string>;
  client.info = async () => (await info()).replace('maxmemory:0', 'maxmemory:1000000000');
  await client.zadd('bull:agent-platform-webhooks:failed', 1, 'one');
  try {
    const { warnings } = await createInbox({ connection: client }).health();
    expect(warnings).toContain('No event can be stored: ERR not with [redacted]');
    expect(warnings).toContain('The dead letters cannot be measured: ERR not with [redacted]');
  } finally {
    client.disconnect();
  }
});

test('a Redis that tells no limit and no policy is ready, and is taken for one without a limit', async () => {
  const client = new Redis(url);
  await client.ping();
  // As of a provider of Redis.
  const info = client.info.bind(client) as () => Promise<string>;
  client.info = async () =>
    (await info()).replace('maxmemory:0', 'maxmemory:unknown').replace('maxmemory_policy', 'another');
  try {
    const { ready, memoryUsed, warnings } = await createInbox({ connection: client }).health();
    expect([ready, memoryUsed]).toEqual([true, undefined]);
    expect(warnings).toEqual(USUAL);
  } finally {
    client.disconnect();
  }
});

test('it warns of a file that cannot be written', async () => {
  const client = new Redis(url);
  // Once it is there: ioredis itself asks for INFO before.
  await client.ping();
  // No disk of a test is full.
  const info = client.info.bind(client) as () => Promise<string>;
  client.info = async () => (await info()).replace('aof_last_write_status:ok', 'aof_last_write_status:err');
  try {
    const { warnings } = await createInbox({ connection: client }).health();
    expect(warnings).toContain('The append-only file cannot be written.');
    // There are no Sentinels, that a client could be told by.
    expect(warnings.join()).not.toContain('failoverDetector');
  } finally {
    client.disconnect();
  }
});
