import { setTimeout as sleep } from 'node:timers/promises';
import { WebhookError } from 'agent-platform-sdk';
import type { InboxOptions } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { SWEEPING } from '../../src/inbox/rows/consumer.js';
import { deferred } from '../support/deferred.js';
import { minimal } from '../webhooks/deliveries.js';
import { type Engine, eventually, hang, type Inbox, processing, record, settled, stored } from './fixture.js';
import { testNeighbours } from './neighbours.js';

/** An engine that keeps events in rows, and the means to change them as another process does. */
export interface RowEngine extends Engine {
  /** Runs SQL. `$.` stands before the name of a table, and `NEVER` for a time that does not come. */
  sql(text: string): unknown;
  /** Reads `state`, `stalls` and `due`, in milliseconds, of all events. */
  events(): Promise<
    readonly { readonly state?: unknown; readonly stalls?: unknown; readonly due?: unknown }[]
  >;
  /** Makes all events older by this much, in ms. */
  age(ms: number): unknown;
  /** Returns inboxes on a storage whose clock can be set ahead, in ms. It is right again when the test ends. */
  fakeClock(): Promise<{ createInbox(options?: InboxOptions): Inbox; set(ms: number): unknown }>;
}

/** Deletes what is due after the time of a lock, and not after a minute. */
export function sweepSoon(): void {
  const { quiet } = SWEEPING;
  SWEEPING.quiet = 0;
  onTestFinished(() => {
    SWEEPING.quiet = quiet;
  });
}

const [HOUR, DAY] = [3_600_000, 86_400_000];
const LOCK = { lockDuration: 400 };
const OTHER = 'b8a44b7c-9d4c-4e8e-8b6c-6b5f2f5a3d11';

