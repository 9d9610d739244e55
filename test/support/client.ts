import { AgentPlatform, type AgentPlatformError, type AgentPlatformOptions } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FaultInput } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { HttpResponse, http, type JsonBodyType } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { rejectionOf, success } from './server.js';

export { rejectionOf, success };

/** The addresses at which the fake answers. */
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

/** The service of a test: a new one for each test, behind one msw server for each file. */
export let fake: FakePlatform = createFakePlatform({ baseUrls });

/** Ids and secrets of the records that each fake begins with, in region EU. */
export const seed = fake.seed.eu;

/** The token of {@link createClient}. */
export const TOKEN = seed.workspaceSecret;

/** The requests of this test, in the order of their arrival, unredacted. */
export const requests: ReceivedRequest[] = [];

/** For answers that no service gives: `server.use(http.get(…))`. */
export const server = setupServer();

const EVERYTHING = /^https:\/\/\w+\.service\.test\//;

async function record(request: Request): Promise<void> {
  const { method, url, headers } = request;
  const path = url.replace(/^https:\/\/[^/]+/, '');
  requests.push({ method, url, path, headers, body: await request.clone().text() });
}

beforeAll(() => {
  server.listen({
    onUnhandledRequest: 'error',
  });
});

beforeEach(() => {
  fake = createFakePlatform({ baseUrls });
  requests.length = 0;
  // Each test begins with these handlers. What it adds by `respond` or `server.use` goes before them.
  server.resetHandlers(
    http.all(EVERYTHING, ({ request }) => record(request)),
    ...fakeHandlers(fake),
  );
});

afterAll(() => server.close());

/** A client of the fake in region EU, with the workspace secret. It makes one attempt, and logs nothing. */
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

/** The next calls go wrong. Faults strike in the order in which they were added. */
export function addFaults(...faults: readonly FaultInput[]): void {
  for (const fault of faults) fake.faults.inject(fault);
}

type Answer = Response | (() => Response | Promise<Response>);

/** The service gives these responses one after the other; the last one repeats. For what the fake does not do. */
export function respond(...answers: readonly [Answer, ...Answer[]]): void {
  let count = 0;
  const everything = http.all(EVERYTHING, async ({ request }) => {
    await record(request);
    const answer = answers[Math.min(count, answers.length - 1)] as Answer;
    count += 1;
    // msw reads a response, and it may be given again.
    return typeof answer === 'function' ? answer() : answer.clone();
  });
  server.use(everything);
}

/** A response with a body: an object as JSON, a string as it is. */
export function response(status: number, body: unknown = '', headers: Record<string, string> = {}): Response {
  if (typeof body === 'string') return new HttpResponse(body || null, { status, headers });
  return HttpResponse.json(body as JsonBodyType, { status, headers });
}

const calls: readonly [method: string, call: (platform: AgentPlatform) => Promise<unknown>][] = [
  ['POST', (platform) => platform.variables.create(seed.agentId, { key: 'k' })],
  [
    'DELETE',
    ({ workspaces }) => workspaces.delete(seed.secondWorkspaceId, { token: seed.secondWorkspaceSecret }),
  ],
  ['GET', (platform) => platform.tools.get(seed.toolId)],
];

/** Expects that the error of a POST and of a DELETE says whether the service may have acted. That of a GET never says so. */
export async function expectOutcome(
  connected: () => AgentPlatform | Promise<AgentPlatform>,
  unknown: boolean,
): Promise<void> {
  for (const [method, call] of calls) {
    // Every error of a call is one.
    const error = (await rejectionOf(call(await connected()))) as AgentPlatformError;
    expect(error.outcomeUnknown, `${method}: ${error.message}`).toBe(method !== 'GET' && unknown);
  }
}
