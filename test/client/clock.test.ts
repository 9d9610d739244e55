import { HttpResponse } from 'msw';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rejectionOf, success } from '../support/client.js';
import { answerInTurn, answerWith, connectTo } from '../support/msw.js';

/** Sets the clock of the machine. */
function setClock(byMs: number): void {
  const now = Date.now() + byMs;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
}

test('a clock that is set forward takes no time from a call', async () => {
  const unavailable = answerWith(503, '', { 'retry-after': '0' });
  const { platform } = connectTo(answerInTurn(unavailable, answerWith(200, success({ id: 't1' }))), {
    maxRetries: 1,
    totalTimeout: 60_000,
    hooks: { onResponse: () => setClock(3_600_000) },
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
});

test.each([3_600_000, -3_600_000])(
  'how long an attempt took is told in milliseconds, though the clock is set by %i meanwhile',
  async (byMs) => {
    const told: number[] = [];
    const { platform } = connectTo(
      async () => {
        setClock(byMs);
        await new Promise((resolve) => setTimeout(resolve, 50));
        return HttpResponse.json(success({ id: 't1' }));
      },
      { hooks: { onResponse: ({ durationMs }) => void told.push(durationMs) } },
    );
    const began = performance.now();
    await platform.tools.get('t1');
    expect(told).toHaveLength(1);
    expect(told[0]).toBeGreaterThanOrEqual(45);
    expect(told[0]).toBeLessThanOrEqual(Math.ceil(performance.now() - began));
  },
);

test('a clock that is set back gives a call no more time', async () => {
  const { platform, requests } = connectTo(answerWith(503, '', { 'retry-after': '1' }), {
    maxRetries: 5,
    totalTimeout: 1_500,
    hooks: { onResponse: () => setClock(-3_600_000) },
  });
  expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({ status: 503 });
  expect(requests.length).toBeLessThanOrEqual(2);
});
