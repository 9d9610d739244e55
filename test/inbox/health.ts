import { expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { type Engine, eventually, hang, processing, stored } from './fixture.js';

/** What the health of every inbox shows. */
export function testHealth({ createInbox }: Engine): void {
  test('health counts waiting, active, retrying and failed events and workers, and has the age of the oldest', async () => {
    const inbox = createInbox({ attempts: 1, backoff: 3_600_000 });
    const patient = createInbox({ attempts: 2, backoff: 3_600_000 });
    const started = deferred();
    const handlers = processing(({ payload }) => {
      if (payload.wish !== 'run') return Promise.reject(new Error('no'));
      started.resolve();
      return hang();
    });
    const failing = patient.work(handlers, { concurrency: 1 });
    await patient.store(stored({ payload: { wish: 'retry' } }));
    await eventually(async () => expect((await inbox.health()).retrying).toBe(1));
    await failing.close();
    const worker = inbox.work(handlers, { concurrency: 1 });
    await inbox.store(stored());
    await eventually(async () => expect((await inbox.health()).deadLetters).toBe(1));
    await inbox.store(stored({ payload: { wish: 'run' } }));
    await started.promise;
    await inbox.store(stored({ receivedAt: Date.now() - 60_000 }));
    await inbox.store(stored());
    const health = await inbox.health();
    const counts = { depth: 4, waiting: 2, active: 1, retrying: 1, deadLetters: 1, workers: 1 };
    expect(health).toMatchObject({ ready: true, ...counts });
    expect(health.oldestMs).toBeGreaterThanOrEqual(60_000);
    expect(health.oldestMs).toBeLessThan(90_000);
    await worker.close({ grace: 0 });
  });

  test('events that wait for a minute without a worker are warned of, in the health and in the log', async () => {
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger });
    expect((await inbox.health()).warnings).not.toHaveProperty('workers');
    await inbox.store(stored({ receivedAt: Date.now() - 61_000 }));
    await inbox.store(stored());
    const { warnings, ready } = await inbox.health();
    expect([ready, warnings.workers]).toEqual([
      true,
      expect.stringMatching(/Events wait \(2\), and no worker/),
    ]);
    expect(logger.lines.join()).toMatch(/warn .*no worker is connected/);
    const worker = inbox.work({ agent_deleted: () => undefined });
    await eventually(async () => expect((await inbox.health()).warnings).not.toHaveProperty('workers'));
    await worker.close();
  });

  /** Takes the timers for the next look of an inbox, in their order. */
  function takeLooks() {
    const timers = vi.spyOn(globalThis, 'setTimeout');
    onTestFinished(() => timers.mockRestore());
    const taken = () => timers.mock.calls.filter(([, ms = 0]) => ms > 50_000 && ms <= 60_000);
    return (index: number) =>
      eventually(() => expect(taken()[index]).toBeDefined()).then(() => taken()[index]?.[0]());
  }

  test('a receiver goes on looking until an event has waited for a minute', async () => {
    const look = takeLooks();
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger });
    await inbox.store(stored({ receivedAt: Date.now() - 5_000 }));
    await look(0);
    await look(1);
    // The second look has ended when there is a third.
    await look(2);
    expect(logger.lines.join()).not.toContain('no worker is connected');
    const later = Date.now() + 61_000;
    const clock = vi.spyOn(Date, 'now').mockReturnValue(later);
    onTestFinished(() => clock.mockRestore());
    await look(3);
    await eventually(() => expect(logger.lines.join()).toContain('no worker is connected'));
  });

  test('an inbox looks after its last worker has closed', async () => {
    const look = takeLooks();
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger });
    const worker = inbox.work({ agent_deleted: () => undefined });
    await inbox.store(stored({ receivedAt: Date.now() - 61_000 }));
    await worker.close();
    await look(0);
    await eventually(() => expect(logger.lines.join()).toContain('no worker is connected'));
  });

  test('an empty inbox is ready, and an event from a clock that is ahead has the age 0', async () => {
    const inbox = createInbox();
    expect(await inbox.health()).toMatchObject({ ready: true, depth: 0, oldestMs: 0, workers: 0 });
    await inbox.store(stored({ receivedAt: Date.now() + 60_000 }));
    expect(await inbox.health()).toMatchObject({ waiting: 1, oldestMs: 0 });
  });
}
