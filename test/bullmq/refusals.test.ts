import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, eventually, notes, redis, stored, url } from './inbox-fixture.js';

/** Gives a user of Redis all permissions but some, and returns its connection. */
async function userWithout(...forbidden: readonly string[]): Promise<string> {
  await redis.acl('SETUSER', 'worker', 'reset', 'on', '>password', '~*', '&*', '+@all', ...forbidden);
  return url.replace('redis://', 'redis://worker:password@');
}

test.each([
  ['to take events', ['-evalsha']],
  ['to wait for events', ['-bzpopmin']],
])('a worker that is refused %s rests, with one line, and goes on when it may', async (_, forbidden) => {
  const logger = new RecordingLogger();
  const errors: Error[] = [];
  const connection = await userWithout(...forbidden);
  const inbox = createInbox({ connection, logger, hooks: { onRedisError: (error) => errors.push(error) } });
  const handled = deferred();
  inbox.work({ lead_captured: handled.resolve });
  await eventually(() => expect(errors.length).toBeGreaterThan(1));
  // Without a rest, thousands.
  await sleep(1_000);
  expect(errors.length).toBeLessThan(100);
  expect(errors.at(-1)).toMatchObject({ message: expect.stringContaining('NOPERM') });
  expect(logger.lines.filter((line) => line.includes('Redis failed'))).toHaveLength(1);
  await userWithout();
  await createInbox().store(stored());
  await handled.promise;
  await eventually(() => expect(logger.lines.join()).toContain('Redis is back'));
});

test('a worker whose user lacks the permission for INFO works', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ connection: await userWithout('-info'), hooks });
  let runs = 0;
  inbox.work({
    lead_captured: () => {
      runs += 1;
      if (runs === 1) throw new Error('no');
    },
  });
  await createInbox().store(stored());
  await eventually(() => expect(told).toEqual(['retry', 'handled']));
});

test('an inbox whose user lacks the permission for CONFIG stores, and is ready', async () => {
  const inbox = createInbox({ connection: await userWithout('-config') });
  expect(await inbox.store(stored())).toEqual({});
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
});

test("a user's own reconnectOnError is that of the workers too", async () => {
  const { hostname: host, port } = new URL(await userWithout('-evalsha'));
  const errors: Error[] = [];
  const reconnectOnError = (error: Error) => {
    errors.push(error);
    return false;
  };
  const user = { username: 'worker', password: 'password' };
  createInbox({ connection: { host, port: Number(port), ...user, reconnectOnError } }).work({});
  await eventually(() => expect(errors.join()).toContain('NOPERM'));
});
