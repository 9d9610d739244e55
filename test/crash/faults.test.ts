/**
 * The crash campaign: a sender, receivers and workers as real processes around a Redis, and everything that
 * makes operators lose events. Every event that got a 200 must have been handled, or be kept as a dead
 * letter.
 *
 * `CRASH_EVENTS=20000` sends 20,000 events in each scenario instead of 1,000, and `CRASH_SEED` repeats a run.
 * `-t kills` plays one. The same on a file and on Postgres is in the folders beside.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { startProxy } from '../redis/proxy.js';
import { makePrimary, makeReplica, openClient } from '../redis/servers.js';
import { DURABLE, openRedis, type RedisServer } from '../support/redis-server.js';
import { expectPromiseKept } from './conclude.js';
import { play, playKills } from './scenarios.js';
import { EVENTS, IS_SHORT, Stage } from './stage.js';

/** Time for which the old primary still takes writes from connections that stay open, in ms. */
const STALE_MS = 2_000;

/** Time that a write takes to the replica, in ms. */
const LAG_MS = 50;

/** Makes one Redis the replica of another, over a network with a lag. */
async function replicate(primary: RedisServer, replica: RedisServer) {
  const link = await startProxy(primary.port, LAG_MS);
  await makeReplica(replica, link.port);
  return link;
}

test('failover: a lagging replica is promoted, and every other time the old primary still takes writes', async () => {
  let [primary, replica] = [await openRedis(...DURABLE), await openRedis(...DURABLE)];
  let link = await replicate(primary, replica);
  const proxy = await startProxy(primary.port);
  const options = { storage: { redis: proxy.url }, inbox: { replicas: 1 } };
  const failOver = async ({ forgotten }: Stage, times: number) => {
    // Until the replica has caught up but for the lag.
    const admin = openClient(primary.url);
    while (!(await admin.info('replication')).includes('state=online')) await sleep(50);
    // Writes on their way to the replica are lost.
    link.lead(1);
    link.cut();
    proxy.lead(replica.port);
    await makePrimary(replica);
    if (times % 2 === 1) await sleep(STALE_MS);
    else proxy.cut();
    link = await replicate(replica, primary);
    forgotten.push(Date.now());
    [primary, replica] = [replica, primary];
  };
  await play('failovers', EVENTS / 5, options, failOver, (times) => ({
    faults: { 'with a stale primary': Math.floor(times / 2) },
  }));
});

/** With fewer events, Redis does not get full. */
const FILLING_EVENTS = Math.max(EVENTS, 2_000);
/** Memory for each event that will be sent: half of what it takes while it waits, and more than what stays of it. */
const ROOM_BYTES = 1_700;
/** The default of `highWater`. */
const HIGH_WATER = 0.85;
/** The memory of a small instance. */
const SMALL_BYTES = 24 * 1024 * 1024;
/** Time from a full Redis to the first worker, in ms. */
const WITHOUT_WORKERS_MS = 3_000;

test('full Redis: events wait for room until workers come, and none is refused', async () => {
  const redis = await openRedis(...DURABLE);
  const admin = openClient(redis.url);
  await admin.config('SET', 'maxmemory', SMALL_BYTES);
  const stage = await Stage.open({
    storage: { redis: redis.url },
    events: FILLING_EVENTS,
    workers: 0,
    senders: 20,
  });
  const left = async () =>
    SMALL_BYTES * HIGH_WATER - Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
  for (let part = 0; (await left()) > FILLING_EVENTS * ROOM_BYTES; part += 1) {
    await admin.set(`other data ${part}`, '.'.repeat(100_000));
  }
  const { ledger, workers } = stage;
  const sending = stage.send();
  while ((await stage.inbox.health()).warnings.full === undefined) await sleep(50);
  const acknowledged = ledger.acknowledged.size;
  await sleep(WITHOUT_WORKERS_MS);
  for (let index = 0; index < 3; index += 1) workers.add(stage.worker());
  await sending;
  const refused = (ledger.outcomes.get('500') ?? 0) + (ledger.outcomes.get('no response') ?? 0);
  await expectPromiseKept(stage, () => ({
    faults: {
      'acknowledged before it was full': acknowledged,
      'acknowledged afterwards': ledger.acknowledged.size - acknowledged,
    },
    rules: { [`none is refused: ${refused}`]: refused === 0 },
  }));
});

test('kills: workers, receivers and Redis are killed, and the network is cut', async () => {
  const redis = await openRedis(...DURABLE);
  const proxy = await startProxy(redis.port);
  // With as many stalls as by default.
  const options = { storage: { redis: proxy.url }, worker: {} };
  await playKills(150, options, {
    'network cut': [3, () => proxy.cut()],
    'Redis killed': [1, (random) => redis.crash(random() * 500)],
  });
});

/** Time for which Redis refuses, in ms. */
const REFUSING_MS = 3_000;
/** The most errors of three workers in a second of refusal. Without a pause, there would be about 30,000. */
const MAX_ERRORS_PER_SECOND = 150;

test('error replies: the user loses a permission, or the memory is full', async () => {
  const { url } = await openRedis(...DURABLE);
  const admin = openClient(url);
  const acl = (...rules: string[]) => admin.call('ACL', 'SETUSER', 'inbox', ...rules);
  await acl('on', '>password', '~*', '&*', '+@all');
  const maxMemory = (bytes: string) => admin.config('SET', 'maxmemory', bytes);
  const storage = { redis: url.replace('redis://', 'redis://inbox:password@') };
  const refuse = async (_: Stage, times: number) => {
    const isPermission = times % 2 === 0;
    await (isPermission ? acl('-evalsha', '-eval') : maxMemory('1'));
    await sleep(REFUSING_MS);
    await (isPermission ? acl('+evalsha', '+eval') : maxMemory('0'));
  };
  await play('times refused', EVENTS / 5, { storage }, refuse, (times, { count }) => {
    const errors = count('refused');
    const most = (MAX_ERRORS_PER_SECOND * times * REFUSING_MS) / 1_000;
    return {
      faults: { 'errors of workers': errors },
      rules: { [`workers repeat what is refused: ${errors} errors, at most ${most}`]: errors <= most },
    };
  });
});

/** Times for which Redis is frozen, in ms: below and above the timeout of the sockets that store. */
const FROZEN_MS = [2_000, 15_000];

test('frozen Redis: its process stops, keeps its connections, and responds to nothing', async () => {
  const redis = await openRedis(...DURABLE);
  const freeze = async (_: Stage, times: number) => {
    redis.freeze();
    await sleep(FROZEN_MS[times % FROZEN_MS.length]);
    redis.thaw();
  };
  await play('times frozen', EVENTS / (IS_SHORT ? 3 : 5), { storage: { redis: redis.url } }, freeze);
});
