/**
 * The crash campaign: a sender, receivers and workers as real processes around a Redis, and everything that
 * makes operators lose events. Every event that got a 200 must have been handled, or be kept as a dead
 * letter.
 *
 * `CRASH_EVENTS=20000` sends 20,000 events in each scenario instead of 2,000, `CRASH_SEED` repeats a run, and
 * `CRASH_PERSISTENCE=everysec` or `none` shows in the scenario "kills" what a Redis that keeps less loses.
 * `-t kills` plays one.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { startProxy } from '../redis/proxy.js';
import { DURABLE } from '../support/redis-server.js';
import { expectPromiseKept } from './conclude.js';
import {
  addressOf,
  openAdmin,
  openRedis,
  replicaOnline,
  replicate,
  storageAt,
  withClient,
} from './servers.js';
import { EVENTS, SEED, Stage } from './stage.js';

console.log(`${EVENTS} events in each scenario, CRASH_SEED=${SEED}`);

/** A port on which nothing listens. */
const NOWHERE = 1;
/** Time for which the old primary still takes writes from connections that stay open, in ms. */
const STALE_MS = 2_000;

test('failover: a lagging replica is promoted, and every other time the old primary still takes writes', async () => {
  const args = [...DURABLE, '--repl-diskless-sync-delay', '0'];
  let primary = await openRedis(args);
  let replica = await openRedis(args);
  let link = await replicate(primary, replica);
  const proxy = await startProxy(primary.port);
  const stage = await Stage.open({ storage: storageAt(proxy), inbox: { replicas: 1 } });
  const counts = { failovers: 0, stale: 0 };
  await stage.send(EVENTS / 5, async () => {
    await replicaOnline(primary);
    const isStale = counts.failovers % 2 === 1;
    // Writes on their way to the replica are lost.
    link.lead(NOWHERE);
    link.cut();
    proxy.lead(replica.port);
    await withClient(replica, (client) => client.replicaof('NO', 'ONE'));
    if (isStale) await sleep(STALE_MS);
    else proxy.cut();
    link = await replicate(replica, primary);
    stage.forgotten.push(Date.now());
    [primary, replica] = [replica, primary];
    counts.failovers += 1;
    counts.stale += Number(isStale);
  });
  await expectPromiseKept(stage, () => ({
    faults: { failovers: counts.failovers, 'with a stale primary': counts.stale },
  }));
});

/** Memory for each event that will be sent: half of what it takes while it waits, and more than what stays of it. */
const ROOM_BYTES = 1_700;
/** The default of `highWater`. */
const HIGH_WATER = 0.85;

/** The memory of a small instance. */
const SMALL_BYTES = 24 * 1024 * 1024;
/** Time from a full Redis to the first worker, in ms. */
const WITHOUT_WORKERS_MS = 3_000;

test('full Redis: events wait for room until workers come, and none is refused', async () => {
  const redis = await openRedis();
  const admin = openAdmin(redis);
  await admin.config('SET', 'maxmemory', SMALL_BYTES);
  const stage = await Stage.open({ storage: storageAt(redis), workers: 0, senders: 20 });
  const left = async () =>
    SMALL_BYTES * HIGH_WATER - Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
  for (let part = 0; (await left()) > EVENTS * ROOM_BYTES; part += 1) {
    await admin.set(`other data ${part}`, '.'.repeat(100_000));
  }
  const { ledger, workers } = stage;
  const sending = stage.send(EVENTS, async () => undefined);
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

/** How Redis persists what it has acknowledged. */
const PERSISTENCE: Readonly<Record<string, readonly string[]>> = {
  always: DURABLE,
  everysec: [...DURABLE, '--appendfsync', 'everysec'],
  none: ['--save', '', '--appendonly', 'no'],
};
/** Ten faults, drawn in a new order each time: each kind happens in a short run too. */
const FAULTS = ['worker', 'worker', 'worker', 'worker', 'receiver', 'receiver', 'cut', 'cut', 'cut', 'redis'];
/** The mean number of events between two faults. */
const EVENTS_PER_FAULT = 150;

test('kills: workers, receivers and Redis are killed, and the network is cut', async () => {
  const persistence = process.env.CRASH_PERSISTENCE ?? 'always';
  const redis = await openRedis(PERSISTENCE[persistence]);
  const proxy = await startProxy(redis.port);
  const stage = await Stage.open({ storage: storageAt(proxy) });
  const { workers, receivers, random } = stage;
  const counts = { cuts: 0, redis: 0 };
  const bag: string[] = [];
  await stage.send(EVENTS_PER_FAULT, async () => {
    if (bag.length === 0) bag.push(...FAULTS);
    const [fault] = bag.splice(Math.floor(random() * bag.length), 1);
    if (fault === 'worker') workers.kill(Math.floor(random() * workers.size));
    else if (fault === 'receiver') receivers.kill(Math.floor(random() * receivers.size));
    else if (fault === 'cut') {
      counts.cuts += 1;
      proxy.cut();
    } else {
      counts.redis += 1;
      await redis.crash(random() * 500);
    }
  });
  await expectPromiseKept(stage, () => ({
    // Weaker persistence may lose events.
    mayLose: persistence !== 'always',
    faults: {
      'workers killed': workers.killed.size,
      'receivers killed': receivers.killed.size,
      'Redis killed': counts.redis,
      'network cut': counts.cuts,
    },
  }));
});

const USER = { username: 'inbox', password: 'campaign-password' };
/** Time for which Redis refuses, in ms. */
const REFUSING_MS = 3_000;
/** The most errors of a worker in a second of refusal. Without a pause, there would be about 10,000. */
const MAX_ERRORS_PER_SECOND = 50;

test('error replies: the user loses a permission, or the memory is full', async () => {
  const redis = await openRedis();
  const admin = openAdmin(redis);
  const acl = (...rules: string[]) => admin.call('ACL', 'SETUSER', USER.username, ...rules);
  await acl('on', `>${USER.password}`, '~*', '&*', '+@all');
  const stage = await Stage.open({ storage: { redis: { ...addressOf(redis), ...USER } } });
  const maxMemory = (bytes: string) => admin.config('SET', 'maxmemory', bytes);
  let refused = 0;
  await stage.send(EVENTS / 5, async () => {
    const isPermission = refused % 2 === 0;
    refused += 1;
    await (isPermission ? acl('-evalsha', '-eval') : maxMemory('1'));
    await sleep(REFUSING_MS);
    await (isPermission ? acl('+evalsha', '+eval') : maxMemory('0'));
  });
  await expectPromiseKept(stage, ({ steps }) => {
    const errors = steps.get('refused') ?? 0;
    const most = (MAX_ERRORS_PER_SECOND * stage.workers.size * refused * REFUSING_MS) / 1_000;
    return {
      faults: { 'times refused': refused, 'errors of workers': errors },
      rules: { [`workers repeat what is refused: ${errors} errors, at most ${most}`]: errors <= most },
    };
  });
});
