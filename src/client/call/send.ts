import ky from 'ky';
import type { Endpoint, EndpointInput } from '../../endpoints/endpoint.js';
import { AgentPlatformError } from '../../errors/index.js';
import type { Issue } from '../../utils/issues.js';
import { stackOf } from '../../utils/thrown.js';
import { unlessAborted } from '../../utils/waiting.js';
import { type ApiPromise, type ApiResponse, PendingCall } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { Settings } from '../settings.js';
import { followSignal } from './abort.js';
import {
  type Attempt,
  type Call,
  prepareCall,
  type ReceivedResponse,
  startAttempt,
  startCall,
} from './call.js';
import { toApiError, toConnectionError, toTimeoutOrAbort, toWrongFetch } from './errors.js';
import { requestHeaders } from './headers.js';
import { logNoResponse, logSent, reportDrift, reportEnd, reportResponse, reportRetry } from './reporter.js';
import type { RawPath, RequestInput } from './request.js';
import { readText, toResult } from './response.js';
import { delayBeforeRetry } from './retry.js';

/** Extras of a call that its endpoint does not declare. */
export interface CallExtras {
  /** Throws for what is wrong with the call, before its other checks. */
  readonly check?: () => void;
  /** The whole path of a request that no declaration describes. */
  readonly raw?: RawPath;
  /** Finds what makes a valid result unusable. */
  readonly findIssues?: (data: unknown) => readonly Issue[];
}

/** Sends one endpoint. Resources get this function instead of the whole client. */
export type Send = <Path extends string, Body, Query, Result>(
  endpoint: Endpoint<Path, Body, Query, Result>,
  input: EndpointInput<Path, Body, Query>,
  options?: RequestOptions,
  extras?: CallExtras,
) => ApiPromise<Result>;

/** Makes the function that all resources send with. */
export function createSend(settings: Settings): Send {
  return (endpoint, input, options, extras = {}) => {
    const outcome = send(settings, endpoint, input, options, extras);
    // The declaration of the endpoint says what its response gives: any `Result`.
    return new PendingCall(outcome as Promise<ApiResponse<never>>);
  };
}

/**
 * Makes one call, in these stages:
 *
 * 1. its arguments are checked and its request is built (`call.ts`, `request.ts`);
 * 2. ky makes the attempts, each within its time, with the delays that `retry.ts` chooses;
 * 3. a 2xx is validated and becomes the result (`response.ts`), anything else a typed error (`errors.ts`): in the time
 *    of the attempt too, because a schema may wait for something.
 *
 * `reporter.ts` logs and calls the hooks.
 */
async function send(
  settings: Settings,
  endpoint: Endpoint,
  input: RequestInput,
  options: RequestOptions | undefined,
  { check, raw, findIssues }: CallExtras,
): Promise<ApiResponse<unknown>> {
  const started = startCall(settings, endpoint);
  try {
    check?.();
    const call = await prepareCall(started, input, options, raw);
    const result = await sendWithRetries(call, findIssues);
    if (result.drift.length > 0) reportDrift(call, result.drift);
    reportEnd(started, undefined);
    return result;
  } catch (error) {
    // Every stage rejects with one of the package's errors.
    const failure = error as AgentPlatformError;
    // One tick later, the stack of an error includes the caller's `await`.
    await Promise.resolve();
    startAtCaller(failure);
    reportEnd(started, failure);
    throw failure;
  }
}

/**
 * Lets the stack of an error start at the line that called, if the runtime still knows it. Never throws: a program
 * may freeze errors, or format stacks as it likes.
 */
function startAtCaller(error: Error): void {
  const stack = stackOf(error);
  if (stack === undefined) return;
  try {
    // Not every runtime has it: https://github.com/tc39/proposal-error-capturestacktrace.
    const { captureStackTrace } = Error as { captureStackTrace?: (target: object, above: unknown) => void };
    captureStackTrace?.(error, send);
    const fromCaller = stackOf(error)?.replace(/\n +at .*(node:internal|ext:core).*/g, '') ?? '';
    // Without `await`, only frames of the runtime are left, if any: Node's `node:internal`, Deno's `ext:core`.
    error.stack = /\n +at /.test(fromCaller) ? fromCaller : stack;
  } catch {
    // The stack stays as it was.
  }
}

