import { WebhookError } from 'agent-platform-sdk';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { makePrimary, makeReplica, startPair } from './replicated.js';

/** Starts a Redis that is a replica of one that is not there, and so takes no writes. */
async function startReplica() {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  await makeReplica(server.url, 1);
  return server;
}

function ownClient(url: string): Redis {
  const client = new Redis(url);
  onTestFinished(() => client.disconnect());
  return client;
}

test.each<[string, RegExp | undefined]>([
  ['stays where it is, as its settings say', /READONLY/],
  ['is duplicated for replicas, and follows', undefined],
])('a client that was passed in %s', async (_, refused) => {
  const pair = await startPair();
  const client = ownClient(pair.url);
  const replicas = refused === undefined ? 1 : 0;
  const inbox = createInbox({ connection: client, replicas, storeTimeout: refused ? 5_000 : 30_000 });
  await inbox.store(stored());
  await pair.failOver();
  if (refused) await expect(inbox.store(stored())).rejects.toThrow(refused);
  else await inbox.store(stored());
  expect([client.status, client.options.reconnectOnError]).toEqual(['ready', null]);
});

test('a worker on a client that was passed in takes events after a failover', async () => {
  const pair = await startPair();
  const logger = new RecordingLogger();
  const handled: string[] = [];
  createInbox({ connection: ownClient(pair.url), logger }).work(
    processing(async ({ key }) => void handled.push(key)),
  );
  const [before, after] = [stored(), stored()];
  await createInbox({ connection: pair.url }).store(before);
  await eventually(() => expect(handled).toEqual([before.key]));
  await pair.failOver();
  await createInbox({ connection: pair.replicaUrl }).store(after);
  await eventually(() => expect(handled).toEqual([before.key, after.key]));
  expect(logger.lines.join()).toContain('READONLY');
});

test('a claim that a replica refuses is rejected with the reason', async () => {
  const { url } = await startReplica();
  const store = createRedisDedupe({ connection: url, keyPrefix: 'crm:', timeout: 3_000 });
  onTestFinished(() => store.close());
  await expect(store.claim('key', 'owner', 60_000)).rejects.toThrow(
    'could not be claimed in Redis: READONLY',
  );
});

test('an event is rejected with the reason if Redis takes no writes for long, and stored when it does again', async () => {
  const server = await startReplica();
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: server.url, storeTimeout: 5_000, logger });
  const storing = inbox.store(stored());
  await expect(storing).rejects.toThrow(WebhookError);
  await expect(storing).rejects.toThrow(/could not be stored in Redis: READONLY/);
  expect(logger.lines.filter((line) => line.includes('Redis failed: READONLY'))).toHaveLength(1);
  await makePrimary(server.url);
  await inbox.store(stored());
  expect((await inbox.health()).waiting).toBe(1);
});
