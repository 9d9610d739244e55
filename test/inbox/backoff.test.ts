import { ConfigurationError } from 'agent-platform-sdk';
import type { Backoff } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delayAfter } from '../../src/inbox/delays.js';
import { settleOptions } from '../../src/inbox/options.js';

const HOURS = 3_600_000;

/** The delays after some failures, if nothing of them is random, or all. */
function delays(backoff: number | Backoff | undefined, failures: readonly number[], random = 0): number[] {
  vi.spyOn(Math, 'random').mockReturnValue(random);
  onTestFinished(() => void vi.restoreAllMocks());
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
