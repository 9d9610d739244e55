import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { ConfigurationError, type StoredWebhook, WebhookError } from 'agent-platform-sdk';
import type { BullMQInbox, ListDeadLettersOptions } from 'agent-platform-sdk/bullmq';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startWay } from '../redis/lagging.js';
import { createInbox, eventually, redis, stored, url } from './inbox-fixture.js';

/** An inbox with so many dead letters; `mend` makes the handlers succeed from then on. */
async function setUp(count: number) {
  const inbox = createInbox({ attempts: 1 });
  const handled: string[] = [];
  let isBroken = true;
  inbox.work({
    process: async ({ key }) => {
      if (isBroken) throw new Error('no');
      handled.push(key);
    },
  });
  const webhooks: StoredWebhook[] = [];
  for (let index = 0; index < count; index += 1) {
    const webhook = stored();
    webhooks.push(webhook);
    await inbox.store(webhook);
    await settled(inbox);
  }
  const mend = () => {
    isBroken = false;
  };
  return { inbox, handled, mend, ids: webhooks.map(({ key }) => key), webhooks };
}

/** How many are read before the first of them is looked at, and then before the first of each further page. */
async function readAtOnce({ deadLetters }: BullMQInbox): Promise<number[]> {
  const getJob = vi.spyOn(Queue.prototype, 'getJob');
  const read = new Set<number>();
  await deadLetters.replayAll(() => {
    read.add(getJob.mock.calls.length);
    return false;
  });
  getJob.mockRestore();
  return [...read];
}

const settled = (inbox: BullMQInbox) => eventually(async () => expect((await inbox.health()).depth).toBe(0));

test('dead letters are listed in pages, the oldest first', async () => {
  const { inbox, ids } = await setUp(5);
  const list = async (options?: ListDeadLettersOptions) =>
    (await inbox.deadLetters.list(options)).map(({ id }) => id);
  expect(await list()).toEqual(ids);
  expect(await list({ start: 1, limit: 2 })).toEqual(ids.slice(1, 3));
  expect(await list({ limit: 1 })).toEqual(ids.slice(0, 1));
  expect(await inbox.deadLetters.count()).toBe(5);
});

test('a page of large ones is shorter, and holds one at least', async () => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work({ process: () => Promise.reject(new Error('no')) });
  const sizes = [4, 4, 8, 9, 1, 1, 20];
  for (const size of sizes) {
    await inbox.store(stored({ payload: { text: 'x'.repeat(size * 1_000_000) } }));
    await settled(inbox);
  }
  const pages: number[][] = [];
  for (let start = 0; start < sizes.length; ) {
    const page = await inbox.deadLetters.list({ start });
    pages.push(page.map(({ webhook }) => Math.round(String(webhook.payload.text).length / 1_000_000)));
    start += page.length;
  }
  expect(pages).toEqual([[4, 4, 8], [9, 1, 1], [20]]);
  expect(await inbox.deadLetters.list({ maxBytes: 1 })).toHaveLength(1);
  expect(await readAtOnce(inbox)).toEqual([3, 6, 7]);
  const [first = ''] = await redis.zrange('bull:agent-platform-webhooks:failed', '0', '0');
  const size = await redis.hstrlen(`bull:agent-platform-webhooks:${first}`, 'data');
  // The first two are of one size.
  expect(await inbox.deadLetters.list({ maxBytes: 2 * size })).toHaveLength(2);
  expect(await inbox.deadLetters.list({ maxBytes: 2 * size - 1 })).toHaveLength(1);
  expect(await inbox.deadLetters.list({ start: sizes.length })).toEqual([]);
});

test('the sizes of a page are those of its own events, also beyond the first hundred', async () => {
  const inbox = createInbox({ attempts: 1 });
  const sizes = [...Array.from({ length: 100 }, () => 1), 100_000, 100_000];
  for (const size of sizes) await inbox.store(stored({ payload: { text: 'x'.repeat(size) } }));
  inbox.work({ process: () => Promise.reject(new Error('no')) }, { concurrency: 1 });
  await settled(inbox);
  expect(await inbox.deadLetters.list({ limit: 200, maxBytes: 150_000 })).toHaveLength(101);
});

