import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { eventually } from '../inbox/fixture.js';
import { freePort } from '../support/free-port.js';
import { newFile } from '../support/new-file.js';
import { openRedis } from '../support/redis-server.js';
import { makeReplica, openClient, untilCopied } from './servers.js';

const NAME = 'inbox';

/** Starts a Redis, its replica, and a Sentinel that lets that take over within a second or two, until the test ends. */
export async function startWatched() {
  const [primary, replica] = [await openRedis(), await openRedis()];
  await makeReplica(replica, primary.port);
  await untilCopied(primary);
  const port = await startSentinel(primary.port);
  const sentinel = openClient(`redis://127.0.0.1:${port}`);
  await eventually(async () => expect(await sentinel.call('SENTINEL', 'replicas', NAME)).toHaveLength(1));
  return {
    /** Options with which ioredis asks the Sentinel for the Redis that takes writes. */
    connection: { sentinels: [{ host: '127.0.0.1', port }], name: NAME },
    primary,
    replica,
    /** Resolves when the Sentinel names the replica. */
    failedOver: () =>
      eventually(async () =>
        expect(await sentinel.call('SENTINEL', 'get-master-addr-by-name', NAME)).toContain(
          String(replica.port),
        ),
      ),
  };
}

/** Resolves with the port of the Sentinel. */
async function startSentinel(primary: number): Promise<number> {
  const port = await freePort();
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    `sentinel monitor ${NAME} 127.0.0.1 ${primary} 1`,
    `sentinel down-after-milliseconds ${NAME} 1000`,
    `sentinel failover-timeout ${NAME} 3000`,
  ];
  const settings = newFile(lines.join('\n'));
  const server = spawn('redis-server', [settings, '--sentinel'], { cwd: dirname(settings), stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    await ended;
  });
  return port;
}
