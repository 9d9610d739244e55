import { createWebhookReceiver } from 'agent-platform-sdk';
import { InboxFullError } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryGauge } from '../../src/redis/memory.js';
import { createInbox, eventually, stored } from '../bullmq/inbox-fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';

async function startLimited(maxmemory: string) {
  const server = await startRedis(['--save', '', '--maxmemory', maxmemory]);
  onTestFinished(() => server.stop());
  const client = new Redis(server.url);
  onTestFinished(() => client.disconnect());
  return { url: server.url, client };
}

const large = () => stored({ payload: { text: 'x'.repeat(20_000) } });

test('a Redis that fills up refuses by name in time, so that its workers drain it, and then takes events again', async () => {
  const { url } = await startLimited('16mb');
  const inbox = createInbox({ connection: url });
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  const [acknowledged, refused]: [string[], unknown[]] = [[], []];
  const one = async () => {
    const webhook = large();
    try {
      await inbox.store(webhook);
      acknowledged.push(webhook.key);
    } catch (error) {
      refused.push(error);
    }
  };
  // Many at once, far more than there is room for.
  for (let round = 0; round < 20; round += 1) await Promise.all(Array.from({ length: 100 }, one));
  expect(acknowledged.length).toBeGreaterThan(100);
  expect(refused.length).toBeGreaterThan(500);
  expect(new Set(refused.map(String)).size).toBeGreaterThan(0);
  expect(refused.filter((error) => !(error instanceof InboxFullError))).toEqual([]);
  expect(refused[0]).toMatchObject({ type: 'inbox_full_error', maxmemory: 16 * 1024 ** 2, retryable: true });
  // A delivery is not acknowledged either, and whoever asks is told. Once its clients rest Redis may need less, so it is filled again.
  await eventually(async () => {
    await one();
    expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
    const health = await inbox.health();
    expect([health.ready, health.memoryUsed]).toEqual([false, expect.closeTo(0.85, 1)]);
    expect(health.warnings).toContainEqual(expect.stringContaining('More than 85 % of maxmemory is in use'));
  });
  const handled = new Set<string>();
  inbox.work({ process: async ({ key }) => void handled.add(key) }, { concurrency: 50 });
  await eventually(() => expect([...handled]).toEqual(expect.arrayContaining(acknowledged)));
  await eventually(async () => expect((await receiver.handle(post('lead_captured'))).status).toBe(200));
  expect(await inbox.health()).toMatchObject({ ready: true });
});

test('Redis is not asked for its memory for each event', async () => {
  const { url, client } = await startLimited('100mb');
  const inbox = createInbox({ connection: url });
  await inbox.store(stored());
  await client.config('RESETSTAT');
  const info = vi.spyOn(Redis.prototype, 'info');
  onTestFinished(() => info.mockRestore());
  for (let count = 0; count < 500; count += 1) await inbox.store(stored());
  // And for nothing beside it.
  for (const asked of info.mock.calls) expect(asked).toEqual(['memory']);
  expect(info).toHaveBeenCalled();
  const stats = await client.info('commandstats');
  expect(Number(/cmdstat_info:calls=(\d+)/.exec(stats)?.[1] ?? 0)).toBeLessThan(50);
});

test('full of what others keep, it refuses too, and asks again', async () => {
  const { url, client } = await startLimited('16mb');
  const inbox = createInbox({ connection: url, highWater: 0.5 });
  await inbox.store(stored());
  await client.setrange('of another application', 9_000_000, 'x');
  await eventually(() => expect(inbox.store(stored())).rejects.toThrow(/highWater is 50 %/));
  await client.del('of another application');
  await eventually(() => inbox.store(stored()));
});

test('without a limit, nothing is refused', async () => {
  const { url } = await startLimited('0');
  const inbox = createInbox({ connection: url, highWater: 0.000_001 });
  await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({ ready: true, memoryUsed: undefined });
});

test('it warns of dead letters that fill the memory', async () => {
  const { url } = await startLimited('16mb');
  const inbox = createInbox({ connection: url, attempts: 1 });
  inbox.work({ process: () => Promise.reject(new Error('no')) });
  const storeMore = async (count: number, all: number) => {
    for (let stored = 0; stored < count; stored += 1) await inbox.store(large());
    await eventually(async () => expect((await inbox.health()).deadLetters).toBe(all));
  };
  await storeMore(8, 8);
  expect((await inbox.health()).warnings.join()).not.toContain('dead letters');
  await storeMore(72, 80);
  // Much of what is in use, and little of what may be.
  expect((await inbox.health()).warnings.join()).not.toContain('dead letters');
  await storeMore(121, 201);
  // Of 20 kB each, in 16 MiB.
  expect((await inbox.health()).warnings.join()).toMatch(/201 dead letters hold about 2\d % of maxmemory/);
});

test('it warns of a few large dead letters', async () => {
  const { url } = await startLimited('16mb');
  const inbox = createInbox({ connection: url, attempts: 1 });
  inbox.work({ process: () => Promise.reject(new Error('no')) });
  const payload = { text: 'x'.repeat(2_000_000) };
  for (let count = 0; count < 2; count += 1) await inbox.store(stored({ payload }));
  await eventually(async () => expect((await inbox.health()).deadLetters).toBe(2));
  expect((await inbox.health()).warnings).toContainEqual(
    expect.stringMatching(
      /^2 dead letters hold about 2\d % of maxmemory\. Replay or remove them, or set deadLetterRetention\.$/,
    ),
  );
});

