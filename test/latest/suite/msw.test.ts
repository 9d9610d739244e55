import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serve } from '../../support/loopback.js';

test('no request that msw must refuse leaves the process', async () => {
  const requested = vi.fn((_request: unknown, response: { end(): unknown }) => void response.end());
  const address = await serve(requested);
  const server = setupServer(...fakeHandlers(createFakePlatform()));
  const error = vi.spyOn(console, 'error').mockReturnValue();
  // As the guide and the example have it: msw 2 reads the first name, msw 3 the second.
  const unhandled = { onUnhandledRequest: 'error', onUnhandledFrame: 'error' } as const;
  server.listen(unhandled);
  onTestFinished(() => server.close());
  await expect(fetch(address)).rejects.toThrow();
  expect(requested).not.toHaveBeenCalled();
  expect(String(error.mock.calls[0])).toContain('without a matching request handler');
});
