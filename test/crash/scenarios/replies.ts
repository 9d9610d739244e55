import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DURABLE, startRedis } from '../../../scripts/redis-server.js';
import { conclude, type Scenario } from '../scenario.js';
import { Stage } from '../stage.js';

const USER = { username: 'inbox', password: 'campaign-password' };
/** Milliseconds for which Redis refuses. */
const REFUSING = 3_000;
/** The most errors of one worker in a second of refusal: it rests, where it would repeat its command ten thousand times. */
const MOST = 50;

/** Redis answers with errors for some seconds: the user loses a permission, or the memory is full. The user never has `INFO`. */
export const replies: Scenario = {
  name: 'error replies',
  async play(play) {
    const redis = await startRedis(DURABLE);
    const admin = new Redis(redis.url);
    await admin.call(
      'ACL',
      'SETUSER',
      USER.username,
      'on',
      `>${USER.password}`,
      '~*',
      '&*',
      '+@all',
      '-info',
    );
    const stage = await Stage.open(play, { redis: { host: '127.0.0.1', port: redis.port, ...USER } });
    const refusals = [
      {
        begin: () => admin.call('ACL', 'SETUSER', USER.username, '-evalsha', '-eval'),
        end: () => admin.call('ACL', 'SETUSER', USER.username, '+evalsha', '+eval'),
      },
      {
        begin: () => admin.config('SET', 'maxmemory', '1'),
        end: () => admin.config('SET', 'maxmemory', '0'),
      },
    ];
    let refused = 0;
    await stage.send(play.events / 5, async () => {
      const refusal = refusals[refused % refusals.length];
      refused += 1;
      await refusal?.begin();
      await sleep(REFUSING);
      await refusal?.end();
    });
    const outcome = await conclude(stage, ({ steps }) => {
      const errors = steps.get('refused') ?? 0;
      const most = (MOST * stage.workers.size * refused * REFUSING) / 1_000;
      return {
        faults: { 'times refused': refused, 'errors of workers': errors },
        rules: { [`workers repeat what is refused: ${errors} errors, at most ${most}`]: errors <= most },
      };
    });
    await admin.quit();
    await redis.stop();
    return outcome;
  },
};
