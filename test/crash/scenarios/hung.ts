import { DURABLE, startRedis } from '../../../scripts/redis-server.js';
import { conclude, type Scenario } from '../scenario.js';
import { Stage } from '../stage.js';

/** Some handlers never settle, more than a worker has places for. */
export const hung: Scenario = {
  name: 'hung handlers',
  async play(play) {
    const redis = await startRedis(DURABLE);
    // About twenty events in both forms.
    const worker = play.isShort
      ? { hanging: 0.01, failing: 0, options: { handlerTimeout: 2_000 } }
      : { hanging: 0.001, failing: 0 };
    const stage = await Stage.open(play, { redis: { host: '127.0.0.1', port: redis.port }, worker });
    await stage.send(play.events, async () => undefined);
    const outcome = await conclude(stage, ({ steps }) => ({
      faults: { 'handlers given up': steps.get('failed') ?? 0 },
    }));
    await redis.stop();
    return outcome;
  },
};
