import { WebhookError } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { eventually, processing, settled, stored } from '../inbox/fixture.js';
import { startProxy } from '../redis/proxy.js';
import { createInbox, port, QUEUE, redis, userWithout } from './inbox-fixture.js';

const count = async (inbox: ReturnType<typeof createInbox>) => (await inbox.health()).deadLetters;

test('one that another process has replayed in the meantime, and that has failed again, is not replayed', async () => {
  const failing = processing(() => Promise.reject(new Error('no')));
  const inbox = createInbox({ attempts: 1 });
  inbox.work(failing);
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(async () => expect(await count(inbox)).toBe(1));
  await inbox.close();
  const proxy = await startProxy(port);
  await redis.config('RESETSTAT');
  const [slow, fast] = [createInbox({ connection: proxy.url, attempts: 1 }), createInbox({ attempts: 1 })];
  const replaying = slow.deadLetters.replayAll(() => {
    proxy.holdFrom('hdel');
    return true;
  });
  await eventually(async () => expect(await redis.info('commandstats')).toContain('cmdstat_hdel'));
  expect(await fast.deadLetters.replay(webhook.key)).toBe(true);
  await redis.config('RESETSTAT');
  // The script finds no dead letter, and its result is held.
  proxy.holdFrom('eval');
  proxy.release();
  await eventually(async () => expect(await redis.info('commandstats')).toContain('cmdstat_eval'));
  fast.work(failing);
  await eventually(async () => expect(await count(fast)).toBe(1));
  proxy.release();
  expect(await replaying).toBe(0);
});

test('a refusal of Redis is a WebhookError without the command, and the dead letter stays', async () => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work(processing(() => Promise.reject(new Error('no'))));
  const webhook = stored();
  const id = webhook.key;
  await inbox.store(webhook);
  await settled(inbox);
  const { deadLetters } = createInbox({ connection: await userWithout('-evalsha', '-eval', '-zrange') });
  for (const ask of [() => deadLetters.replay(id), () => deadLetters.remove(id)]) {
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(WebhookError);
    expect(String(error)).toMatch(/Cannot read the dead letters: NOPERM .* see its ACL/);
    expect(error).not.toHaveProperty('cause.command');
  }
  expect(await redis.zcard(`${QUEUE}:failed`)).toBe(1);
  expect(await count(inbox)).toBe(1);
});
