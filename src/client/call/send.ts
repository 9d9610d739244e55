import ky from 'ky';
import type { Endpoint, EndpointInput } from '../../endpoints/endpoint.js';
import { AgentPlatformError, ConfigurationError } from '../../errors/index.js';
import { typeName } from '../../utils/issues.js';
import { unlessAborted } from '../../utils/waiting.js';
import { ApiPromise, type ApiResponse } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { type Settings, tokenProblem } from '../settings.js';
import { followSignal } from './abort.js';
import { type Call, newAttempt, prepareCall, type ReceivedResponse, startCall } from './call.js';
import { toApiError, toConnectionError, toTimeoutOrAbort } from './errors.js';
import {
  logNoResponse,
  logSent,
  reportDrift,
  reportEnd,
  reportResponse,
  reportRetry,
  runOnRequest,
} from './reporter.js';
import type { RequestInput } from './request.js';
import { readText, toResult } from './response.js';
import { delayBeforeRetry } from './retry.js';

/** Sends one endpoint. Resources get this function instead of the whole client. */
export type Send = <Path extends string, Body, Query, Result>(
  endpoint: Endpoint<Path, Body, Query, Result>,
  input: EndpointInput<Path, Body, Query>,
  options?: RequestOptions,
) => ApiPromise<Result>;

/** Makes the function that all resources send with. */
export function createSend(settings: Settings): Send {
  return <Path extends string, Body, Query, Result>(
    endpoint: Endpoint<Path, Body, Query, Result>,
    input: EndpointInput<Path, Body, Query>,
    options: RequestOptions = {},
  ) => {
    const outcome = send(settings, endpoint, input, options);
    // The declaration of the endpoint says that its response gives a `Result`.
    return new ApiPromise(outcome as Promise<ApiResponse<Result>>);
  };
}

/**
 * Makes one call, in these stages:
 *
 * 1. its arguments are checked and its request is built (`call.ts`, `request.ts`);
 * 2. ky makes the attempts, each within its time, with the delays that `retry.ts` chooses;
 * 3. a 2xx is validated and becomes the result (`response.ts`), anything else a typed error (`errors.ts`).
 *
 * `reporter.ts` logs and calls the hooks.
 */
async function send(
  settings: Settings,
  endpoint: Endpoint,
  input: RequestInput,
  options: RequestOptions,
): Promise<ApiResponse<unknown>> {
  const started = startCall(settings, endpoint);
  let call: Call | undefined;
  try {
    call = await prepareCall(started, input, options);
    const received = await sendWithRetries(call);
    const { data, message, drift } = await toResult(call, received);
    if (drift.length > 0) reportDrift(call, drift);
    reportEnd(call, undefined);
    return { data, message, response: received.response };
  } catch (error) {
    // Every stage rejects with one of the package's errors.
    const failure = error as AgentPlatformError;
    // One tick later, the stack of an error includes the caller's `await`.
    await Promise.resolve();
    startAtCaller(failure);
    reportEnd(call ?? started, failure);
    throw failure;
  }
}

/** Lets the stack of an error start at the line that called, if the runtime still knows it. */
function startAtCaller(error: Error): void {
  const { stack } = error;
  // Not every runtime has it: https://github.com/tc39/proposal-error-capturestacktrace.
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, above: unknown) => void };
  captureStackTrace?.(error, send);
  const fromCaller = error.stack?.replace(/\n +at .*(node:internal|ext:core).*/g, '');
  // Without `await`, only frames of the runtime are left, if any: Node's `node:internal`, Deno's `ext:core`.
  const hasCaller = fromCaller !== undefined && /\n +at /.test(fromCaller);
  error.stack = hasCaller ? fromCaller : (stack ?? '');
}

/**
 * Makes attempts until one gets a 2xx, or no other may follow.
 *
 * ky repeats and times them. Its own request, a GET, is never sent: a whole attempt runs inside its `fetch`,
 * so that its timeouts cover the token, the hook and the body.
 */
