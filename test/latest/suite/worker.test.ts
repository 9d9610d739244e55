import { fileURLToPath } from 'node:url';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { expect, test } from 'vitest';
import { settled, stored } from '../../inbox/fixture.js';
import { launch } from '../../support/example-process.js';
import { openRedis } from '../../support/redis-server.js';

const file = fileURLToPath(new URL('worker.mjs', import.meta.url));

test('an event of a killed worker is handled by another one, which ends although Redis has gone', async () => {
  const redis = await openRedis();
  const inbox = createBullMQInbox({ connection: redis.url, queueName: 'killed', logLevel: 'off' });
  await inbox.store(stored());
  const startWorker = (HANGS = '') =>
    launch(process.execPath, [file], { env: { ...process.env, HANGS, REDIS_URL: redis.url } });
  const killed = startWorker('true');
  await killed.prints(/began/);
  await killed.end('SIGKILL');
  const other = startWorker();
  await other.prints(/ended/);
  await settled(inbox);
  expect(await inbox.health()).toMatchObject({ deadLetters: 0 });
  await inbox.close();
  await redis.stop();
  expect(await other.end()).toEqual([0, null]);
});
