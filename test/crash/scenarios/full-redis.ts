import { Redis } from 'ioredis';
import { DURABLE, startRedis } from '../../../scripts/redis-server.js';
import { conclude, type Scenario } from '../scenario.js';
import { Stage } from '../stage.js';

const WORKERS = 3;
/** Bytes of memory for each event that will be sent: a third of what it takes while it waits. */
const ROOM = 1_000;
/** Bytes that others keep in this Redis: of a tiny one, the connections of the workers alone would take what is left above the mark. */
const OTHERS = 8 * 1024 * 1024;
/** The default of `highWater`. */
const HIGH_WATER = 0.85;

/** Redis fills up while no worker is there. Then workers come, empty it, and events are accepted again. */
export const fullRedis: Scenario = {
  name: 'full Redis',
  async play(play) {
    const redis = await startRedis(DURABLE);
    const admin = new Redis(redis.url);
    await admin.setrange('data of others', OTHERS, '.');
    const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
    await admin.config('SET', 'maxmemory', Math.ceil((used + play.events * ROOM) / HIGH_WATER));
    const stage = await Stage.open(play, { redis: { host: '127.0.0.1', port: redis.port }, workers: 0 });
    const { ledger, workers } = stage;
    let [refused, acknowledged] = [0, 0];
    await stage.send(play.events / 2, async () => {
      if (workers.size > 0) return;
      refused = ledger.outcomes.get('500') ?? 0;
      acknowledged = ledger.acknowledged.size;
      for (let index = 0; index < WORKERS; index += 1) workers.add(stage.worker());
    });
    const outcome = await conclude(stage, () => ({
      faults: {
        'refused while full': refused,
        'acknowledged before': acknowledged,
        'acknowledged again': ledger.acknowledged.size - acknowledged,
      },
    }));
    await admin.quit();
    await redis.stop();
    return outcome;
  },
};
