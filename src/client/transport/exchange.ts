import { AgentPlatformError, type ConnectionError } from '../../errors/index.js';
import { isBrowser, runtimeName } from '../../ground/environment.js';
import { VERSION } from '../../ground/version.js';
import { refuseOption, usableToken } from '../../validation/option-checks.js';
import type { Answer, Attempt, Call } from './attempt.js';
import { toConnectionError } from './connection-error.js';
import { runOnRequest, tellFailure, tellRequest, tellResponse } from './observe.js';
import { readBody } from './response-body.js';
import { readThrown } from './thrown.js';

/** The headers of a call, without `authorization`. Names are in lower case, so that none stands twice. */
function requestHeaders({ options, request }: Call): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  userAgent ??= `agent-platform-sdk/${VERSION} (${runtimeName()})`;
  // Browsers set their own, and treat ours as a reason for a CORS preflight.
  if (!isBrowser()) headers['user-agent'] = userAgent;
  Object.assign(headers, options.headers);
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  return headers;
}

let userAgent: string | undefined;

/**
 * Gives the request of an attempt its headers: the call's, those of the hook, and the token. ky is not given them as options,
 * which it copies several times; and those of the attempt before, which its request still has, must not live on: a rotated
 * token would stay, and what a hook appends would stand twice.
 */
export async function prepareAttempt(attempt: Attempt, request: Request): Promise<void> {
  try {
    const token = await readToken(attempt);
    if (token !== undefined) attempt.noteToken(token);
    const headers = await runOnRequest(attempt, requestHeaders(attempt.call));
    if (token !== undefined) headers.authorization = `Bearer ${token}`;
    attempt.noteHeaders(headers);
    const stale = [...request.headers.keys()];
    for (const name of stale) request.headers.delete(name);
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
  } catch (error) {
    // A wrong token, or a hook that failed.
    if (error instanceof AgentPlatformError) throw error;
    throw fail(attempt, error);
  }
}

/** Asks for the token of this attempt: each time, so that a rotated one is used at once. */
async function readToken(attempt: Attempt): Promise<string | undefined> {
  const { call, deadline, number } = attempt;
  const { token } = call.options;
  if (call.endpoint.auth === 'none') return undefined;
  if (typeof token !== 'function') return usableToken(token);
  let given: string;
  try {
    given = await deadline.race(Promise.resolve(token()));
  } catch (cause) {
    deadline.throwIfExpired();
    const unsent = number === 1 ? 'nothing was sent' : `attempt ${number} was not sent`;
    return refuseOption(
      'token',
      `is a function that failed (see \`error.cause\`), so ${unsent}`,
      readThrown(cause, attempt.masker).cause,
    );
  }
  return usableToken(given);
}

/** Sends a prepared request, and reads the whole answer, whatever its status, within the attempt's time. */
export async function sendAttempt(attempt: Attempt, request: Request): Promise<Answer> {
  const { call, deadline } = attempt;
  try {
    // The caller may have aborted while a hook or the token function ran.
    deadline.throwIfExpired();
    tellRequest(attempt);
    attempt.isSent = true;
    const response = await responseOf(attempt, request);
    attempt.isAnswered = true;
    call.progress.status = response.status;
    const body = await readBody(response, call.settings, deadline);
    // An error status tells what happened even where its body was cut off; a 2xx without its body tells nothing.
    if ('failure' in body && (response.ok || deadline.expiry === 'abort')) throw body.failure;
    await tellResponse(attempt, response, body);
    return { attempt, response, body };
  } catch (error) {
    // Any error after sending comes from `fetch`, whatever its class.
    throw fail(attempt, error);
  } finally {
    deadline.dispose();
  }
}

/** Waits for the answer. One that comes later, from a `fetch` that ignores its signal, is closed. */
async function responseOf(attempt: Attempt, request: Request): Promise<Response> {
  const pending = Promise.resolve(fetched(attempt, request));
  try {
    const response: Partial<Response> | undefined = await attempt.deadline.race(pending);
    if (typeof response?.headers?.forEach === 'function') return response as Response;
  } catch (error) {
    pending.then((late) => late.body?.cancel()).catch(() => undefined);
    throw error;
  }
  throw new TypeError('the option `fetch` gave no Response');
}

/** A `fetch` of the user's is given an address and an init: that of another undici refuses ky's `Request`. */
function fetched({ call, headers, deadline }: Attempt, request: Request): Promise<Response> {
  const { signal } = deadline;
  const { fetch: own, baseUrl } = call.settings;
  if (own === undefined) return fetch(request, { signal });
  const { method, body, path } = call.request;
  // Headers of its own: what it does to them must hide nothing from the masking.
  const init = { method, headers: { ...headers }, redirect: 'manual', signal } as const;
  return own(baseUrl + path, body === undefined ? init : { ...init, body });
}

function fail(attempt: Attempt, thrown: unknown): ConnectionError {
  const error = toConnectionError(attempt, thrown);
  tellFailure(attempt, error);
  return error;
}