test.each([
  [7, []],
  [8, [expect.stringContaining('25 dead letters hold about 20 % of maxmemory')]],
])(
  'dead letters are warned of from a fifth of the memory, by the size of the first 20: %d bytes',
  async (size, warnings) => {
    const { client } = await startLimited('16mb');
    await client.ping();
    const info = client.info.bind(client) as () => Promise<string>;
    client.info = async () => (await info()).replace(/maxmemory:\d+/, 'maxmemory:1000');
    const failed = Array.from({ length: 25 }, (_, place) => [place, `job ${place}`]).flat();
    await client.zadd('bull:agent-platform-webhooks:failed', ...failed);
    const measured: string[] = [];
    client.hstrlen = async (key: unknown) => {
      measured.push(String(key));
      return size;
    };
    const health = await createInbox({ connection: client }).health();
    expect(health.warnings.filter((warning) => warning.includes('dead letters'))).toEqual(warnings);
    expect(new Set(measured)).toEqual(
      new Set(Array.from({ length: 20 }, (_, place) => `bull:agent-platform-webhooks:job ${place}`)),
    );
  },
);

test('what Redis itself does not count is not in use', async () => {
  const { client } = await startLimited('16mb');
  await client.ping();
  const info = client.info.bind(client) as () => Promise<string>;
  client.info = async () =>
    (await info())
      .replace(/used_memory:\d+/, `used_memory:${12 * 1024 ** 2}`)
      .replace(/mem_not_counted_for_evict:\d+/, `mem_not_counted_for_evict:${8 * 1024 ** 2}`);
  expect(await createInbox({ connection: client }).health()).toMatchObject({ memoryUsed: 0.25 });
  // Where the mark is reached, no event is stored.
  expect(await createInbox({ connection: client, highWater: 0.25 }).health()).toMatchObject({
    ready: false,
    warnings: expect.arrayContaining([expect.stringContaining('More than 25 % of maxmemory is in use')]),
  });
});

test('a reading serves for a tenth of the events that surely have room', async () => {
  let read = 0;
  const gauge = new MemoryGauge(0.5, async () => {
    read += 1;
    return new Map([
      ['maxmemory', String(2 * 300 * 4_096)],
      // Others took that, and take no more.
      ['used_memory', String(200 * 4_096)],
    ]);
  });
  const reads: number[] = [];
  // Of many at once, those that it is not good for wait for another.
  for (const count of [1, 10, 1, 30]) {
    await Promise.all(Array.from({ length: count }, () => gauge.fullBy()));
    reads.push(read);
  }
  // Of the first, nothing tells how much an event takes.
  expect(reads).toEqual([1, 2, 3, 6]);
});

test('where events are large, a reading serves for fewer', async () => {
  let read = 0;
  const gauge = new MemoryGauge(0.5, async () => {
    read += 1;
    // Ten events took a fifth of the room: twice as much each as the least.
    const used = read === 1 ? 0 : 20 * 4_096;
    return new Map([
      ['maxmemory', String(2 * 100 * 4_096)],
      ['used_memory', String(used)],
    ]);
  });
  const reads: number[] = [];
  for (const count of [10, 4, 1]) {
    await Promise.all(Array.from({ length: count }, () => gauge.fullBy()));
    reads.push(read);
  }
  expect(reads).toEqual([1, 2, 3]);
});

test('a reading that fails is told to all who wait for it, and the next event asks again', async () => {
  let read = 0;
  const gauge = new MemoryGauge(0.5, async () => {
    read += 1;
    if (read === 1) throw new Error('LOADING not yet');
    return new Map([['maxmemory', '0']]);
  });
  const first = await Promise.allSettled([gauge.fullBy(), gauge.fullBy()]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await gauge.fullBy()).toBeUndefined();
  expect(read).toBe(2);
});

test('a reading that was old before an event came to use it stops nothing', async () => {
  const now = vi.spyOn(performance, 'now');
  onTestFinished(() => now.mockRestore());
  let read = 0;
  const gauge = new MemoryGauge(0.5, async () => {
    read += 1;
    if (read > 10) throw new Error('Redis is asked for ever');
    return new Map([['maxmemory', '0']]);
  });
  // The process was held up for two seconds behind the first reading.
  now.mockReturnValue(2_000).mockReturnValueOnce(0);
  expect(await gauge.fullBy()).toBeUndefined();
});

test.each([
  ['no room', 9_000, [0, 99, 1]],
  ['just no room', 5_000, [0, 99, 1]],
  ['room', 0, [0, 999, 1]],
])('where there is %s, that is found out anew after these milliseconds', async (_, used, waits) => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let read = 0;
  const gauge = new MemoryGauge(0.5, async () => {
    read += 1;
    return new Map([
      ['maxmemory', '10000000'],
      ['used_memory', `${used * 1_000}`],
    ]);
  });
  const reads: number[] = [];
  for (const ms of waits) {
    vi.advanceTimersByTime(ms);
    const full = used === 0 ? undefined : { used: used * 1_000, maxmemory: 10_000_000 };
    expect(await gauge.fullBy()).toEqual(full);
    reads.push(read);
  }
  expect(reads).toEqual([1, 1, 2]);
});