test('it became one when its last run ended', async () => {
  const inbox = createInbox({ attempts: 1 });
  let ended = 0;
  const process = async () => {
    await sleep(20);
    ended = Date.now();
    throw new Error('no');
  };
  inbox.work({ process });
  await inbox.store(stored());
  await settled(inbox);
  expect((await inbox.deadLetters.list())[0]?.failedAt).toBeGreaterThanOrEqual(ended);
});

test('one is found by its id', async () => {
  const { inbox, ids, webhooks } = await setUp(1);
  expect(await inbox.deadLetters.get(ids[0] ?? '')).toMatchObject({ id: ids[0], webhook: webhooks[0] });
  expect(await inbox.deadLetters.get('0'.repeat(64))).toBeUndefined();
});

test('one that is replayed has all its attempts before it, and is handled', async () => {
  const { inbox, ids, mend, handled } = await setUp(2);
  mend();
  expect(await inbox.deadLetters.replay(ids[1] ?? '')).toBe(true);
  await settled(inbox);
  expect([handled, await inbox.deadLetters.count()]).toEqual([[ids[1]], 1]);
});

test('one that fails again is a dead letter again', async () => {
  const { inbox, ids } = await setUp(1);
  expect(await inbox.deadLetters.replay(ids[0] ?? '')).toBe(true);
  await settled(inbox);
  expect((await inbox.deadLetters.list()).map(({ id, attempts }) => [id, attempts])).toEqual([[ids[0], 1]]);
  // BullMQ counts anew how often it was taken, too: by that, an event whose turn is taken asks less and less often.
  expect(await redis.hget(`bull:agent-platform-webhooks:${ids[0]}`, 'ats')).toBe('1');
});

test('what is no dead letter is not replayed', async () => {
  const inbox = createInbox();
  const webhook = stored();
  await inbox.store(webhook);
  expect(await inbox.deadLetters.replay(webhook.key)).toBe(false);
  expect(await inbox.deadLetters.replay('0'.repeat(64))).toBe(false);
  expect(await inbox.deadLetters.remove(webhook.key)).toBe(false);
  expect((await inbox.health()).waiting).toBe(1);
});

test('of two who replay one at the same moment, one does', async () => {
  const { inbox, ids, mend, handled } = await setUp(1);
  mend();
  const [id = ''] = ids;
  const results = await Promise.all([inbox.deadLetters.replay(id), createInbox().deadLetters.replay(id)]);
  expect(results.filter(Boolean)).toHaveLength(1);
  await settled(inbox);
  expect(handled).toEqual(ids);
});

test('all are replayed, each once, more than a page', async () => {
  const { inbox, ids, mend, handled } = await setUp(45);
  mend();
  expect(await readAtOnce(inbox)).toEqual([20, 40, 45]);
  expect(await inbox.deadLetters.replayAll()).toBe(45);
  await settled(inbox);
  expect(handled.sort()).toEqual(ids.sort());
  expect(await inbox.deadLetters.count()).toBe(0);
});

test('replaying all ends where they fail again', async () => {
  const { inbox } = await setUp(25);
  expect(await inbox.deadLetters.replayAll()).toBe(25);
  await settled(inbox);
  expect(await inbox.deadLetters.count()).toBe(25);
});

test('one that has failed since is not replayed', async () => {
  const { inbox, ids } = await setUp(1);
  const key = `bull:agent-platform-webhooks:${ids[0]}`;
  const failedAt = Number(await redis.hget(key, 'finishedOn'));
  // It was read among those of before, and has died again until it is its turn.
  await redis.hset(key, 'finishedOn', failedAt + 1);
  expect(await inbox.deadLetters.replayAll()).toBe(0);
  await redis.hset(key, 'finishedOn', failedAt);
  expect(await inbox.deadLetters.replayAll()).toBe(1);
});

