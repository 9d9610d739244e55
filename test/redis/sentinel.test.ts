import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createInbox, redis, url } from '../bullmq/inbox-fixture.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { scriptSentinel } from './scripted-sentinel.js';
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

test('an inbox on a client that was passed in stores after a failover is reported while it asks a Sentinel', async () => {
  const sentinel = await scriptSentinel(Number(new URL(url).port));
  const connection = new Redis({ ...sentinel.connection, failoverDetector: true });
  onTestFinished(() => connection.disconnect());
  const inbox = createInbox({ connection });
  await inbox.store(stored());
  await sentinel.untilHeardBy(1);
  const asked = sentinel.holdUntilAsked(1);
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal');
  await asked;
  sentinel.tellFailover();
  // It arrives before the response, which is sent on another connection.
  await sleep(100);
  sentinel.release();
  const webhook = stored();
  await inbox.store(webhook);
  expect(await redis.exists(`bull:agent-platform-webhooks:${webhook.key}`)).toBe(1);
});
