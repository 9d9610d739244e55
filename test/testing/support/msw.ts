import type { FakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { type SetupServer, setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';

/** msw with the handlers of a fake, for the length of one test. */
export function intercepting(fake: FakePlatform): SetupServer {
  const msw = setupServer(...fakeHandlers(fake));
  msw.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => msw.close());
  return msw;
}