test('one of a worker whose clock is ahead is replayed', async () => {
  const { inbox, ids, mend, handled } = await setUp(1);
  const [later, id = ''] = [Date.now() + 3_600_000, ...ids];
  await redis.hset(`bull:agent-platform-webhooks:${id}`, 'finishedOn', later);
  await redis.zadd('bull:agent-platform-webhooks:failed', later, id);
  mend();
  expect(await inbox.deadLetters.replayAll()).toBe(1);
  await eventually(() => expect(handled).toEqual([id]));
});

const NO_ANSWER = 'must return true or false, and is not awaited; got';

test.each<[string, unknown, problem: string]>([
  ['an async function', async () => false, `${NO_ANSWER} object`],
  ['an async function that rejects', () => Promise.reject(new Error('no')), `${NO_ANSWER} object`],
  ['a function that returns nothing', () => undefined, `${NO_ANSWER} nothing`],
  ['no function', true, 'must be a function, got boolean'],
])('nothing is replayed by %s', async (_, select, problem) => {
  const { inbox } = await setUp(2);
  // From JavaScript.
  const replaying = inbox.deadLetters.replayAll(select as () => boolean);
  await expect(replaying).rejects.toThrow(
    expect.objectContaining({
      name: 'ConfigurationError',
      option: 'select',
      message: `select ${problem}.`,
    }),
  );
  expect(await inbox.deadLetters.count()).toBe(2);
});

test('only those that are selected are replayed', async () => {
  const { inbox, ids, mend, handled } = await setUp(30);
  mend();
  const selected = new Set(ids.filter((_, index) => index % 3 === 0));
  expect(await inbox.deadLetters.replayAll(({ id }) => selected.has(id))).toBe(10);
  await settled(inbox);
  expect(handled.sort()).toEqual([...selected].sort());
  expect(await inbox.deadLetters.count()).toBe(20);
});

test('two who replay at the same moment leave nothing behind', async () => {
  const { inbox, ids, mend, handled } = await setUp(60);
  mend();
  const other = createInbox();
  expect(await inbox.deadLetters.list()).toHaveLength(50);
  const counts = await Promise.all([inbox.deadLetters.replayAll(), other.deadLetters.replayAll()]);
  expect(counts[0] + counts[1]).toBe(60);
  await settled(inbox);
  expect(handled.sort()).toEqual(ids.sort());
});

test('two who select and replay at the same moment each replay what they have selected', async () => {
  const { inbox, ids, mend, handled } = await setUp(60);
  mend();
  const halves = [0, 1].map((half) => new Set(ids.filter((_, index) => index % 2 === half)));
  const replays = halves.map((half) => inbox.deadLetters.replayAll(({ id }) => half.has(id)));
  expect(await Promise.all(replays)).toEqual([30, 30]);
  await settled(inbox);
  expect(handled.sort()).toEqual(ids.sort());
});

test('one that is removed is gone, and a later copy is an event of its own', async () => {
  const { inbox, ids, webhooks, mend, handled } = await setUp(1);
  mend();
  expect(await inbox.deadLetters.remove(ids[0] ?? '')).toBe(true);
  expect(await inbox.deadLetters.count()).toBe(0);
  await inbox.store(webhooks[0] ?? stored());
  await settled(inbox);
  expect(handled).toEqual(ids);
});

test('what Redis refuses is told, and one stays as it is', async () => {
  const { inbox, ids } = await setUp(1);
  const [id = ''] = ids;
  await redis.config('SET', 'min-replicas-to-write', '1');
  try {
    await expect(inbox.deadLetters.remove(id)).rejects.toThrow('NOREPLICAS');
    await expect(inbox.deadLetters.replay(id)).rejects.toThrow('NOREPLICAS');
  } finally {
    await redis.config('SET', 'min-replicas-to-write', '0');
  }
  expect(await inbox.deadLetters.count()).toBe(1);
});

test('without Redis they are asked for in vain, which a WebhookError tells without the password', async () => {
  const { deadLetters } = createInbox({ connection: 'redis://:canary@127.0.0.1:1' });
  const error: unknown = await deadLetters.count().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(WebhookError);
  expect(String(error)).toMatch(/could not be opened.*ECONNREFUSED/);
  expect(inspect(error, { depth: 5 })).not.toContain('canary');
});

