import { DURABLE, startRedis } from '../../../scripts/redis-server.js';
import { conclude, type Scenario } from '../scenario.js';
import { TYPES } from '../settings.js';
import { Stage } from '../stage.js';

/** A deployment replaces the workers one by one; the new ones have a handler for a type that the old ones do not know. */
export const deploy: Scenario = {
  name: 'rolling deploy',
  async play(play) {
    const redis = await startRedis(DURABLE);
    const worker = { types: [TYPES[0]] };
    const stage = await Stage.open(play, { redis: { host: '127.0.0.1', port: redis.port }, worker });
    const { workers } = stage;
    let replaced = 0;
    const replaceNext = async () => {
      if (replaced === workers.size) return;
      await workers.replace(replaced, stage.worker());
      replaced += 1;
    };
    await stage.send(play.events / 5, replaceNext);
    while (replaced < workers.size) await replaceNext();
    const outcome = await conclude(stage, ({ steps }) => ({
      faults: { 'workers replaced': replaced, 'without a handler': steps.get('unhandled') ?? 0 },
    }));
    await redis.stop();
    return outcome;
  },
};
