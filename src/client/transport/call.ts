import ky from 'ky';
import type { Endpoint, EndpointInput } from '../../endpoints/endpoint.js';
import { callerOf, throwTo } from '../../errors/caller.js';
import {
  AbortError,
  AgentPlatformError,
  type ApiError,
  type ConnectionError,
  RequestValidationError,
} from '../../errors/index.js';
import type { Issue } from '../../ground/issues.js';
import { parseJson } from '../../ground/json.js';
import { isOwnSchema } from '../../schemas/object.js';
import { DriftReporter } from '../../validation/drift.js';
import { refuseOption } from '../../validation/option-checks.js';
import { ApiPromise, type ApiResponse } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { resolveCall, type Settings } from '../settings.js';
import { type CallResult, readAnswer } from './answer.js';
import { errorBodyDrift, toApiError } from './api-error.js';
import { type Answer, Attempt, type Call, type CallProgress, deadlineOf } from './attempt.js';
import { toConnectionError, toExpiryError } from './connection-error.js';
import { onAbort } from './deadline.js';
import { prepareAttempt, sendAttempt } from './exchange.js';
import { credentialsOf, Masker } from './masker.js';
import { observeCall, runInTime, tellRetry } from './observe.js';
import { prepareRequest, type RequestInput } from './request.js';
import { delayBeforeNext } from './retry.js';
import { readThrown } from './thrown.js';

/** Sends one endpoint: what resources are given instead of the whole client. */
export type Send = <Path extends string, Body, Query, Result>(
  endpoint: Endpoint<Path, Body, Query, Result>,
  input: EndpointInput<Path, Body, Query>,
  options?: RequestOptions,
) => ApiPromise<Result>;

/**
 * Makes the function that all resources send with. One call passes these stages:
 *
 * 1. its arguments are checked, and its request is written down (`request.ts`);
 * 2. ky carries it: builds the `Request`, counts the attempts, and waits between them as `retry.ts` says;
 * 3. each attempt gets a fresh token, fresh headers and a time of its own, is sent, and its body is read (`exchange.ts`);
 * 4. what is not a 2xx becomes a typed error (`api-error.ts`, `connection-error.ts`);
 * 5. a 2xx is validated, and becomes what the caller gets (`answer.ts`).
 *
 * `attempt.ts` holds what is known of a call and of its attempt. `observe.ts` tells hooks and the log of them, and `masker.ts`
 * takes the secrets out of all that is told; `thrown.ts` out of what the user's own code throws.
 */
export function createTransport(settings: Settings): Send {
  const { hooks, log } = settings;
  const drift = new DriftReporter(log, (found) => hooks.onDrift?.(found));
  const sendFor: Send = <Path extends string, Body, Query, Result>(
    endpoint: Endpoint<Path, Body, Query, Result>,
    input: EndpointInput<Path, Body, Query>,
    options: RequestOptions = {},
  ) => {
    const caller = callerOf(sendFor);
    // The method's own, which Bun drops because it ends by calling this.
    const ownFrames = 'Bun' in globalThis ? 0 : 1;
    const ended = isEndpoint(endpoint)
      ? observeCall(settings, endpoint, (progress) =>
          send(settings, drift, endpoint, input, options, progress),
        )
      : refuseEndpoint();
    const outcome = ended.catch((error: unknown) => throwTo(caller, error, ownFrames));
    // Inside, the types of one endpoint do not matter; what `unwrap` returned is `Result` by its declaration.
    return new ApiPromise(outcome as Promise<ApiResponse<Result>>);
  };
  return sendFor;
}

const isEndpoint = (endpoint: Partial<Endpoint> | null): boolean => endpoint?.response?.kind !== undefined;

async function refuseEndpoint(): Promise<never> {
  return refuseOption('endpoint', 'must be one of `endpoints`, or made by endpoint()');
}

async function send(
  settings: Settings,
  drift: DriftReporter,
  endpoint: Endpoint,
  input: RequestInput,
  given: RequestOptions,
  progress: CallProgress,
): Promise<ApiResponse<unknown>> {
  refuseLooseIds(endpoint, input);
  const options = resolveCall(settings, given);
  // By a clock that nobody sets.
  const endsAt = performance.now() + (options.totalTimeout ?? Number.POSITIVE_INFINITY);
  const credentials = new Set(credentialsOf(options));
  const call = { settings, options, endpoint, endsAt, credentials, progress };
  const request = await prepareInTime(call, input);
  const answer = await carry({ ...call, request }, drift);
  const { data, message, drift: issues } = await readInTime(answer);
  await reportDrift(answer.attempt.call, drift, issues);
  return { data, response: answer.response, message };
}

