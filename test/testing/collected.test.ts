import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
import { collectGarbage } from '../support/memory.js';
import { listening } from './support/client.js';

test('the fake sees that a caller over HTTP has gone, whatever was collected meanwhile', async () => {
  const clearTimer = vi.fn();
  const setTimer = vi.fn(() => 'the latency');
  const clock = { now: () => 0, setTimeout: setTimer, clearTimeout: clearTimer };
  const fake = createFakePlatform({ clock });
  const server = await listening(fake);
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  const controller = new AbortController();
  const call = fetch(`${server.baseUrls.eu}/v3/tools/defaults`, { signal: controller.signal });
  await vi.waitFor(() => expect(setTimer).toHaveBeenCalled());
  // Some engines clear weak references only between two turns of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 10));
  collectGarbage();
  controller.abort();
  await expect(call).rejects.toThrow();
  await vi.waitFor(() => expect(clearTimer).toHaveBeenCalledWith('the latency'));
});
