import { DURABLE, startRedis } from '../../../scripts/redis-server.js';
import { startProxy } from '../cut-proxy.js';
import { conclude, type Scenario } from '../scenario.js';
import { Stage } from '../stage.js';

/** The ways in which Redis keeps what it has acknowledged. */
const PERSISTENCE: Readonly<Record<string, readonly string[]>> = {
  always: DURABLE,
  everysec: [...DURABLE, '--appendfsync', 'everysec'],
  none: ['--save', '', '--appendonly', 'no'],
};

/** The faults of each ten, in an order that is drawn anew: so each happens in a short run too. */
const FAULTS = ['worker', 'worker', 'worker', 'worker', 'receiver', 'receiver', 'cut', 'cut', 'cut', 'redis'];
/** Events between two faults, on average. */
const GAP = 150;

/** Kills workers, receivers and Redis, and cuts the network. Weaker persistence than `always` may lose events. */
export const kills = (persistence: string): Scenario => ({
  name: persistence === 'always' ? 'kills' : `kills, persistence ${persistence}`,
  async play(play) {
    const redis = await startRedis(PERSISTENCE[persistence]);
    const proxy = await startProxy(redis.port);
    const stage = await Stage.open(play, { redis: { host: '127.0.0.1', port: proxy.port } });
    const { workers, receivers, random } = stage;
    const counts = { cuts: 0, redis: 0 };
    const bag: string[] = [];
    await stage.send(GAP, async () => {
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
    const outcome = await conclude(stage, () => ({
      mayLose: persistence !== 'always',
      faults: {
        'workers killed': workers.killed.size,
        'receivers killed': receivers.killed.size,
        'Redis killed': counts.redis,
        'network cut': counts.cuts,
      },
    }));
    proxy.close();
    await redis.stop();
    return outcome;
  },
});
