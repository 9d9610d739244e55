import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox, redis, url } from '../bullmq/inbox-fixture.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { type ScriptedSentinel, scriptSentinel } from './scripted-sentinel.js';
import { openClient, startPair } from './servers.js';

// What only concerns a client that was passed in: `topologies.test.ts` has the rest.

test.each<[string, RegExp | undefined]>([
  ['stays where it is, as its settings say', /could not be stored in Redis: READONLY/],
  ['is duplicated for replicas, and follows', undefined],
])('a client that was passed in %s', async (_, refused) => {
  const { address, failOver } = await startPair();
  const client = openClient(address.url);
  const replicas = refused === undefined ? 1 : 0;
  const inbox = createInbox({ connection: client, replicas, storeTimeout: refused ? 5_000 : 30_000 });
  await inbox.store(stored());
  await failOver();
  if (refused) await expect(inbox.store(stored())).rejects.toThrow(refused);
  else await inbox.store(stored());
  expect([client.status, client.options.reconnectOnError]).toEqual(['ready', null]);
});

test('a worker on a client that was passed in takes events after a failover, and an inbox on an address stores them', async () => {
  const { address, failOver } = await startPair();
  const [storing, working] = [new RecordingLogger(), new RecordingLogger()];
  const inbox = createInbox({ connection: address.url, logger: storing });
  const handled: string[] = [];
  createInbox({ connection: openClient(address.url), logger: working }).work(
    processing(async ({ key }) => void handled.push(key)),
  );
  const [before, after] = [stored(), stored()];
  await inbox.store(before);
  await eventually(() => expect(handled).toEqual([before.key]));
  await failOver();
  await inbox.store(after);
  await eventually(() => expect(handled).toEqual([before.key, after.key]));
  for (const { lines } of [storing, working]) {
    expect(lines.filter((line) => line.includes('Redis failed: READONLY'))).toHaveLength(1);
  }
});

function clientOf({ connection }: ScriptedSentinel, failoverDetector: boolean): Redis {
  const client = new Redis({ ...connection, failoverDetector });
  onTestFinished(() => client.disconnect());
  return client;
}

test('an inbox on a client with a Sentinel stores after a failover that is reported while it asks', async () => {
  const sentinel = await scriptSentinel(Number(new URL(url).port));
  const inbox = createInbox({ connection: clientOf(sentinel, true) });
  await inbox.store(stored());
  await sentinel.failOver(1);
  const webhook = stored();
  await inbox.store(webhook);
  expect(await redis.exists(`bull:agent-platform-webhooks:${webhook.key}`)).toBe(1);
});

test('health warns of a client with a Sentinel that does not listen for failovers', async () => {
  const sentinel = await scriptSentinel(Number(new URL(url).port));
  const { connection } = sentinel;
  const warned = async (one: Redis | object) =>
    (await createInbox({ connection: one }).health()).warnings.failover !== undefined;
  expect(await warned(clientOf(sentinel, false))).toBe(true);
  expect(await warned(clientOf(sentinel, true))).toBe(false);
  // Set on purpose.
  expect(await warned({ ...connection, failoverDetector: false })).toBe(false);
});
