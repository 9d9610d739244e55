import { ConfigurationError } from 'agent-platform-sdk';
import type { Backoff } from 'agent-platform-sdk/sqlite';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { findFull } from '../../src/bullmq/gate.js';
import { delayAfter } from '../../src/inbox/delays.js';
import { toHealth, UNKNOWN } from '../../src/inbox/health.js';
import { resolveWork, settleOptions } from '../../src/inbox/options.js';
import { InboxReporter } from '../../src/inbox/reporter.js';
import { RowConsumer } from '../../src/inbox/rows/consumer.js';
import { summarize } from '../../src/inbox/rows/counts.js';
import { Living } from '../../src/inbox/rows/living.js';
import type { WorkerBeat } from '../../src/inbox/rows/rows.js';
import { Runs } from '../../src/inbox/worker.js';
import { keepsNothing } from '../support/leaves-nothing.js';
import { hang, processing } from './fixture.js';

// What depends on a time or an amount: at the limit, and past it.

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const HOURS = 3_600_000;

/** The delays after some failures, if nothing of them is random, or all. */
function delays(backoff: number | Backoff | undefined, failures: readonly number[], random = 0): number[] {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  const settings = settleOptions({ backoff, logLevel: 'off' });
  return failures.map((count) => delayAfter(count, settings.backoff));
}

test.each<[what: string, backoff: number | Backoff | undefined, expected: readonly number[]]>([
  ['nothing', undefined, [1_000, 2_000, 16_384_000, 12 * HOURS, 12 * HOURS]],
  ['a number', 5_000, [5_000, 5_000, 5_000, 5_000, 5_000]],
  ['a number above 12 hours', 20 * HOURS, Array<number>(5).fill(20 * HOURS)],
  ['a type', { type: 'exponential' }, [1_000, 2_000, 16_384_000, 12 * HOURS, 12 * HOURS]],
  ['a delay', { type: 'exponential', delay: 3_000 }, [3_000, 6_000, 12 * HOURS, 12 * HOURS, 12 * HOURS]],
  ['a fixed delay', { type: 'fixed', delay: 20 * HOURS }, Array<number>(5).fill(20 * HOURS)],
  ['a longest delay', { type: 'exponential', maxDelay: 1_500 }, [1_000, 1_500, 1_500, 1_500, 1_500]],
])('with %s as backoff, delays grow up to maxDelay, and half of each is random', (_, backoff, expected) => {
  const failures = [1, 2, 15, 30, 2_000];
  expect(delays(backoff, failures)).toEqual(expected);
  expect(delays(backoff, failures, 1)).toEqual(expected.map((delay) => delay / 2));
});

test('the jitter is as given', () => {
  expect(delays({ type: 'fixed', delay: 100, jitter: 0 }, [1], 1)).toEqual([100]);
  expect(delays({ type: 'fixed', delay: 100, jitter: 0.1 }, [1], 1)).toEqual([90]);
});

test('a maxDelay below the delay is refused', () => {
  const create = () => settleOptions({ backoff: { type: 'fixed', delay: 2_000, maxDelay: 1_000 } });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow('backoff.maxDelay must be at least the delay, 2000 ms, got 1000.');
});

test.each(['unreachable', 'refused', 'full', 'gone'])('an inbox that is %s is not ready', (kind) => {
  expect(toHealth(UNKNOWN, { [kind]: 'why' }).ready).toBe(false);
  expect(toHealth(UNKNOWN, { persistence: 'why' }).ready).toBe(true);
});

test.each([
  [0, 59_999, undefined],
  [0, 60_000, expect.stringContaining('Events wait (3)')],
  [1, 60_000, undefined],
])('with %i workers, events that have waited for %i ms are warned of: %s', (workers, oldestMs, warning) => {
  const counts = { ...UNKNOWN, waiting: 1, retrying: 2, active: 0, workers, oldestMs };
  expect(toHealth(counts, {}).warnings.workers).toEqual(warning);
});

