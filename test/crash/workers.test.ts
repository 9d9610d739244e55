/** The scenarios of the crash campaign in which workers or their handlers are slow, absent, replaced, or end. */
import { test } from 'vitest';
import { DURABLE, openRedis } from '../support/redis-server.js';
import { expectPromiseKept } from './conclude.js';
import { testClocks, testPoison } from './scenarios.js';
import type { WorkerSettings } from './settings.js';
import { EVENTS, IS_SHORT, Stage } from './stage.js';

const open = async () => ({ redis: (await openRedis(...DURABLE)).url });

testClocks(async () => ({ storage: await open() }));
testPoison(open);

test.each<[what: string, worker: WorkerSettings, fault: 'failed' | 'blocked']>([
  [
    'hung handlers: more handlers never settle than a worker runs at once',
    // About twenty events, in a short and in a full campaign.
    { hanging: 20 / EVENTS, failing: 0, options: IS_SHORT ? { handlerTimeout: 2_000 } : {} },
    'failed',
  ],
  [
    'blocked event loop: some events block every worker for longer than its locks last',
    { blocking: IS_SHORT ? { share: 3 / EVENTS, ms: 6_000 } : { share: 1 / 10_000, ms: 70_000 } },
    'blocked',
  ],
])('%s', async (_, worker, fault) => {
  const stage = await Stage.open({ storage: await open(), worker });
  await stage.send();
  await expectPromiseKept(stage, ({ count }) => ({ faults: { [`runs ${fault}`]: count(fault) } }));
});