/** How the workers of every engine of rows behave beside others, and over time. */
export function testRows(engine: RowEngine): void {
  const { createInbox, sql, events } = engine;
  testNeighbours(engine);

  test('the events of a worker that died come back, and not together', async () => {
    const inbox = createInbox();
    for (let count = 0; count < 50; count += 1) await inbox.store(stored());
    await sql(`INSERT INTO $.workers (id, lock, beat) VALUES ('${OTHER}', 300, 7)`);
    await sql(`UPDATE $.events SET state = 'running', worker = '${OTHER}', run = 1`);
    inbox.work({ agent_deleted: () => undefined }, LOCK);
    const dues = await eventually(async () => {
      const stalled = (await events()).filter(({ state, stalls }) => state === 'retrying' && stalls === 1);
      expect(stalled).toHaveLength(50);
      return stalled.map(({ due }) => Number(due));
    });
    // Random, up to 800 ms: all in one tenth of that would be a miracle.
    expect(Math.max(...dues) - Math.min(...dues)).toBeGreaterThan(80);
  });

  test('a run goes on whose lock was set free, if nobody has taken its event', async () => {
    const inbox = createInbox();
    const [started, end] = [deferred(), deferred()];
    let run: AbortSignal | undefined;
    inbox.work(
      processing((_, context) => {
        run = context?.signal;
        started.resolve();
        return end.promise;
      }),
      LOCK,
    );
    await inbox.store(stored());
    await started.promise;
    await sql("UPDATE $.events SET state = 'retrying', worker = NULL, stalls = 1, due = NEVER");
    await eventually(async () => expect(await events()).toMatchObject([{ state: 'running', stalls: 0 }]));
    expect(run?.aborted).toBe(false);
    end.resolve();
    await settled(inbox);
  });

  test.each([
    ['waits', "state = 'waiting', worker = NULL"],
    ['waits for a retry', "state = 'retrying', worker = NULL, stalls = 1, due = NEVER"],
    ['runs in another worker', `worker = '${OTHER}', run = run + 1`],
  ])('a success counts whose lock was lost, and whose event %s', async (_, change) => {
    const inbox = createInbox();
    const [started, end] = [deferred(), deferred()];
    const handlers = processing(() => {
      started.resolve();
      return end.promise;
    });
    // Its lock isn't renewed meanwhile, and it has no place for another event.
    inbox.work(handlers, { lockDuration: 60_000, concurrency: 1 });
    await inbox.store(stored());
    await started.promise;
    await sql(`UPDATE $.events SET ${change}`);
    end.resolve();
    await settled(inbox);
  });

  test('a retry that a handler asked for later than any backoff stays, also for a new worker', async () => {
    const inbox = createInbox();
    const later = processing(() => Promise.reject(new WebhookError('later', { retryAfter: HOUR })));
    inbox.work(later);
    await inbox.store(stored());
    await eventually(async () => expect(await inbox.health()).toMatchObject({ retrying: 1 }));
    inbox.work(later, LOCK);
    await sleep(3 * LOCK.lockDuration);
    expect(await events()).toMatchObject([{ state: 'retrying' }]);
  });

  test('what is due is deleted: dead letters, and keys of handled events', async () => {
    sweepSoon();
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks, attempts: 1, deadLetterRetention: 500, retention: 1 });
    inbox.work({ lead_captured: () => undefined, bug_reported: () => Promise.reject(new Error('no')) }, LOCK);
    const both = [stored(), stored({ type: 'bug_reported', payload: minimal.bug_reported })];
    for (const event of both) await inbox.store(event);
    await eventually(() => expect(calls.sort()).toEqual(['dead letter', 'handled']));
    await eventually(async () => {
      const everything = await engine.readEverything();
      expect(both.filter(({ key }) => everything.includes(key))).toEqual([]);
    });
  });

  test('an event without a handler in any worker is a dead letter after deadLetterRetention', async () => {
    sweepSoon();
    const { hooks, failures } = record();
    const inbox = createInbox({ hooks, deadLetterRetention: DAY });
    const [old, young] = [stored(), stored()];
    await inbox.store(old);
    await engine.age(2 * HOUR);
    await inbox.store(young);
    await engine.age(DAY - HOUR);
    inbox.work({ agent_deleted: () => undefined }, LOCK);
    await eventually(() =>
      expect(failures).toMatchObject([{ key: old.key, error: { name: 'WebhookError' } }]),
    );
    expect(await inbox.deadLetters.list()).toMatchObject([
      { id: old.key, attempts: 0, reason: expect.stringContaining('No worker had a handler') },
    ]);
    expect(await inbox.health()).toMatchObject({ waiting: 1, deadLetters: 1 });
  });

  test('no step of the clock frees what runs, strands what waits, or deletes a dead letter', async () => {
    sweepSoon();
    const clock = await engine.fakeClock();
    const { hooks, calls } = record();
    const lock = { lockDuration: 2_000 };
    // One fails at once, and is retried after the next step.
    const backoff = { type: 'fixed', delay: 1_500, jitter: 0 } as const;
    const inbox = clock.createInbox({ hooks, attempts: 2, backoff });
    const [long, end] = [stored(), deferred()];
    const starts = new Map<string, number>();
    const { process } = processing(async ({ key }) => {
      const count = (starts.get(key) ?? 0) + 1;
      starts.set(key, count);
      if (key === long.key) await end.promise;
      else if (count === 1) throw new Error('no');
    });
    inbox.work({ process, handles: (type) => type === 'lead_captured' }, lock);
    // Another one dies after the next step.
    const die = () => sleep(500).then(() => Promise.reject(new Error('no')));
    clock.createInbox({ attempts: 1 }).work({ bug_reported: die }, lock);
    const dying = () => stored({ type: 'bug_reported', payload: minimal.bug_reported });
    await Promise.all([long, dying()].map((event) => inbox.store(event)));
    // Until what is due is deleted.
    await sleep(2_500);
    for (const days of [30, 0, -30, 0]) {
      await Promise.all([stored(), stored(), dying()].map((event) => inbox.store(event)));
      await clock.set(days * DAY);
      await sleep(1_100);
    }
    end.resolve();
    await settled(inbox);
    expect(starts.get(long.key)).toBe(1);
    expect([...starts.values()].filter((count) => count === 2)).toHaveLength(8);
    expect(calls.filter((call) => call === 'handled')).toHaveLength(9);
    // Until what is due is deleted again.
    await sleep(3_500);
    expect(await inbox.health()).toMatchObject({ deadLetters: 5 });
  });

  test('closing ends although the storage takes no changes', async () => {
    const inbox = createInbox();
    inbox.work(processing(hang));
    await inbox.store(stored());
    await eventually(async () => expect((await inbox.health()).active).toBe(1));
    const release = await engine.block();
    // A change is given up after ten seconds.
    const late = sleep(8_000).then(() => 'late');
    const closed = await Promise.race([inbox.close({ grace: 100 }), late]);
    await release();
    expect(closed).toBeUndefined();
  });
}
