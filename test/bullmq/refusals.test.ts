import { connect, createServer } from 'node:net';
import { Transform } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { listenOnLoopback } from '../support/loopback.js';
import { createInbox, port, redis, userWithout } from './inbox-fixture.js';

// A Redis that lacks a command of BullMQ's scripts stops them half way.

const queue = 'bull:agent-platform-webhooks';

/** The commands with which BullMQ adds a job until it is in the list, in their order. */
const ADDING = ['exists', 'incr', 'set', 'hmset', 'xadd', 'lpush'];

test.each([...ADDING, 'zadd'])('without %s nothing is stored, and a later delivery is', async (command) => {
  const connection = await userWithout(`-${command}`);
  const webhook = stored();
  await expect(createInbox({ connection }).store(webhook)).rejects.toThrow(/lacks a permission/);
  await expect(createInbox({ connection }).store(webhook)).rejects.toThrow(/lacks a permission/);
  expect(await redis.keys(`${queue}:*${webhook.key}`)).toEqual([]);
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
      (await redis.keys(`${queue}-probe:*`)).filter((key) => /probe:(de:|[0-9a-f]{8}-)/.test(key)),
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
  'a worker that may not use %s is a warning of the health in its process, for a minute',
  async (command) => {
    await createInbox().store(stored());
    const inbox = createInbox({ connection: await userWithout(`-${command}`) });
    inbox.work({ lead_captured: () => undefined });
    await eventually(async () =>
      expect((await inbox.health()).warnings).toMatchObject({
        worker: expect.stringMatching(/worker.*permission/),
      }),
    );
    await userWithout();
    await sleep(1_500);
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    onTestFinished(() => clock.mockRestore());
    await eventually(async () => expect((await inbox.health()).warnings).not.toHaveProperty('worker'));
  },
);

test('a Redis older than 6.2 is refused', async () => {
  const server = createServer((inside) => {
    const outside = connect(port, '127.0.0.1');
    const older = new Transform({
      transform: (chunk: Buffer, _, done) =>
        done(
          null,
          Buffer.from(
            chunk.toString('latin1').replace(/redis_version:\d\.\d/, 'redis_version:6.0'),
            'latin1',
          ),
        ),
    });
    inside
      .on('error', () => outside.destroy())
      .pipe(outside)
      .on('error', () => inside.destroy());
    outside.pipe(older).pipe(inside);
  });
  const old = await listenOnLoopback(server);
  const inbox = createInbox({ connection: `redis://127.0.0.1:${old}` });
  const tooOld = /Redis 6\.0\S* is too old\. The inbox needs 6\.2 or later/;
  await expect(inbox.store(stored())).rejects.toThrow(tooOld);
  const { ready, warnings } = await inbox.health();
  expect([ready, warnings]).toEqual([false, { unreachable: expect.stringMatching(tooOld) }]);
});
