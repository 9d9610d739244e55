import type { AgentPlatform, AgentPlatformOptions } from 'agent-platform-sdk';
import { HttpResponse, type HttpResponseResolver, http, RequestHandler } from 'msw';
import { connect, server } from './client.js';

// Only for tests that have not moved to `client.ts` yet.

export const BASE_URL = 'https://service.test';

/** An answer to every request, or a handler for some: `http.get(…)`. */
export type Answer = HttpResponseResolver | RequestHandler;

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The service gives this answer from now on, for the length of one test. Returns the requests that it receives. */
export function answerAll(answer: Answer): ReceivedRequest[] {
  const requests: ReceivedRequest[] = [];
  const note: HttpResponseResolver = async ({ request }) => {
    const { method, headers } = request;
    const url = request.url.slice(BASE_URL.length);
    requests.push({ method, url, headers: Object.fromEntries(headers), body: await request.clone().text() });
  };
  const everything = `${BASE_URL}/*`;
  // A handler that answers nothing leaves the request to the next.
  server.use(
    http.all(everything, note),
    answer instanceof RequestHandler ? answer : http.all(everything, answer),
  );
  return requests;
}

/** A client of a service that gives one answer, and the requests that the service receives. */
export function connectTo(
  answer: Answer,
  options: AgentPlatformOptions = {},
): { platform: AgentPlatform; requests: ReceivedRequest[] } {
  const requests = answerAll(answer);
  return { platform: connect(BASE_URL, options), requests };
}

/** Answers with a status and a body: an object as JSON, a string as it is. */
export const answerWith =
  (status: number, body: unknown = '', headers: Record<string, string> = {}): HttpResponseResolver =>
  () =>
    typeof body === 'string'
      ? new HttpResponse(body, { status, headers })
      : HttpResponse.json(body as object, { status, headers });

/** Answers the requests one after the other; the last answer repeats. */
export function answerInTurn(...answers: readonly HttpResponseResolver[]): HttpResponseResolver {
  let count = 0;
  return (call) => {
    count += 1;
    return answers[Math.min(count, answers.length) - 1]?.(call);
  };
}
