import { AgentPlatformError } from '../../errors/index.js';
import { type AttemptContext, Progress } from './attempt-context.js';
import { logFailure, logRequest, logResponse } from './call-log.js';
import { toConnectionError } from './connection-error.js';
import { type Deadline, deadlineOf, throwExpired } from './deadline.js';
import { requestHeaders } from './headers.js';
import { runOnRequest, runOnResponse } from './hook-runner.js';
import type { PreparedRequest } from './request.js';
import { type BodyText, readBody } from './response-body.js';
import { readToken } from './token.js';

/** What an attempt was answered, its body read. */
export interface Answer {
  readonly context: AttemptContext;
  readonly response: Response;
  readonly body: BodyText;
  readonly progress: Progress;
}

/** Sends a request once, and reads its answer, within the attempt's time. */
export async function makeAttempt(context: AttemptContext): Promise<Answer> {
  const { call, endsAt } = context;
  const progress = new Progress(context);
  const deadline = deadlineOf(call, endsAt);
  try {
    return await exchange(context, deadline, progress);
  } catch (error) {
    // A wrong token or a failed hook. What is thrown after sending comes from `fetch`, whatever its class.
    if (!progress.sent && error instanceof AgentPlatformError) throw error;
    const failure = toConnectionError(context, deadline.expiry, progress, error);
    logFailure(context, failure, progress);
    throw failure;
  } finally {
    deadline.dispose();
  }
}

async function exchange(context: AttemptContext, deadline: Deadline, progress: Progress): Promise<Answer> {
  const { settings, request } = context;
  const url = settings.baseUrl + request.path;
  const token = await readToken(context, deadline);
  const own = requestHeaders(context);
  progress.token = token;
  const headers = await runOnRequest(context, deadline, progress, own);
  progress.headers = headers;
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  // The caller may have aborted while a hook or the token function ran.
  if (deadline.expiry !== undefined) throwExpired();
  logRequest(context, headers, progress);
  progress.sent = true;
  const response = await fetched(
    (settings.fetch ?? fetch)(url, requestInit(request, headers, deadline)),
    deadline,
  );
  const body = await readBody(response, settings, deadline);
  if (cannotBeUsed(response, body, deadline)) throw body.failure;
  logResponse(context, response, body, progress);
  await runOnResponse(context, deadline, response, progress);
  return { context, response, body, progress };
}

/** Waits for the answer. One that comes later, from a `fetch` that ignores its signal, is closed. */
async function fetched(pending: Promise<Response>, deadline: Deadline): Promise<Response> {
  const answer = Promise.resolve(pending);
  try {
    const response: Partial<Response> | undefined = await deadline.race(answer);
    if (typeof response?.headers?.forEach === 'function') return response as Response;
  } catch (error) {
    answer.then((late) => late.body?.cancel()).catch(() => undefined);
    throw error;
  }
  throw new TypeError('the option `fetch` gave no Response');
}

/** An error status tells what happened even where its body was cut off; a 2xx without its body tells nothing. */
function cannotBeUsed(response: Response, body: BodyText, deadline: Deadline): boolean {
  return body.failure !== undefined && (response.ok || deadline.expiry === 'abort');
}

function requestInit(
  request: PreparedRequest,
  headers: Record<string, string>,
  deadline: Deadline,
): RequestInit {
  const { method, body } = request;
  const init = { method, headers, redirect: 'manual', signal: deadline.signal } as const;
  return body === undefined ? init : { ...init, body };
}