test('an event that is to be retried has an age too', () => {
  const retrying = { state: 'retrying', type: 'a', count: 1, oldest: Date.now() - 60_000 } as const;
  expect(summarize([retrying], () => true).oldestMs).toBeGreaterThanOrEqual(60_000);
});

test.each([
  [849, 0, false],
  [850, 0, true],
  [900, 51, false],
])('Redis that uses %i of 1,000 bytes, %i of them for buffers, is full: %s', (used, buffers, isFull) => {
  const info = { used_memory: used, mem_not_counted_for_evict: buffers, maxmemory: 1_000 };
  const fields = new Map(Object.entries(info).map(([name, value]) => [name, String(value)]));
  expect(findFull(fields, 0.85) !== undefined).toBe(isFull);
});

test('a worker is dead when its beat was seen unchanged for longer than its lock, and a gone one is forgotten', async () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const living = new Living();
  const worker = { id: 'one', beat: 1, lock: 1_000 };
  const isDeadAt = (at: number, beat: number) => {
    now = at;
    return living.findDead([{ ...worker, beat }]).length > 0;
  };
  expect([isDeadAt(0, 1), isDeadAt(1_000, 1), isDeadAt(1_001, 1)]).toEqual([false, false, true]);
  expect([isDeadAt(1_002, 2), isDeadAt(2_002, 2)]).toEqual([false, false]);
  clock.mockRestore();
  await keepsNothing(() => living.findDead([{ ...worker, id: crypto.randomUUID() }]), 2_000);
});

/** Starts a worker of an engine of rows, beside others that no longer beat. Time passes when a test lets it. */
function startConsumer(...others: readonly WorkerBeat[]) {
  vi.useFakeTimers();
  const beats: number[] = [];
  const sweeps: number[] = [];
  const dead = new Set<string>();
  const rows = {
    beat: async () => {
      beats.push(performance.now());
      return Date.now();
    },
    others: async () => others,
    free: async (found: readonly WorkerBeat[]) => {
      for (const { id } of found) dead.add(id);
      return [];
    },
    keep: async () => [],
    take: async () => [],
    end: async () => 'recorded' as const,
    sweep: async () => sweeps.push(performance.now()) < 3,
    buryUnhandled: async () => [],
    leave: async () => undefined,
  };
  const settings = settleOptions({ logLevel: 'off' });
  const reporter = new InboxReporter(settings, 'Storage');
  const work = resolveWork({ lockDuration: 1_000 }, settings.log);
  const runner = new Runs({ settings, work, reporter, handlers: processing(hang), anyHandles: () => true });
  const consumer = new RowConsumer({
    rows,
    runner,
    reporter,
    pollInterval: 1_000,
    clean: (error) => error as Error,
  });
  onTestFinished(() => consumer.close(0));
  return { beats, dead, sweeps };
}

test('a worker renews its locks twice in their duration', async () => {
  const { beats } = startConsumer();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(beats.slice(1).map((at, index) => at - (beats[index] ?? 0))).toEqual(Array(20).fill(500));
});

test('a worker deletes nothing in its first minute, and then everything at once', async () => {
  const { sweeps } = startConsumer();
  await vi.advanceTimersByTimeAsync(59_900);
  expect(sweeps).toEqual([]);
  await vi.advanceTimersByTimeAsync(300);
  expect(sweeps).toHaveLength(3);
});

test.each([
  ['has just started', 0],
  ['was away', 60_000],
])('a worker that %s waits for all of the lock of another before it takes that for dead', async (_, away) => {
  const { dead } = startConsumer({ id: 'other', beat: 1, lock: 10_000 });
  if (away > 0) await vi.advanceTimersByTimeAsync(5_000);
  vi.setSystemTime(Date.now() + away);
  // It notices at its next look.
  await vi.advanceTimersByTimeAsync(10_250);
  expect(dead.size).toBe(0);
  await vi.advanceTimersByTimeAsync(500);
  expect(dead.size).toBe(1);
});
