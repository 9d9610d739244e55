import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createInbox, redis, untilIdle, url } from '../bullmq/inbox-fixture.js';
import { eventually, processing, record, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { type ScriptedSentinel, scriptSentinel } from './scripted-sentinel.js';
import { startWatched } from './sentinels.js';

test('with three Sentinels, nothing acknowledged is lost when the Redis is killed', {
  timeout: 60_000,
}, async () => {
  const { connection, primary, failedOver } = await startWatched();
  const inbox = createInbox({ connection, replicas: 1 });
  const handled = new Set<string>();
  // An event that was taken, while the response was lost with the Redis, is free when its lock has expired.
  const worker = inbox.work(
    processing(async ({ key }) => void handled.add(key)),
    { lockDuration: 2_000 },
  );
  const keys: string[] = [];
  const one = async () => {
    const webhook = stored();
    await inbox.store(webhook);
    keys.push(webhook.key);
  };
  await Promise.all(Array.from({ length: 100 }, one));
  const killed = primary.stop();
  // They wait for the failover.
  await Promise.all(Array.from({ length: 50 }, one));
  await killed;
  await failedOver();
  await Promise.all(Array.from({ length: 50 }, one));
  await eventually(() => expect(keys.filter((key) => !handled.has(key))).toEqual([]));
  expect(keys).toHaveLength(200);
  await worker.close();
});

test('with three Sentinels, the connection to a Redis that was away and returned is left', {
  timeout: 60_000,
}, async () => {
  const { connection, primary, pause, resume, failedOver } = await startWatched();
  const inbox = createInbox({ connection });
  await inbox.store(stored());
  pause();
  onTestFinished(resume);
  const port = await failedOver();
  resume();
  const client = new Redis(port);
  onTestFinished(() => client.disconnect());
  expect(port).not.toBe(primary.port);
  // The old one takes writes until a Sentinel makes it a replica, ten seconds later, and loses them then. The
  // client notices within moments; only `replicas` keeps an event that is stored before.
  const reachesTheNewOne = async () => {
    const webhook = stored();
    await inbox.store(webhook);
    expect(await client.exists(`bull:agent-platform-webhooks:${webhook.key}`)).toBe(1);
  };
  await vi.waitFor(reachesTheNewOne, { timeout: 5_000, interval: 10 });
});

test('health warns of a client with Sentinels that does not listen for failovers', {
  timeout: 60_000,
}, async () => {
  const { connection } = await startWatched();
  for (const failoverDetector of [false, true]) {
    const client = new Redis({ ...connection, failoverDetector });
    onTestFinished(() => client.disconnect());
    const { warnings } = await createInbox({ connection: client }).health();
    expect(warnings.failover !== undefined).toBe(!failoverDetector);
  }
  // Set on purpose.
  const chosen = createInbox({ connection: { ...connection, failoverDetector: false } });
  expect((await chosen.health()).warnings.failover).toBeUndefined();
});

type SentinelOptions = ScriptedSentinel['connection'];

/** Cuts the connections of all clients, and announces a failover just as they ask for the primary. */
async function cutAndTell(
  sentinel: ScriptedSentinel,
  clients: number,
  meanwhile = () => undefined as unknown,
): Promise<void> {
  await sentinel.untilHeardBy(clients);
  const asked = sentinel.holdUntilAsked(clients);
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal');
  await asked;
  meanwhile();
  sentinel.tellFailover();
  // It arrives before the response, which is sent on another connection.
  await sleep(100);
  sentinel.release();
}

test.each([
  ['made by it', (options: SentinelOptions) => options],
  [
    'passed in',
    (options: SentinelOptions) => {
      const client = new Redis({ ...options, failoverDetector: true });
      onTestFinished(() => client.disconnect());
      return client;
    },
  ],
])(
  'an inbox still stores after a failover is reported while its client, %s, asks a Sentinel',
  async (_, connect) => {
    const sentinel = await scriptSentinel(Number(new URL(url).port));
    const inbox = createInbox({ connection: connect(sentinel.connection) });
    await inbox.store(stored());
    await cutAndTell(sentinel, 1);
    const webhook = stored();
    await inbox.store(webhook);
    expect(await redis.exists(`bull:agent-platform-webhooks:${webhook.key}`)).toBe(1);
  },
);

test('a worker records its run and takes events after a failover is reported while it asks a Sentinel', async () => {
  const sentinel = await scriptSentinel(Number(new URL(url).port));
  const [started, end] = [deferred(), deferred()];
  const { hooks, calls } = record();
  const process = vi.fn(async () => {
    started.resolve();
    await end.promise;
  });
  createInbox({ connection: sentinel.connection, hooks }).work(processing(process));
  const inbox = createInbox();
  await inbox.store(stored());
  await started.promise;
  // Recording the end of the run is rejected at first.
  await cutAndTell(sentinel, 2, end.resolve);
  await eventually(() => expect(calls).toEqual(['handled']));
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual(['handled', 'handled']));
  expect(process).toHaveBeenCalledTimes(2);
});

test('a dedupe store still works after a failover is reported while it asks a Sentinel', async () => {
  const sentinel = await scriptSentinel(Number(new URL(url).port));
  const store = createRedisDedupe({
    connection: { ...sentinel.connection, failoverDetector: true },
    keyPrefix: 'crm:',
  });
  onTestFinished(() => store.close());
  await store.claim('one', 'owner', 60_000);
  await cutAndTell(sentinel, 1);
  await expect(store.claim('other', 'owner', 60_000)).resolves.toBe('new');
});

test('a worker whose Sentinels are gone closes without them', async () => {
  const sentinel = await scriptSentinel(Number(new URL(url).port));
  const { hooks, calls } = record();
  // Its clients wait to connect again, and nothing else.
  const connection = { ...sentinel.connection, retryStrategy: () => 600_000 };
  const worker = createInbox({ connection, hooks }).work(processing(async () => undefined));
  await createInbox().store(stored());
  await eventually(() => expect(calls).toEqual(['handled']));
  await untilIdle(url);
  sentinel.stop();
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal');
  await sleep(100);
  await expect(worker.close({ grace: 500 })).resolves.toBeUndefined();
});
