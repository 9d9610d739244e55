import ky from 'ky';
import type { Endpoint, EndpointInput } from '../../endpoints/endpoint.js';
import { type AgentPlatformError, ConfigurationError } from '../../errors/index.js';
import { isBrowser, runtimeName } from '../../utils/environment.js';
import { typeName } from '../../utils/issues.js';
import { VERSION } from '../../utils/version.js';
import { unlessAborted } from '../../utils/waiting.js';
import { DriftReporter } from '../../validation/drift.js';
import { ApiPromise, type ApiResponse } from '../api-promise.js';
import type { DriftHookContext } from '../hooks.js';
import type { RequestOptions } from '../options.js';
import { type CallSettings, resolveCall, type Settings, tokenProblem } from '../settings.js';
import { followSignal } from './abort.js';
import { toApiError, toConnectionError, toError } from './errors.js';
import {
  notifyDrift,
  notifyEnd,
  notifyFailure,
  notifyRequest,
  notifyResponse,
  notifyRetry,
  runOnRequest,
} from './reporter.js';
import { type PreparedRequest, prepareRequest, type RequestInput } from './request.js';
import { type Answer, readBody, readResponse } from './response.js';
import { delayBeforeRetry } from './retry.js';

/** Sends one endpoint. Resources get this function instead of the whole client. */
export type Send = <Path extends string, Body, Query, Result>(
  endpoint: Endpoint<Path, Body, Query, Result>,
  input: EndpointInput<Path, Body, Query>,
  options?: RequestOptions,
) => ApiPromise<Result>;

/** One call: what its stages share. */
export interface Call {
  /** Identifies the call in hooks and log lines. */
  readonly id: string;
  readonly settings: Settings;
  readonly endpoint: Endpoint;
  readonly progress: Progress;
  /** By `performance.now()`, as all times here. */
  readonly startedAt: number;
  /** The end of `totalTimeout`. */
  readonly endsAt: number;
  /** The client's settings with the call's own options. */
  readonly options: CallSettings;
  readonly request: PreparedRequest;
}

/** The number of attempts of a call, and the state of the latest. */
export interface Progress {
  /** Attempts that were started. */
  attempts: number;
  /** The start of the latest attempt. */
  startedAt: number;
  /** The token that was sent, to mask it in words of the service. */
  token: string | undefined;
  /** The option whose time ends first. */
  limit: 'timeout' | 'totalTimeout';
  /** Whether the request was handed to `fetch`: before that, the service cannot have acted. */
  isSent: boolean;
  /** The status of the response, even if its body does not follow. */
  status: number | undefined;
  /** Whether the end of the attempt was logged. */
  isLogged: boolean;
}

/**
 * Makes the function that all resources send with. One call passes these stages:
 *
 * 1. its arguments are checked and its request is built (`request.ts`);
 * 2. ky makes the attempts, each within its time, with the delays that `retry.ts` chooses;
 * 3. a 2xx is validated and becomes the result (`response.ts`), anything else a typed error (`errors.ts`).
 */
export function createSend(settings: Settings): Send {
  const drift = new DriftReporter<DriftHookContext>(settings.log, (context) =>
    settings.hooks.onDrift?.(context),
  );
  return <Path extends string, Body, Query, Result>(
    endpoint: Endpoint<Path, Body, Query, Result>,
    input: EndpointInput<Path, Body, Query>,
    options: RequestOptions = {},
  ) => {
    const outcome = send(settings, drift, endpoint, input, options);
    // The declaration of the endpoint says that its response gives a `Result`.
    return new ApiPromise(outcome as Promise<ApiResponse<Result>>);
  };
}

async function send(
  settings: Settings,
  drift: DriftReporter<DriftHookContext>,
  endpoint: Endpoint,
  input: RequestInput,
  given: RequestOptions,
): Promise<ApiResponse<unknown>> {
  const startedAt = performance.now();
  const started = { id: crypto.randomUUID(), settings, endpoint, progress: newProgress(), startedAt };
  try {
    const request = await prepareRequest(endpoint, input);
    const options = resolveCall(settings, given, `${endpoint.method} ${endpoint.path}`);
    const endsAt = startedAt + (options.totalTimeout ?? Number.POSITIVE_INFINITY);
    const call: Call = { ...started, endsAt, options, request };
    const answer = await carry(call);
    const { data, message, drift: issues } = await readResponse(call, answer);
    if (issues.length > 0) notifyDrift(call, drift, issues);
    notifyEnd(started, undefined);
    return { data, message, response: answer.response };
  } catch (error) {
    // Every stage rejects with one of the package's errors.
    const failure = error as AgentPlatformError;
    // One tick later, the stack of an error includes the caller's `await`.
    await Promise.resolve();
    startAtCaller(failure);
    notifyEnd(started, failure);
    throw failure;
  }
}