/** From JavaScript, two ids may come one after the other, and the second would be taken for options. */
function refuseLooseIds({ method, path }: Endpoint, input: RequestInput | null): void {
  if (typeof input?.path !== 'string') return;
  const names = path.match(/(?<=\{)[^}]+/g)?.join(', ');
  const message = `expected the ids by name in one object, { ${names} }, received string`;
  throw new RequestValidationError({ method, path, issues: [{ path: [], code: 'invalid_type', message }] });
}

/** Lets ky make the attempts of a call, until one is answered with a 2xx or none may follow. */
async function carry(call: Call, drift: DriftReporter): Promise<Answer> {
  const { settings, options, request } = call;
  // Ends ky's waits. Not the caller's own signal, on which each wait would leave a listener.
  const waiting = options.signal && new AbortController();
  let attempt = new Attempt(call, 1);
  let answer: Answer | undefined;
  let delay = 0;
  const begin = async (state: { readonly request: Request; readonly retryCount: number }) => {
    if (state.retryCount > 0) attempt = new Attempt(call, state.retryCount + 1);
    await prepareAttempt(attempt, state.request);
  };
  const stopListening =
    options.signal && onAbort(options.signal, () => waiting?.abort(abortedWhileWaiting(attempt)));
  try {
    await ky(settings.baseUrl + request.path, {
      method: request.method,
      ...(request.body !== undefined && { body: request.body }),
      redirect: 'manual',
      ...(waiting && { signal: waiting.signal }),
      // That of ky ends before the body does: `Deadline` is stricter.
      timeout: false,
      retry: {
        limit: options.maxRetries,
        methods: [request.method.toLowerCase()],
        shouldRetry: async ({ error }) => {
          const next = delayBeforeNext(error, attempt);
          if (next === undefined) return false;
          delay = next;
          // Nothing else is retried.
          await tellRetry(attempt, delay, error as ApiError | ConnectionError);
          return true;
        },
        delay: () => delay,
      },
      hooks: { beforeRequest: [begin], beforeRetry: [begin] },
      fetch: async (sent) => {
        // ky calls it with the `Request` that it has built.
        answer = await sendAttempt(attempt, sent as Request);
        if (answer.response.ok) return answer.response;
        const parsed = parseJson(answer.body.text);
        await reportDrift(call, drift, errorBodyDrift(answer, parsed));
        throw toApiError(answer, parsed);
      },
    });
  } catch (error) {
    throw error instanceof AgentPlatformError ? error : toConnectionError(attempt, error);
  } finally {
    stopListening?.();
    attempt.deadline.dispose();
  }
  // ky resolves after `fetch` has.
  return answer as Answer;
}

function abortedWhileWaiting({ shown, masker, number, call }: Attempt): AbortError {
  const message = `${shown.method} ${shown.path} was aborted by its signal, before attempt ${number + 1}`;
  return new AbortError(message, { ...shown, cause: readThrown(call.options.signal?.reason, masker).cause });
}

async function prepareInTime(call: Omit<Call, 'request'>, input: RequestInput) {
  const { credentials, endpoint, settings } = call;
  const { method, path, body, query } = endpoint;
  const makeMasker = () => new Masker({ credentials, sent: input, received: [] });
  const request = prepareRequest(endpoint, input);
  if (body === undefined && query === undefined) return request;
  const shown = { method, path, region: settings.region };
  return withinTime(request, call, () => ({ shown, masker: makeMasker() }), false);
}

async function readInTime(answer: Answer): Promise<CallResult> {
  const { attempt } = answer;
  const result = readAnswer(answer);
  if (isOwnSchema(attempt.call.endpoint.response.schema)) return result;
  return withinTime(result, attempt.call, () => attempt, attempt.call.request.method !== 'GET');
}

/** Waits for a schema of the user's own, which may be asynchronous, no longer than for an attempt. */
async function withinTime<Value>(
  work: Promise<Value>,
  call: Omit<Call, 'request'>,
  about: () => Pick<Attempt, 'shown' | 'masker'>,
  outcomeUnknown: boolean,
): Promise<Value> {
  const deadline = deadlineOf(call);
  try {
    return await deadline.race(work);
  } catch (error) {
    if (deadline.expiry === undefined) throw error;
    const where = 'in a schema of the endpoint';
    throw toExpiryError(deadline.expiry, call.options, about(), where, outcomeUnknown);
  } finally {
    deadline.dispose();
  }
}

async function reportDrift(call: Call, drift: DriftReporter, issues: readonly Issue[]): Promise<void> {
  if (issues.length === 0) return;
  const source = `${call.endpoint.method} ${call.endpoint.path}`;
  await runInTime(call, 'onDrift', () => drift.report({ source, region: call.settings.region, issues }));
}