/**
 * Makes attempts until one gets a 2xx, or no other may follow.
 *
 * ky repeats and times them. Its own request, a GET, is never sent: a whole attempt runs inside its `fetch`,
 * so that its timeouts cover the token, the hook, the body and the schemas.
 */
async function sendWithRetries(
  call: Call,
  findIssues: CallExtras['findIssues'],
): Promise<ApiResponse<unknown>> {
  const { settings, options, request } = call;
  const caller = options.signal && followSignal(options.signal);
  let result: ApiResponse<unknown> | undefined;
  /** Milliseconds until the next attempt, while the call waits for it. */
  let delayMs: number | undefined;
  /** Returns the error of an attempt. For a timeout or an abort, which come from outside, it is made here. */
  const failureOf = (thrown: unknown): AgentPlatformError => {
    if (thrown instanceof AgentPlatformError) return thrown;
    const isWaiting = delayMs !== undefined;
    const failure = toTimeoutOrAbort(call, thrown, isWaiting);
    // An abort during the delay ends no attempt.
    if (!isWaiting && call.attempts.length > 0) logNoResponse(call, failure);
    return failure;
  };
  try {
    await ky(settings.baseUrl + request.path, {
      signal: caller?.signal ?? null,
      timeout: options.timeout,
      totalTimeout: options.totalTimeout ?? false,
      retry: {
        limit: options.maxRetries,
        shouldRetry: ({ error }) => {
          const failure = failureOf(error);
          delayMs = delayBeforeRetry(call, failure);
          // ky rejects with what this throws.
          if (delayMs === undefined) throw failure;
          reportRetry(call, failure, delayMs);
          return true;
        },
        delay: () => delayMs ?? 0,
      },
      fetch: async (kyRequest) => {
        delayMs = undefined;
        // ky passes a `Request`.
        const { signal } = kyRequest as Request;
        const attempt = makeAttempt(call, startAttempt(call), signal, findIssues);
        result = await unlessAborted(attempt, caller?.signal);
        return result.response;
      },
    });
  } catch (error) {
    throw failureOf(error);
  } finally {
    caller?.release();
  }
  // ky resolves with the response of the latest attempt.
  return result as unknown as ApiResponse<unknown>;
}

/** Makes one attempt, and returns its result. Once its signal is aborted, it sends and reports nothing more. */
async function makeAttempt(
  call: Call,
  attempt: Attempt,
  signal: AbortSignal,
  findIssues: CallExtras['findIssues'],
): Promise<ApiResponse<unknown>> {
  signal.throwIfAborted();
  const headers = await requestHeaders(call, attempt, signal);
  signal.throwIfAborted();
  logSent(call);
  attempt.isSent = true;
  const received = await exchange(call, attempt, headers, signal);
  signal.throwIfAborted();
  reportResponse(call, received);
  if (!received.response.ok) throw toApiError(call, received);
  return toResult(call, received, findIssues);
}

/** Sends the request and reads the response, whatever its status. */
async function exchange(
  call: Call,
  attempt: Attempt,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const { settings, options, request } = call;
  const { method, body } = request;
  // Taken out of its object: as a method, that of workerd refuses to be called (notion-sdk-js#681).
  const { fetch: ownFetch } = settings;
  const url = settings.baseUrl + request.path;
  const init = { method, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) } as const;
  try {
    const given = await (ownFetch === undefined
      ? // The runtime knows what it takes.
        fetch(url, { ...(options.fetchOptions as object), ...init })
      : ownFetch(url, init));
    // From a program's own `fetch` it may be anything.
    const response = given as Response | undefined;
    const isRead = typeof response?.text === 'function' && typeof response.headers?.get === 'function';
    if (isRead && typeof response.ok === 'boolean') {
      // A `fetch` that ignores its signal responds too late.
      if (signal.aborted) response.body?.cancel().catch(() => undefined);
      signal.throwIfAborted();
      attempt.status = response.status;
      return { response, ...(await readText(response, settings, signal)) };
    }
  } catch (cause) {
    signal.throwIfAborted();
    const failure = toConnectionError(call, cause);
    logNoResponse(call, failure);
    throw failure;
  }
  throw toWrongFetch(call);
}
