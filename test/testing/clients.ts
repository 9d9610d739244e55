import { AgentPlatform, type AgentPlatformOptions, type Region } from 'agent-platform-sdk';
import type { FakePlatform, FakeServer, ListenOptions } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { type SetupServer, setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';

/** A client of the fake in process, by default with the secret of the primary workspace. */
export function clientOf(
  fake: FakePlatform,
  options: AgentPlatformOptions & { region?: Region } = {},
): AgentPlatform {
  const region = options.region ?? 'eu';
  return new AgentPlatform({
    token: fake.seed[region].workspaceSecret,
    baseUrls: fake.baseUrls,
    fetch: fake.fetch,
    validation: 'strict',
    maxRetries: 0,
    logLevel: 'off',
    ...options,
    region,
  });
}

/** The fake behind real HTTP for the length of one test. */
export async function listening(fake: FakePlatform, options?: ListenOptions): Promise<FakeServer> {
  const server = await fake.listen(options);
  onTestFinished(() => server.close());
  return server;
}

/** A client with the global `fetch`: over real HTTP, or through msw. */
export const globalClientOf: typeof clientOf = (fake, options) =>
  clientOf(fake, { fetch: undefined, ...options });

/** Sends a request as no client of ours would. */
export function send(fake: FakePlatform, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has('authorization')) headers.set('authorization', `Bearer ${fake.seed.eu.workspaceSecret}`);
  return fake.fetch(fake.baseUrls.eu + path, { ...init, headers });
}

/** msw with the handlers of a fake, for the length of one test. */
export function intercepting(fake: FakePlatform): SetupServer {
  const msw = setupServer(...fakeHandlers(fake));
  msw.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => msw.close());
  return msw;
}
