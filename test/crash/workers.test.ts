/** The scenarios of the crash campaign in which workers, receivers or handlers are slow, absent, replaced, or end. */

import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { expectPromiseKept } from './conclude.js';
import { playClocks, playDeploy, playPoison } from './scenarios.js';
import { openRedis, storageAt } from './servers.js';
import { EVENTS, IS_SHORT, Stage } from './stage.js';

test('rolling deploy: workers are replaced by workers with a handler for one more type', async () =>
  playDeploy(storageAt(await openRedis())));

test('stepping clocks: those of all processes are set ahead and back by up to a month', async () =>
  playClocks(storageAt(await openRedis())));

test('poison: some events end their worker, and some block it', async () =>
  playPoison(storageAt(await openRedis())));

test('hung handlers: more handlers never settle than a worker runs at once', async () => {
  const redis = await openRedis();
  // About twenty events, in a short and in a full campaign.
  const worker = IS_SHORT
    ? { hanging: 0.01, failing: 0, options: { handlerTimeout: 2_000 } }
    : { hanging: 0.001, failing: 0 };
  const stage = await Stage.open({ storage: storageAt(redis), worker });
  await stage.send(EVENTS, async () => undefined);
  await expectPromiseKept(stage, ({ steps }) => ({
    faults: { 'handlers timed out': steps.get('failed') ?? 0 },
  }));
});

test('blocked event loop: some events block every worker for longer than its locks last', async () => {
  const redis = await openRedis();
  const blocking = IS_SHORT ? { share: 1 / 700, ms: 6_000 } : { share: 1 / 10_000, ms: 70_000 };
  const stage = await Stage.open({ storage: storageAt(redis), worker: { blocking } });
  await stage.send(EVENTS, async () => undefined);
  await expectPromiseKept(stage, ({ steps }) => ({ faults: { 'runs blocked': steps.get('blocked') ?? 0 } }));
});

/** Times for which Redis is frozen, in ms: below and above the timeout of the sockets that store. */
const FROZEN_MS = [2_000, 15_000];

test('frozen Redis: its process stops, keeps its connections, and responds to nothing', async () => {
  const redis = await openRedis();
  const stage = await Stage.open({ storage: storageAt(redis) });
  let frozen = 0;
  await stage.send(EVENTS / (IS_SHORT ? 3 : 5), async () => {
    redis.freeze();
    await sleep(FROZEN_MS[frozen % FROZEN_MS.length]);
    redis.thaw();
    frozen += 1;
  });
  await expectPromiseKept(stage, () => ({ faults: { 'times frozen': frozen } }));
});

/** Time within which a receiver ends under traffic, in ms, on a busy machine. */
const SHUTDOWN_MS = 10_000;
/** Time from the start of a receiver to the end of the next, in ms: most events should find one. */
const UPTIME_MS = 2_000;

test('shutdown under traffic: receivers end by the recipe of the guides, and are started again', async () => {
  const redis = await openRedis();
  const stage = await Stage.open({ storage: storageAt(redis) });
  const { receivers } = stage;
  let [replaced, slowest] = [0, 0];
  await stage.send(EVENTS / 10, async () => {
    const start = performance.now();
    await receivers.replace(replaced % receivers.size);
    slowest = Math.max(slowest, Math.ceil(performance.now() - start));
    replaced += 1;
    await sleep(UPTIME_MS);
  });
  await expectPromiseKept(stage, () => ({
    faults: { 'receivers replaced': replaced },
    rules: { [`a receiver took ${slowest} ms to end, at most ${SHUTDOWN_MS}`]: slowest <= SHUTDOWN_MS },
  }));
});
