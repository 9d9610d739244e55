import { AgentPlatform, type AgentPlatformOptions } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FaultInput } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { HttpResponse, http, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { rejectionOf, success } from './server.js';

export { rejectionOf, success };

/** The base addresses at which the fake responds. */
export const baseUrls = { eu: 'https://eu.service.test', na: 'https://na.service.test' };

/** A request as the service received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  /** Relative to the base address, with the query: `/v3/tools/t1`. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
}

/** The fake service. Each test gets a new one, behind one msw server for the file. */
export let fake: FakePlatform = createFakePlatform({ baseUrls });

/** Ids and secrets of the records that each fake starts with, in region EU. */
export const seed = fake.seed.eu;

/** The token of {@link createClient}. */
export const TOKEN = seed.workspaceSecret;

/** The requests of this test in the order of arrival, unredacted. */
export const requests: ReceivedRequest[] = [];

/** For responses that no service gives: `server.use(http.get(…))`. */
export const server = setupServer();

const EVERYTHING = /^https:\/\/\w+\.service\.test\//;

async function record(request: Request): Promise<void> {
  const { method, url, headers } = request;
  const path = url.replace(/^https:\/\/[^/]+/, '');
  requests.push({ method, url, path, headers, body: await request.clone().text() });
}

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));

beforeEach(() => {
  fake = createFakePlatform({ baseUrls });
  requests.length = 0;
  // Each test starts with these handlers. Those that it adds with `respond` or `server.use` go before them.
  server.resetHandlers(
    http.all(EVERYTHING, ({ request }) => record(request)),
    ...fakeHandlers(fake),
  );
});

afterAll(() => server.close());

/** Creates a client of the fake in region EU, with the workspace secret. One attempt, no logs. */
export function createClient(options: AgentPlatformOptions = {}): AgentPlatform {
  return new AgentPlatform({
    region: 'eu',
    token: TOKEN,
    baseUrls,
    logLevel: 'off',
    maxRetries: 0,
    ...options,
  });
}

/** Makes the next calls fail, in the order of the faults. */
export function addFaults(...faults: readonly FaultInput[]): void {
  for (const fault of faults) fake.faults.inject(fault);
}

type Reply = Response | (() => Response | Promise<Response>);

/** Responds with these, one after the other, repeating the last: for responses that the fake never gives. */
export function respond(...replies: readonly [Reply, ...Reply[]]): void {
  let count = 0;
  const everything = http.all(EVERYTHING, async ({ request }) => {
    await record(request);
    const reply = replies[Math.min(count, replies.length - 1)] as Reply;
    count += 1;
    // msw reads the response, which may be needed again.
    return typeof reply === 'function' ? reply() : reply.clone();
  });
  server.use(everything);
}

/** A response with a body: an object as JSON, a string as it is. */
export function response(status: number, body: unknown = '', headers: Record<string, string> = {}): Response {
  if (typeof body === 'string') return new HttpResponse(body || null, { status, headers });
  return HttpResponse.json(body as JsonBodyType, { status, headers });
}
