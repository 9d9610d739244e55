import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Rest } from '../../src/bullmq/refusing-redis.js';
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

test.each<[what: string, events: number, fails: boolean]>([
  ['that no event waits', 0, false],
  ['that an event was handled', 2, false],
  ['that an event has failed', 2, true],
])('a worker that is told %s forgets how long its last rest was', async (_, events, fails) => {
  const forgotten = vi.spyOn(Rest.prototype, 'forget');
  onTestFinished(() => forgotten.mockRestore());
  const inbox = createInbox({ backoff: 3_600_000 });
  for (let count = 0; count < events; count += 1) await inbox.store(stored());
  let begun = 0;
  const process = async () => {
    begun += 1;
    // So that one waits until the other is told.
    if (begun === 2) return new Promise<never>(() => undefined);
    if (fails) throw new Error('no');
  };
  const worker = inbox.work({ process }, { concurrency: 1 });
  await eventually(() => expect([begun, forgotten.mock.calls.length > 0]).toEqual([events, true]));
  await worker.close({ grace: 0 });
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

test('a worker that is closed at rest is not woken', async () => {
  const errors: Error[] = [];
  const connection = await userWithout('-evalsha');
  const inbox = createInbox({ connection, hooks: { onRedisError: (error) => errors.push(error) } });
  const worker = inbox.work({});
  // It rests for the third time, longer than before.
  await eventually(() => expect(errors.length).toBeGreaterThan(2));
  await worker.close({ grace: 0 });
  const woken = vi.spyOn(Worker.prototype, 'resume');
  onTestFinished(() => woken.mockRestore());
  await sleep(1_000);
  expect(woken).not.toHaveBeenCalled();
});

test('a dead letter that Redis does not put back is told, and stays one', async () => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  const { key } = stored();
  await inbox.store(stored({ key }));
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  const { deadLetters } = createInbox({ connection: await userWithout('-evalsha', '-eval') });
  await expect(deadLetters.replay(key)).rejects.toThrow('NOPERM');
  expect(await inbox.deadLetters.count()).toBe(1);
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
