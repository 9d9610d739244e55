import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, QUEUE, redis, userWithout } from './inbox-fixture.js';

// A Redis that lacks a command of BullMQ's scripts stops them half way.

/** The commands with which BullMQ adds a job until it is in the list, in their order. */
const ADDING = ['exists', 'incr', 'set', 'hmset', 'xadd', 'lpush'];

test.each([...ADDING, 'zadd'])('without %s nothing is stored, and a later delivery is', async (command) => {
  const connection = await userWithout(`-${command}`);
  const webhook = stored();
  await expect(createInbox({ connection }).store(webhook)).rejects.toThrow(/lacks a permission/);
  await expect(createInbox({ connection }).store(webhook)).rejects.toThrow(/lacks a permission/);
  expect(await redis.keys(`${QUEUE}:*${webhook.key}`)).toEqual([]);
  expect((await createInbox({ connection }).health()).ready).toBe(false);
  await userWithout();
  await expectHandled(createInbox({ connection }), webhook);
});

test.each(ADDING)(
  'the health names a permission for %s that is withdrawn while the inbox runs',
  async (command) => {
    const inbox = createInbox({ connection: await userWithout() });
    await inbox.store(stored());
    await userWithout(`-${command}`);
    for (let look = 0; look < 2; look += 1) {
      const { ready, warnings } = await inbox.health();
      expect([ready, warnings.refused]).toEqual([
        false,
        expect.stringMatching(/lacks a permission: see its ACL/),
      ]);
    }
    // Looks leave nothing behind.
    expect(
      (await redis.keys(`${QUEUE}-probe:*`)).filter((key) => /probe:(de:|[0-9a-f]{8}-)/.test(key)),
    ).toEqual([]);
    await userWithout();
    expect(await inbox.health()).toMatchObject({ ready: true });
  },
);

test('after a refusal, the next events are refused before anything of them is stored', async () => {
  const inbox = createInbox({ connection: await userWithout() });
  await inbox.store(stored());
  await userWithout('-lpush');
  await expect(inbox.store(stored())).rejects.toThrow(/lacks a permission/);
  const webhook = stored();
  await expect(inbox.store(webhook)).rejects.toThrow(/lacks a permission/);
  await userWithout();
  await expectHandled(inbox, webhook);
});

test('a refused duplicate of an event that waits or is a dead letter takes nothing away', async () => {
  const inbox = createInbox({ connection: await userWithout(), attempts: 1 });
  const [dead, waiting] = [stored(), stored({ type: 'agent_deleted' })];
  const worker = inbox.work(processing(() => Promise.reject(new Error('no'))));
  await inbox.store(dead);
  await eventually(async () => expect((await inbox.health()).deadLetters).toBe(1));
  await worker.close();
  await inbox.store(waiting);
  await userWithout('-xadd');
  for (const webhook of [dead, waiting])
    await expect(inbox.store(webhook)).rejects.toThrow(/lacks a permission/);
  await userWithout();
  expect(await inbox.deadLetters.list()).toMatchObject([{ id: dead.key, webhook: dead }]);
  await expectHandled(inbox, waiting);
});

async function expectHandled(inbox: ReturnType<typeof createInbox>, webhook: ReturnType<typeof stored>) {
  const handled: string[] = [];
  inbox.work(processing(async ({ key }) => void handled.push(key)));
  await inbox.store(webhook);
  await eventually(() => expect(handled).toContain(webhook.key));
}

test.each(['bzpopmin', 'zrangebyscore', 'time'])(
  'a worker that may not use %s pauses, is logged once, warned of for a minute, and resumes once allowed',
  async (command) => {
    const [first, second] = [stored(), stored()];
    await createInbox().store(first);
    const logger = new RecordingLogger();
    const inbox = createInbox({ connection: await userWithout(`-${command}`), logger });
    const handled: string[] = [];
    const { bullmq } = inbox.work(processing(async ({ key }) => void handled.push(key)));
    let errors = 0;
    bullmq.on('error', () => (errors += 1));
    const warned = { worker: expect.stringMatching(/worker.*permission/) };
    await eventually(async () => expect((await inbox.health()).warnings).toMatchObject(warned));
    await sleep(1_500);
    // Without a pause, there are thousands in a second.
    expect(errors).toBeLessThan(30);
    await userWithout();
    await createInbox().store(second);
    await eventually(() => expect(handled.sort()).toEqual([first.key, second.key]));
    const failures = logger.lines.filter((line) => line.includes('Redis failed'));
    expect(failures).toEqual([expect.stringContaining('permission')]);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => clock.mockRestore());
    await eventually(async () => expect((await inbox.health()).warnings).not.toHaveProperty('worker'));
  },
);

test('a worker that closes while it pauses is not resumed', async () => {
  const inbox = createInbox({ connection: await userWithout('-bzpopmin') });
  const worker = inbox.work({ lead_captured: () => undefined });
  const [paused, resumed] = [deferred(), vi.fn()];
  worker.bullmq.on('paused', paused.resolve).on('resumed', resumed);
  await paused.promise;
  await worker.close({ grace: 0 });
  await sleep(1_500);
  expect(resumed).not.toHaveBeenCalled();
});

test('a Redis older than 6.2 is refused', async () => {
  const { info } = Redis.prototype;
  const old = vi.spyOn(Redis.prototype, 'info').mockImplementation(async function (this: Redis, ...args) {
    const text = String(await Reflect.apply(info, this, args));
    return text.replace(/redis_version:\d\.\d/, 'redis_version:6.0');
  });
  onTestFinished(() => old.mockRestore());
  const tooOld = /Redis 6\.0\S* is too old\. The inbox needs 6\.2 or later/;
  await expect(createInbox().store(stored())).rejects.toThrow(tooOld);
  expect(await createInbox().health()).toMatchObject({
    ready: false,
    warnings: { unreachable: expect.stringMatching(tooOld) },
  });
});