test('a Redis that does not answer is not waited for', async () => {
  const way = await startWay(Number(new URL(url).port));
  const client = new Redis(way.port);
  onTestFinished(() => client.disconnect());
  await client.ping();
  way.hold();
  const { deadLetters } = createInbox({ connection: client });
  await expect(deadLetters.count()).rejects.toThrow(
    'Redis is not there: no answer from Redis within 2000 ms',
  );
});

test('a Redis that stops answering is not waited for, whatever is asked', async () => {
  const way = await startWay(Number(new URL(url).port));
  const client = new Redis(way.port);
  onTestFinished(() => client.disconnect());
  const { deadLetters } = createInbox({ connection: client });
  const ask = [
    () => deadLetters.count(),
    () => deadLetters.list(),
    () => deadLetters.get('a'),
    () => deadLetters.replay('a'),
    () => deadLetters.replayAll(),
    () => deadLetters.remove('a'),
  ];
  await Promise.all(ask.map((one) => one()));
  way.hold();
  const errors = await Promise.all(ask.map((one) => one().catch(String)));
  const message = 'WebhookError: The dead letters are out of reach: no answer from Redis within 5000 ms';
  expect(errors).toEqual(ask.map(() => message));
});

test('what Redis forbids is told without the command, which can hold payloads', async () => {
  const { ids } = await setUp(1);
  await redis.acl(
    'SETUSER',
    'reader',
    'reset',
    'on',
    '>password',
    '~*',
    '&*',
    '+@all',
    '-evalsha',
    '-eval',
    '-zrange',
  );
  const { deadLetters } = createInbox({ connection: url.replace('redis://', 'redis://reader:password@') });
  for (const ask of [() => deadLetters.replay(ids[0] ?? ''), () => deadLetters.replayAll()]) {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookError);
    expect(String(error)).toMatch(/out of reach: NOPERM .* see its ACL\./);
    expect(error).not.toHaveProperty('cause.command');
  }
});

test('no password shows in why they are out of reach', async () => {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  await client.ping();
  client.options.password = 'canary-password';
  client.zrange = () => Promise.reject(new Error('ERR not with canary-password'));
  const { deadLetters } = createInbox({ connection: client });
  await expect(deadLetters.replayAll()).rejects.toThrow('out of reach: ERR not with [redacted]');
});

test('a reason that another program has stored is masked where it is read', async () => {
  const { inbox, ids } = await setUp(1);
  await redis.hset(`bull:agent-platform-webhooks:${ids[0]}`, 'failedReason', 'sessionKey=canary');
  expect((await inbox.deadLetters.list())[0]?.reason).toContain('[redacted]');
});

test('a copy of a dead letter makes no job', async () => {
  const { inbox, webhooks } = await setUp(1);
  await inbox.store(webhooks[0] ?? stored());
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 1 });
});

test('dead letters are kept, unless a time is set for them', async () => {
  const { inbox } = await setUp(1);
  expect((await inbox.deadLetters.list())[0]?.failedAt).toBeGreaterThan(0);
  const forgetful = createInbox({ attempts: 1, deadLetterRetention: 500, queueName: 'forgetful' });
  forgetful.work({ process: () => Promise.reject(new Error('no')) });
  await forgetful.store(stored());
  await settled(forgetful);
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await forgetful.store(stored());
  await settled(forgetful);
  expect([await inbox.deadLetters.count(), await redis.zcard('bull:forgetful:failed')]).toEqual([1, 1]);
});

test.each([{ start: -1 }, { start: 0.5 }, { limit: 0 }, { maxBytes: 0 }, { page: 1 }])(
  'refuses to list %j',
  async (options) => {
    const [option] = Object.keys(options);
    const listing = createInbox().deadLetters.list(options);
    await expect(listing).rejects.toThrow(ConfigurationError);
    await expect(listing).rejects.toMatchObject({ option });
  },
);
