import { fileURLToPath } from 'node:url';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, stored } from '../../inbox/fixture.js';
import { launch } from '../../support/example-process.js';
import { startRedis } from '../../support/redis-server.js';

const file = fileURLToPath(new URL('worker.mjs', import.meta.url));

/** Starts a worker in a process of its own. */
const startWorker = (REDIS_URL: string, env: Readonly<Record<string, string>> = {}) =>
  launch(process.execPath, [file], { env: { ...process.env, ...env, REDIS_URL } });

test('an event whose worker is killed is handled by another one, which ends after SIGTERM', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const inbox = createBullMQInbox({ connection: redis.url, queueName: 'killed', logLevel: 'off' });
  onTestFinished(() => inbox.close());
  await inbox.store(stored());
  const killed = startWorker(redis.url, { HANGS: 'true' });
  await eventually(() => expect(killed.lines).toContain('began'));
  await killed.end('SIGKILL');
  const other = startWorker(redis.url);
  await eventually(() => expect(other.lines).toContain('ended'));
  expect(await other.end()).toEqual([0, null]);
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
});

test('a worker ends after SIGTERM though Redis has gone', async () => {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const worker = startWorker(redis.url);
  await eventually(() => expect(worker.lines).toContain('ready'));
  await redis.stop();
  expect(await worker.end()).toEqual([0, null]);
});
