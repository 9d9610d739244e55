import type { InboxHealth } from 'agent-platform-sdk/sqlite';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { type Engine, eventually, hang, type Inbox, processing, record, stored } from './fixture.js';

/** A run that has lost its lock. */
interface LateRun {
  readonly inbox: Inbox;
  readonly key: string;
  /** Resolves when the event runs once more. */
  readonly second: Promise<void>;
}

/** What a success is worth whose run has lost its lock, by what has become of the event. */
export function testNeighbours({ createInbox, loseLocks, bury }: Engine): void {
  const replay = async ({ inbox, key }: LateRun) => {
    await bury();
    await inbox.deadLetters.replay(key);
  };

  test.each<[state: string, change: (run: LateRun) => unknown, counts: boolean, left: Partial<InboxHealth>]>([
    ['waits', () => undefined, true, { depth: 0, deadLetters: 0 }],
    // The end of that run is not recorded.
    ['runs elsewhere', ({ second }) => second, true, { depth: 0, deadLetters: 0 }],
    ['is a dead letter', bury, false, { depth: 0, deadLetters: 1 }],
    ['was a dead letter, and was replayed', replay, false, { depth: 1, deadLetters: 0 }],
  ])('a success whose run has lost its lock, of an event that %s', async (_, change, counts, left) => {
    const { hooks, calls } = record();
    const logger = new RecordingLogger();
    const inbox = createInbox({ hooks, logger });
    const [started, lost, end, second] = [deferred(), deferred(), deferred(), deferred()];
    let runs = 0;
    const handlers = processing(async (_, options) => {
      runs += 1;
      if (runs > 1) {
        second.resolve();
        return hang();
      }
      options?.signal?.addEventListener('abort', lost.resolve);
      started.resolve();
      await end.promise;
    });
    const worker = inbox.work(handlers, { lockDuration: 400 });
    const { key, ...webhook } = stored();
    await inbox.store({ key, ...webhook });
    await started.promise;
    await loseLocks();
    await lost.promise;
    await change({ inbox, key, second: second.promise });
    const losses = () => logger.lines.filter((line) => line.includes('was lost')).length;
    const before = losses();
    end.resolve();
    if (counts) await eventually(() => expect(calls).toEqual(['handled']));
    else await eventually(() => expect(losses()).toBe(before + 1));
    await worker.close({ grace: 0 });
    expect(await inbox.health()).toMatchObject(left);
    expect(calls).toEqual(counts ? ['handled'] : []);
  });
}
