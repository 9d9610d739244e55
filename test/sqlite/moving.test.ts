import { spawnSync } from 'node:child_process';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, processing, settled, stored } from '../inbox/fixture.js';
import { startRedis } from '../support/redis-server.js';
import { createInbox } from './inbox-fixture.js';

// As in the other projects, what is missing is an error in CI.
const lacksRedis = !process.env.CI && spawnSync('redis-server', ['--version']).error !== undefined;
if (lacksRedis) console.log('Skipped: moving to Redis. It needs redis-server: apt-get install redis-server');

// The recipe of docs/guides/inbox-file.md.
test.skipIf(lacksRedis)('moving to Redis takes along what waits, and the dead letters', async () => {
  const old = createInbox({ attempts: 1 });
  const webhooks = Array.from({ length: 120 }, () => stored());
  for (const webhook of webhooks.slice(0, 20)) await old.store(webhook);
  const worker = old.work(processing(() => Promise.reject(new Error('no'))));
  await settled(old);
  await worker.close();
  for (const webhook of webhooks.slice(20)) await old.store(webhook);
  expect(await old.health()).toMatchObject({ waiting: 100, deadLetters: 20 });

  const redis = await startRedis();
  const inbox = createBullMQInbox({ connection: redis.url, queueName: 'crm-webhooks', logLevel: 'off' });
  onTestFinished(() => inbox.close().then(() => redis.stop()));
  await old.deadLetters.replayAll();
  old.work({ handles: () => true, process: (webhook) => inbox.store(webhook) });
  await settled(old);

  expect(await old.health()).toMatchObject({ deadLetters: 0 });
  expect(await inbox.health()).toMatchObject({ waiting: 120 });
  const handled = new Set<string>();
  inbox.work(processing(async ({ key }) => void handled.add(key)));
  await eventually(() => expect(handled.size).toBe(120));
  expect([...handled].sort()).toEqual(webhooks.map(({ key }) => key).sort());
});