function newProgress(): Progress {
  return {
    attempts: 0,
    startedAt: 0,
    token: undefined,
    limit: 'timeout',
    isSent: false,
    status: undefined,
    isLogged: false,
  };
}

/** Lets the stack of an error start at the line that called, if the runtime still knows it. */
function startAtCaller(error: Error): void {
  const { stack } = error;
  // Not every runtime has it.
  const { captureStackTrace } = Error as { captureStackTrace?: (target: object, above: unknown) => void };
  captureStackTrace?.(error, send);
  const fromCaller = error.stack?.replace(/\n +at .*(node:internal|ext:core).*/g, '');
  // Without `await`, only frames of the runtime are left, if any.
  const hasCaller = fromCaller !== undefined && /\n +at /.test(fromCaller);
  error.stack = hasCaller ? fromCaller : (stack ?? '');
}

/** Lets ky make the attempts of a call, until one gets a 2xx or no other may follow. */
async function carry(call: Call): Promise<Answer> {
  const { settings, options, request, endsAt, progress } = call;
  const abort = followSignal(options.signal);
  let answer: Answer | undefined;
  let delay = 0;
  const fail = (error: unknown) => {
    const failure = toError(call, error);
    notifyFailure(call, failure);
    return failure;
  };
  try {
    await ky(settings.baseUrl + request.path, {
      method: request.method,
      ...(abort.signal && { signal: abort.signal }),
      timeout: options.timeout,
      totalTimeout: options.totalTimeout ?? false,
      retry: {
        limit: options.maxRetries,
        methods: [request.method],
        shouldRetry: ({ error }) => {
          const failure = fail(error);
          const wait = delayBeforeRetry(failure, request.method, progress.attempts);
          // ky would wait for the end of `totalTimeout` before it gives up.
          if (wait === undefined || performance.now() + wait >= endsAt) return false;
          delay = wait;
          // An abort during the delay must not look like one of a request that was sent.
          progress.isSent = false;
          notifyRetry(call, failure, delay);
          return true;
        },
        delay: () => delay,
      },
      // ky repeats and times; `exchange` makes the request that is sent. One whole attempt, so that ky's timeouts cover the token, the
      // hook and the body. ky calls it with a `Request`.
      fetch: async (kyRequest) => {
        answer = await unlessAborted(attempt(call, (kyRequest as Request).signal), abort.signal);
        return answer.response;
      },
    });
  } catch (error) {
    throw fail(error);
  } finally {
    abort.release();
  }
  // ky resolves with the response of an attempt.
  return answer as Answer;
}

/** Makes one attempt. Once its signal is aborted, it sends and reports nothing more. */
async function attempt(call: Call, signal: AbortSignal): Promise<Answer> {
  const { options, endsAt, progress } = call;
  const startedAt = performance.now();
  const limit = endsAt - startedAt < options.timeout ? 'totalTimeout' : 'timeout';
  Object.assign(progress, newProgress(), { attempts: progress.attempts + 1, startedAt, limit });
  signal.throwIfAborted();
  const headers = await requestHeaders(call, signal);
  signal.throwIfAborted();
  notifyRequest(call);
  progress.isSent = true;
  const answer = await exchange(call, headers, signal);
  signal.throwIfAborted();
  notifyResponse(call, answer);
  if (!answer.response.ok) throw toApiError(call, answer);
  return answer;
}

/** Sends the request and reads the response, whatever its status. */
async function exchange(call: Call, headers: Record<string, string>, signal: AbortSignal): Promise<Answer> {
  const { settings, request, progress } = call;
  const { method, body } = request;
  const init = { method, headers, redirect: 'manual', signal, ...(body !== undefined && { body }) } as const;
  try {
    const response = await (settings.fetch ?? fetch)(settings.baseUrl + request.path, init);
    // A `fetch` that ignores its signal responds too late.
    if (signal.aborted) response.body?.cancel().catch(() => undefined);
    signal.throwIfAborted();
    progress.status = response.status;
    return { response, body: await readBody(response, settings, signal) };
  } catch (error) {
    signal.throwIfAborted();
    throw toConnectionError(call, error);
  }
}

let userAgent: string | undefined;

/** The headers of one attempt, with a fresh token. */
async function requestHeaders(call: Call, signal: AbortSignal): Promise<Record<string, string>> {
  const { options, request, progress } = call;
  userAgent ??= `agent-platform-sdk/${VERSION} (${runtimeName()})`;
  const token = await readToken(call);
  signal.throwIfAborted();
  progress.token = token;
  const headers = await runOnRequest(call, {
    accept: 'application/json',
    // Browsers set their own; a custom one would need a CORS preflight.
    ...(!isBrowser() && { 'user-agent': userAgent }),
    ...options.headers,
  });
  delete headers.authorization;
  delete headers['content-type'];
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
  return headers;
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
