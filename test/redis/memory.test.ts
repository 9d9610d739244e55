import { InboxFullError } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { startRedis } from '../support/redis-server.js';

async function startLimited(maxmemory: string) {
  const server = await startRedis(['--save', '', '--maxmemory', maxmemory]);
  const client = new Redis(server.url);
  onTestFinished(async () => {
    client.disconnect();
    await server.stop();
  });
  return { url: server.url, client };
}

test('events are refused before Redis is full, so that workers can drain it, and then stored again', async () => {
  const { url } = await startLimited('24mb');
  const inbox = createInbox({ connection: url, storeTimeout: 5_000 });
  const [acknowledged, refused]: [string[], unknown[]] = [[], []];
  const one = async () => {
    const webhook = stored({ payload: { text: 'x'.repeat(20_000) } });
    try {
      await inbox.store(webhook);
      acknowledged.push(webhook.key);
    } catch (error) {
      refused.push(error);
    }
  };
  for (let round = 0; round < 400 && refused.length <= 50; round += 1) {
    await Promise.all(Array.from({ length: 30 }, one));
  }
  expect(acknowledged.length).toBeGreaterThan(100);
  expect(refused.length).toBeGreaterThan(50);
  expect(refused.filter((error) => !(error instanceof InboxFullError))).toEqual([]);
  expect(refused[0]).toMatchObject({
    type: 'inbox_full_error',
    message: expect.stringMatching(/Redis uses [\d.]+ % of its maxmemory, and highWater is 85 %\n/),
    retryable: true,
  });
  const handled = new Set<string>();
  inbox.work(
    processing(async ({ key }) => void handled.add(key)),
    { concurrency: 50 },
  );
  await eventually(() => expect(acknowledged.filter((key) => !handled.has(key))).toEqual([]));
  await eventually(() => inbox.store(stored()));
  expect(await inbox.health()).toMatchObject({ ready: true });
}, 90_000);

test('the memory of Redis is not read for each event', async () => {
  const { url, client } = await startLimited('100mb');
  const inbox = createInbox({ connection: url });
  await inbox.store(stored());
  await client.config('RESETSTAT');
  const start = performance.now();
  for (let count = 0; count < 300; count += 1) await inbox.store(stored());
  const [, reads] = /cmdstat_info:calls=(\d+)/.exec(await client.info('commandstats')) ?? [];
  // At most once in 10 ms, and once here.
  expect(Number(reads)).toBeLessThanOrEqual((performance.now() - start) / 10 + 2);
});
