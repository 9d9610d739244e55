import { expect, onTestFinished, test, vi } from 'vitest';
import { withRetries } from '../../src/redis/waiting.js';

const pauses = vi.hoisted((): number[] => []);
vi.mock('node:timers/promises', () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

test('each pause is twice as long as the one before, up to two seconds', async () => {
  const refused = Array.from({ length: 7 }, () => new Error('LOADING'));
  const attempt = async () => {
    const error = refused.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  expect(await withRetries(attempt, 60_000, () => true)).toBe('done');
  expect(pauses).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
});

test('each attempt is given the whole milliseconds that are left, and one at least', async () => {
  const now = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => now.mockRestore());
  const given: number[] = [];
  const attempt = (left: number) => {
    given.push(left);
    // The pause takes longer than it should.
    now.mockReturnValueOnce(0).mockReturnValue(200);
    return Promise.reject(new Error('LOADING'));
  };
  await expect(withRetries(attempt, 150.4, () => true)).rejects.toThrow('LOADING');
  expect(given).toEqual([151, 1]);
});
