import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWebhook } from 'agent-platform-sdk';
import type { RedisConnection } from 'agent-platform-sdk/redis';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { describe, expect, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, processing, record, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { DURABLE, openRedis } from '../support/redis-server.js';
import { openCluster, startCluster } from './cluster.js';
import { scriptSentinel } from './scripted-sentinel.js';
import { startWatched } from './sentinels.js';
import { openClient, openStore, startPair, untilCopied } from './servers.js';

// What an inbox, a worker and a dedupe store do on every kind of Redis.

/** A Redis of some kind, until the test ends. */
interface Topology {
  readonly connect: () => RedisConnection;
  /** The addresses of those that run the commands of a worker. */
  readonly urls: readonly string[];
  /** Makes another Redis take the writes, or the same one again; see `cluster.test.ts` for a cluster. Calls `meanwhile` before clients find it. */
  readonly failOver?: (meanwhile: () => void) => Promise<unknown>;
  stop(): Promise<unknown>;
}

async function single(): Promise<Topology> {
  const server = await openRedis(...DURABLE);
  const failOver = async (meanwhile: () => void) => {
    const crashed = server.crash(500);
    meanwhile();
    await crashed;
  };
  return { connect: () => server.url, urls: [server.url], failOver, stop: () => server.stop() };
}

/** Its connections stay open to a Redis that is a replica now. */
const replicated = (connect: (url: string) => RedisConnection) => async (): Promise<Topology> => {
  const { address, primary, replica, ...pair } = await startPair();
  const failOver = async (meanwhile: () => void) => {
    await pair.failOver();
    meanwhile();
  };
  const stop = () => Promise.all([primary.stop(), replica.stop()]);
  return { connect: () => connect(address.url), urls: [address.url], failOver, stop };
};

async function watched(): Promise<Topology> {
  const { connection, primary, replica, failedOver } = await startWatched();
  const failOver = async (meanwhile: () => void) => {
    await untilCopied(primary);
    await primary.stop();
    meanwhile();
    await failedOver();
  };
  const stop = () => Promise.all([primary.stop(), replica.stop()]);
  return { connect: () => connection, urls: [primary.url], failOver, stop };
}

/** A failover is reported just as clients ask for the Redis that takes writes. */
async function reported(): Promise<Topology> {
  const server = await openRedis();
  const sentinel = await scriptSentinel(server.port);
  // Those of the inbox, of its worker, which has two, and of the dedupe store.
  const failOver = (meanwhile: () => void) => sentinel.failOver(4, meanwhile);
  const stop = async () => {
    sentinel.stop();
    await server.stop();
  };
  return { connect: () => sentinel.connection, urls: [server.url], failOver, stop };
}

async function cluster(): Promise<Topology> {
  const servers = await startCluster();
  return {
    // A worker cannot use this setting.
    connect: () => openCluster(servers, { redisOptions: { maxRetriesPerRequest: 2 } }),
    urls: servers.map(({ url }) => url),
    stop: () => Promise.all(servers.map((server) => server.stop())),
  };
}

const asOptions = (url: string) => ({ host: '127.0.0.1', port: Number(new URL(url).port) });

describe.each<[string, start: () => Promise<Topology>]>([
  ['a Redis that restarts', single],
  ['a Redis with a replica, by its URL', replicated((url) => url)],
  ['a Redis with a replica, by options', replicated(asOptions)],
  ['a Sentinel', watched],
  ['a Sentinel that reports a failover while it is asked', reported],
  ['a cluster', cluster],
])('%s', (_, start) => {
  test('the dedupe store keeps every rule, and failed events run again', async () => {
    const { connect } = await start();
    const connection = connect();
    const setUp = () => ({ store: openStore({ connection, keyPrefix: `${crypto.randomUUID()}:` }) });
    await Promise.all(dedupeStoreConformance.map(({ run }) => run(setUp)));
    const { hooks, calls } = record();
    const inbox = createInbox({ connection, hooks });
    let runs = 0;
    inbox.work(processing(() => (++runs < 3 ? Promise.reject(new Error('no')) : Promise.resolve())));
    await inbox.store(stored());
    await eventually(() => expect(calls).toEqual(['retry', 'retry', 'handled']));
    expect(await inbox.health()).toMatchObject({ ready: true, depth: 0 });
  });

  test('after a failover, a run that went on is recorded, events are stored and run, and a claim is made', async ({
    skip,
  }) => {
    const { connect, failOver } = await start();
    if (failOver === undefined) return skip();
    const { hooks, runs: handled } = record();
    const store = openStore({ connection: connect(), timeout: 25_000 });
    const [started, end] = [deferred(), deferred()];
    const inbox = createInbox({ connection: connect(), hooks });
    const [first, ...others] = [stored(), stored(), stored(), stored()];
    let runs = 0;
    const handlers = processing(({ key }) => {
      if (key === first?.key) runs += 1;
      started.resolve();
      return end.promise;
    });
    // An event that was taken, while the response was lost with the Redis, is free when its lock has expired.
    inbox.work(handlers, { lockDuration: 2_000 });
    await inbox.store(first as StoredWebhook);
    await started.promise;
    expect(await store.claim('before', 'owner', 60_000)).toBe('new');
    await failOver(end.resolve);
    // They may wait until another Redis has taken over.
    await Promise.all(others.map((event) => inbox.store(event)));
    expect(await store.claim('after', 'owner', 60_000)).toBe('new');
    await eventually(() => expect(new Set(handled.map(({ key }) => key)).size).toBe(4));
    expect(runs).toBe(1);
    await eventually(async () => expect(await inbox.health()).toMatchObject({ ready: true, depth: 0 }));
  }, 90_000);

  test('a worker whose Redis is gone closes without it', async () => {
    const { connect, urls, stop } = await start();
    const { hooks, calls } = record();
    const inbox = createInbox({ connection: connect(), hooks });
    const worker = inbox.work(processing(async () => undefined));
    await inbox.store(stored());
    await eventually(() => expect(calls).toEqual(['handled']));
    // Only then it waits for events, and not for another command.
    const clients = urls.map((url) => openClient(url));
    await eventually(async () => {
      const lists = await Promise.all(clients.map((client) => client.client('LIST')));
      expect(lists.join()).toContain('cmd=bzpopmin');
    });
    await stop();
    // Its clients wait to connect again.
    await sleep(500);
    await expect(worker.close({ grace: 500 })).resolves.toBeUndefined();
  });
});