async function sendWithRetries(call: Call): Promise<ReceivedResponse> {
  const { settings, options, request } = call;
  const caller = options.signal && followSignal(options.signal);
  try {
    await ky(settings.baseUrl + request.path, {
      signal: caller?.signal ?? null,
      timeout: options.timeout,
      totalTimeout: options.totalTimeout ?? false,
      retry: {
        limit: options.maxRetries,
        shouldRetry: ({ error }) => {
          const failure = failAttempt(call, error);
          const delayMs = delayBeforeRetry(call, failure);
          // ky rejects with what this throws.
          if (delayMs === undefined) throw failure;
          call.attempt.retryDelayMs = delayMs;
          reportRetry(call, failure, delayMs);
          return true;
        },
        delay: () => call.attempt.retryDelayMs ?? 0,
      },
      // ky passes a `Request`.
      fetch: (kyRequest) => unlessAborted(fetchOnce(call, (kyRequest as Request).signal), caller?.signal),
    });
  } catch (error) {
    throw failAttempt(call, error);
  } finally {
    caller?.release();
  }
  // ky resolves with the response of the latest attempt.
  return call.attempt.received as ReceivedResponse;
}

/** Returns the error of an attempt. For a timeout or an abort, which come from outside, it is made here. */
function failAttempt(call: Call, thrown: unknown): AgentPlatformError {
  if (thrown instanceof AgentPlatformError) return thrown;
  const failure = toTimeoutOrAbort(call, thrown);
  // An abort during the delay ends no attempt.
  if (call.attempt.retryDelayMs === undefined) logNoResponse(call, failure);
  return failure;
}

/** Makes one attempt. Once its signal is aborted, it sends and reports nothing more. */
async function fetchOnce(call: Call, signal: AbortSignal): Promise<Response> {
  call.attempt = newAttempt(call.attempt.number + 1);
  signal.throwIfAborted();
  const headers = await requestHeaders(call, signal);
  signal.throwIfAborted();
  logSent(call);
  call.attempt.isSent = true;
  const received = await exchange(call, headers, signal);
  signal.throwIfAborted();
  reportResponse(call, received);
  if (!received.response.ok) throw toApiError(call, received);
  call.attempt.received = received;
  return received.response;
}

/** Sends the request and reads the response, whatever its status. */
async function exchange(
  call: Call,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { settings, options, request, attempt } = call;
  const { method, body } = request;
  const init = {
    // The runtime knows what it takes.
    ...(options.fetchOptions as object),
    method,
    headers,
    redirect: 'manual',
    signal,
    ...(body !== undefined && { body }),
  } as const;
  try {
    const response = await (settings.fetch ?? fetch)(settings.baseUrl + request.path, init);
    // From JavaScript it may be anything.
    if (typeof (response as Partial<Response> | undefined)?.text !== 'function') {
      throw new ConfigurationError('`fetch` must resolve to a Response', { option: 'fetch' });
    }
    // A `fetch` that ignores its signal responds too late.
    if (signal.aborted) response.body?.cancel().catch(() => undefined);
    signal.throwIfAborted();
    attempt.status = response.status;
    return { response, ...(await readText(response, settings, signal)) };
  } catch (cause) {
    signal.throwIfAborted();
    const failure = toConnectionError(call, cause);
    logNoResponse(call, failure);
    throw failure;
  }
}

/** The headers of one attempt, with a fresh token. */
async function requestHeaders(call: Call, signal: AbortSignal): Promise<Record<string, string>> {
  const { options, request, attempt } = call;
  const token = await readToken(call);
  signal.throwIfAborted();
  attempt.token = token;
  return {
    ...(await runOnRequest(call, options.headers)),
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
}

/** Calls the token function at each attempt, so that a rotated token is used at once. */
async function readToken({ endpoint, options }: Call): Promise<string | undefined> {
  const { token } = options;
  if (endpoint.auth === 'none') return undefined;
  if (typeof token !== 'function') return token;
  const refuse = (what: string, cause?: unknown) => {
    const message = `The \`token\` function ${what}; ${endpoint.method} ${endpoint.path} was not sent`;
    return new ConfigurationError(message, { option: 'token', cause });
  };
  let given: string;
  try {
    given = await token();
  } catch (cause) {
    throw refuse('failed (see `error.cause`)', cause);
  }
  const problem = tokenProblem(given);
  if (problem !== undefined) throw refuse(`returned ${typeName(given)}: token ${problem}`);
  return given.trim();
}
