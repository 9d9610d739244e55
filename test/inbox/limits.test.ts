import { expect, test, vi } from 'vitest';
import { findFull } from '../../src/bullmq/gate.js';
import { toHealth, UNKNOWN } from '../../src/inbox/health.js';
import { summarize } from '../../src/inbox/rows/counts.js';
import { Living } from '../../src/inbox/rows/living.js';
import { keepsNothing } from '../support/leaves-nothing.js';

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
  living.reset();
  expect([isDeadAt(9_000, 2), isDeadAt(10_000, 2), isDeadAt(10_001, 2)]).toEqual([false, false, true]);
  clock.mockRestore();
  await keepsNothing(() => living.findDead([{ ...worker, id: crypto.randomUUID() }]), 2_000);
});

test('an event that is to be retried has an age too', () => {
  const retrying = { state: 'retrying', type: 'a', count: 1, oldest: Date.now() - 60_000 } as const;
  expect(summarize([retrying], () => true).oldestMs).toBeGreaterThanOrEqual(60_000);
});
