import { DURABLE, startRedis } from '../../../scripts/redis-server.js';
import { conclude, type Scenario } from '../scenario.js';
import { Stage } from '../stage.js';

/** Some events block the event loop of every worker that runs them, for longer than the locks of its events last. */
export const blocked: Scenario = {
  name: 'blocked event loop',
  async play(play) {
    const redis = await startRedis(DURABLE);
    const blocking = play.isShort ? { share: 1 / 700, ms: 6_000 } : { share: 1 / 10_000, ms: 70_000 };
    const stage = await Stage.open(play, {
      redis: { host: '127.0.0.1', port: redis.port },
      worker: { blocking },
    });
    await stage.send(play.events, async () => undefined);
    const outcome = await conclude(stage, ({ steps }) => ({
      faults: { 'locks lost': steps.get('lost') ?? 0, 'events taken over': steps.get('stalled') ?? 0 },
    }));
    await redis.stop();
    return outcome;
  },
};
