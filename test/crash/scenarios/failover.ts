import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { DURABLE, type RedisServer, startRedis } from '../../../scripts/redis-server.js';
import { startProxy } from '../cut-proxy.js';
import { conclude, type Scenario } from '../scenario.js';
import { Stage } from '../stage.js';

/** Milliseconds that a write is on its way to the replica. */
const LAG = 50;
/** Milliseconds for which the old primary goes on taking writes, from connections that stay open. */
const STALE = 2_000;

/**
 * A replica that lags is promoted, again and again, with `replicas: 1`. Each second time the old primary is not gone, but
 * goes on for some seconds with the connections that it has, and then loses what it took.
 */
export const failover: Scenario = {
  name: 'failover',
  async play(play) {
    const args = [...DURABLE, '--repl-diskless-sync-delay', '0'];
    let primary = await startRedis(args);
    let replica = await startRedis(args);
    let link = await replicate(primary, replica);
    const name = await startProxy(primary.port);
    const stage = await Stage.open(play, {
      redis: { host: '127.0.0.1', port: name.port },
      inbox: { replicas: 1 },
    });
    const counts = { failovers: 0, stale: 0 };
    await stage.send(play.events / 5, async () => {
      await linked(primary);
      const isStale = counts.failovers % 2 === 1;
      // Writes on their way to the replica are gone.
      link.close();
      name.lead(replica.port);
      await ask(replica, (client) => client.replicaof('NO', 'ONE'));
      if (isStale) await sleep(STALE);
      else name.cut();
      link = await replicate(replica, primary);
      stage.forgotten.push(Date.now());
      [primary, replica] = [replica, primary];
      counts.failovers += 1;
      counts.stale += Number(isStale);
    });
    const outcome = await conclude(stage, () => ({
      faults: { failovers: counts.failovers, 'with a stale primary': counts.stale },
    }));
    name.close();
    link.close();
    await Promise.all([primary.stop(), replica.stop()]);
    return outcome;
  },
};

/** Lets one Redis be the replica of another, over a network with a lag. */
async function replicate(primary: RedisServer, replica: RedisServer) {
  const link = await startProxy(primary.port, LAG);
  await ask(replica, (client) => client.replicaof('127.0.0.1', link.port));
  return link;
}

/** Resolves when the replica of a Redis has caught up, and only lags. */
async function linked(primary: RedisServer): Promise<void> {
  await ask(primary, async (client) => {
    while (!/state=online/.test(await client.info('replication'))) await sleep(50);
  });
}

async function ask(server: RedisServer, act: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(server.url);
  await act(client);
  await client.quit();
}
