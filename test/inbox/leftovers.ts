import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxOptions } from 'agent-platform-sdk/sqlite';
import { expect, test } from 'vitest';
import { deferred } from '../support/deferred.js';
import { keepsNothing, leavesNothing } from '../support/leaves-nothing.js';
import { minimal } from '../webhooks/deliveries.js';
import { type Engine, eventually, hang, processing, record, stored } from './fixture.js';

/** Counting all objects takes seconds on a busy machine. */
const MINUTES = 120_000;

/** What every inbox gives back: timers, connections, files, listeners, and the memory of each event. */
export function testLeftovers({ createInbox, block }: Engine): void {
  const quiet: InboxOptions = { logger: undefined, logLevel: 'off' };

  test('an inbox that has stored, run, retried and buried events leaves nothing when it has closed', async () => {
    const act = async () => {
      const { hooks, calls } = record();
      const inbox = createInbox({ ...quiet, hooks, attempts: 2 });
      let runs = 0;
      const worker = inbox.work({
        lead_captured: () => (++runs % 2 === 0 ? Promise.resolve() : Promise.reject(new Error('no'))),
        bug_reported: () => Promise.reject(new Error('no')),
      });
      await inbox.store(stored());
      await inbox.store(stored({ type: 'bug_reported', payload: minimal.bug_reported }));
      await eventually(() => expect(calls.sort()).toEqual(['dead letter', 'handled', 'retry', 'retry']));
      await worker.close();
      // Without a worker, it looks whether one comes.
      await inbox.store(stored({ type: 'agent_deleted' }));
      await inbox.deadLetters.list();
      await inbox.close();
    };
    // Modules are loaded by the first.
    await act();
    await leavesNothing(act);
  });

  test('a worker that closes with a run leaves nothing, although the end cannot be recorded', async () => {
    await leavesNothing(async () => {
      const inbox = createInbox(quiet);
      const started = deferred();
      inbox.work(
        processing(() => (started.resolve(), hang())),
        { lockDuration: 5_000 },
      );
      await inbox.store(stored());
      await started.promise;
      const release = await block();
      await inbox.close({ grace: 0 });
      // It may still wait for a second before it gives up.
      await sleep(1_500);
      await release();
    });
  });

  test(
    'no event that was run, failed and run again leaves an object in memory',
    async () => {
      const failed = new Set<string>();
      let handled = 0;
      const inbox = createInbox({ ...quiet, hooks: { onHandled: () => (handled += 1) } });
      inbox.work(
        processing(async ({ key }) => {
          if (failed.delete(key)) return;
          failed.add(key);
          throw new Error('no');
        }),
      );
      await keepsNothing(async () => {
        handled = 0;
        await Promise.all(Array.from({ length: 20 }, () => inbox.store(stored())));
        await eventually(() => expect(handled).toBe(20));
      }, 10);
    },
    MINUTES,
  );

  test(
    'no worker that has closed leaves an object in memory',
    async () => {
      const inbox = createInbox(quiet);
      await keepsNothing(async () => {
        const worker = inbox.work({});
        await eventually(async () => expect((await inbox.health()).workers).toBe(1));
        await worker.close();
      }, 10);
    },
    MINUTES,
  );
}
