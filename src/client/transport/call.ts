import type { Endpoint, EndpointInput } from '../../endpoints/endpoint.js';
import type { Issue } from '../../ground/issues.js';
import { isOwnSchema } from '../../schemas/object.js';
import { DriftReporter } from '../../validation/drift.js';
import { ApiPromise, type ApiResponse } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { type CallSettings, resolveCall, type Settings } from '../settings.js';
import { type CallResult, readAnswer } from './answer.js';
import { toApiError } from './api-error.js';
import { type Answer, makeAttempt } from './attempt.js';
import { type AttemptContext, shownCall } from './attempt-context.js';
import { deadlineOf } from './deadline.js';
import { pauseBefore } from './pause.js';
import { type PreparedRequest, prepareRequest, type RequestInput } from './request.js';
import { isRetryable, retryDelay } from './retry.js';
import { withinTime } from './schema-time.js';

/** Sends one endpoint: what resources are given instead of the whole client. */
export type Send = <Path extends string, Body, Query, Result>(
  endpoint: Endpoint<Path, Body, Query, Result>,
  input: EndpointInput<Path, Body, Query>,
  options?: RequestOptions,
) => ApiPromise<Result>;

/** Makes the function that all resources send with. */
export function createTransport(settings: Settings): Send {
  const { hooks, log } = settings;
  const drift = new DriftReporter(log, (found) => hooks.onDrift?.(found));
  return <Path extends string, Body, Query, Result>(
    endpoint: Endpoint<Path, Body, Query, Result>,
    input: EndpointInput<Path, Body, Query>,
    options: RequestOptions = {},
  ) => {
    // Inside, the types of one endpoint do not matter; what `unwrap` returned is `Result` by its declaration.
    const outcome = call({ settings, drift, endpoint, input, options });
    return new ApiPromise(outcome as Promise<ApiResponse<Result>>);
  };
}

interface Call {
  readonly settings: Settings;
  readonly drift: DriftReporter;
  readonly endpoint: Endpoint;
  readonly input: RequestInput;
  readonly options: RequestOptions;
}

async function call({ settings, drift, endpoint, input, options }: Call): Promise<ApiResponse<unknown>> {
  const callSettings = resolveCall(settings, options);
  // By a clock that nobody sets.
  const endsAt = performance.now() + (callSettings.totalTimeout ?? Number.POSITIVE_INFINITY);
  const request = await prepare({ settings, call: callSettings, endpoint, endsAt }, input);
  for (let number = 1; ; number += 1) {
    const context: AttemptContext = { settings, call: callSettings, endpoint, request, number, endsAt };
    try {
      return await attemptOnce(context, drift);
    } catch (error) {
      const delay = delayBeforeNext(error, request, callSettings, number);
      if (delay === undefined || performance.now() + delay >= endsAt) throw error;
      await pauseBefore(context, delay, error);
    }
  }
}

async function attemptOnce(context: AttemptContext, drift: DriftReporter): Promise<ApiResponse<unknown>> {
  const answer = await makeAttempt(context);
  if (!answer.response.ok) throw toApiError(answer);
  const { data, message, drift: issues } = await read(answer);
  if (issues.length > 0) await reportDrift(context, drift, issues);
  return { data, response: answer.response, message };
}

async function prepare(
  context: Pick<AttemptContext, 'settings' | 'call' | 'endpoint' | 'endsAt'>,
  input: RequestInput,
): Promise<PreparedRequest> {
  const { settings, endpoint } = context;
  const { method, path, body, query } = endpoint;
  const request = prepareRequest(endpoint, input);
  if (body === undefined && query === undefined) return request;
  return withinTime(request, context, () => ({ method, path, region: settings.region }), false);
}

async function read(answer: Answer): Promise<CallResult> {
  const { context, progress } = answer;
  const result = readAnswer(answer);
  if (isOwnSchema(context.endpoint.response.schema)) return result;
  const shown = () => shownCall(context, progress.secrets);
  return withinTime(result, context, shown, context.request.method !== 'GET');
}

async function reportDrift(context: AttemptContext, drift: DriftReporter, issues: readonly Issue[]) {
  const { settings, call, endsAt, endpoint } = context;
  const hookTime = deadlineOf(call, endsAt);
  const source = `${endpoint.method} ${endpoint.path}`;
  const report = drift.report({ source, region: settings.region, issues });
  // The reporter never rejects. A hook that outlasts the time of an attempt is left behind, like any after sending.
  await hookTime.race(report).catch(() => undefined);
  hookTime.dispose();
}

function delayBeforeNext(
  error: unknown,
  request: PreparedRequest,
  call: CallSettings,
  number: number,
): number | undefined {
  if (number > call.maxRetries || !isRetryable(request.method, error)) return undefined;
  return retryDelay(error, number);
}
