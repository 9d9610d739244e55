import type { Endpoint } from '../../endpoints/endpoint.js';
import {
  type AgentPlatformError,
  type ApiError,
  type CallContext,
  type ConnectionError,
  HookError,
} from '../../errors/index.js';
import type { LogFields } from '../../ground/logger.js';
import { onOneLine } from '../../ground/printable.js';
import { TRACING_CHANNELS, traced } from '../../ground/tracing.js';
import { FRAMING_HEADERS } from '../../validation/option-checks.js';
import type { CallTrace, EndHookContext, HookCall } from '../hooks.js';
import type { Settings } from '../settings.js';
import { type Attempt, type Call, type CallProgress, deadlineOf } from './attempt.js';
import type { BodyText } from './response-body.js';
import { readThrown } from './thrown.js';

/** Runs a call, and tells the hook and the tracing channel of its end. */
export function observeCall<Result>(
  { hooks, log, region, baseUrl }: Settings,
  { method, path: route }: Pick<Endpoint, 'method' | 'path'>,
  run: (progress: CallProgress) => Promise<Result>,
): Promise<Result> {
  const progress: CallProgress = { attempts: 0, status: undefined };
  const about = { method, route, region };
  const runTold = async (trace: CallTrace | undefined): Promise<Result> => {
    const startedAt = performance.now();
    const tellEnd = (error?: AgentPlatformError): void => {
      const durationMs = Math.round(performance.now() - startedAt);
      const outcome = error === undefined ? 'success' : 'error';
      const ended: EndHookContext = { ...about, ...progress, outcome, durationMs, error };
      if (trace !== undefined) Object.assign(trace, ended);
      void log.runQuietly('onEnd', () => hooks.onEnd?.(ended));
    };
    try {
      const result = await run(progress);
      tellEnd();
      return result;
    } catch (error) {
      // A call rejects with nothing else.
      tellEnd(error as AgentPlatformError);
      throw error;
    }
  };
  return traced(
    TRACING_CHANNELS.call,
    (): CallTrace => ({ ...about, baseUrl }),
    // Those who have not asked pay for nothing.
    (trace) => (hooks.onEnd === undefined && trace === undefined ? run(progress) : runTold(trace)),
  );
}

/** Lets the hook add headers before the attempt is sent. A hook that throws ends the call with a HookError. */
export async function runOnRequest(
  attempt: Attempt,
  own: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const { hooks, baseUrl } = attempt.call.settings;
  if (hooks.onRequest === undefined) return { ...own };
  const headers = new Headers(own);
  const call = hookCall(attempt);
  try {
    const done = hooks.onRequest({ ...call, url: baseUrl + call.path, headers });
    await attempt.deadline.race(Promise.resolve(done));
  } catch (cause) {
    attempt.deadline.throwIfExpired();
    // It may tell a header that it has set.
    attempt.noteHeaders(Object.fromEntries(headers));
    return refuseHook(attempt, 'failed (see `error.cause`)', readThrown(cause, attempt.masker).cause);
  }
  const framing = FRAMING_HEADERS.find((name) => headers.has(name));
  if (framing !== undefined) refuseHook(attempt, `set the header \`${framing}\`, which frames the request`);
  headers.delete('authorization');
  headers.delete('content-type');
  if (own['content-type'] !== undefined) headers.set('content-type', own['content-type']);
  return Object.fromEntries(headers.entries());
}

function refuseHook({ call, number }: Attempt, problem: string, cause?: unknown): never {
  const { method, path } = call.endpoint;
  const which = number === 1 ? '' : ` again (attempt ${number})`;
  throw new HookError(`${method} ${path} was not sent${which}: the hook onRequest ${problem}`, {
    hook: 'onRequest',
    cause,
  });
}

/** Logs what is about to be sent, at debug: headers and body, redacted. */
export function tellRequest(attempt: Attempt): void {
  const { settings, request } = attempt.call;
  settings.log.log(
    'debug',
    () => {
      const headers = JSON.stringify(attempt.masker.headers(new Headers(attempt.headers)));
      const body = request.body === undefined ? '' : ` ${onOneLine(attempt.masker.body(request.body))}`;
      return `${lineOf(attempt)} sends ${headers}${body}`;
    },
    () => fieldsOf(attempt),
  );
}

/**
 * Tells of an answer whose body was read: one line at info, headers and body, redacted, at debug, and the hook. A hook that
 * throws, or outlasts the attempt, is logged and ignored.
 */
export async function tellResponse(attempt: Attempt, response: Response, { text }: BodyText): Promise<void> {
  const { hooks, log } = attempt.call.settings;
  const durationMs = durationOf(attempt);
  const { status } = response;
  const fields = (): LogFields => ({ ...fieldsOf(attempt), status, durationMs });
  log.log('info', () => `${lineOf(attempt)} -> ${status} in ${durationMs} ms`, fields);
  log.log(
    'debug',
    () => {
      const headers = JSON.stringify(attempt.masker.headers(response.headers));
      return `${lineOf(attempt)} received ${headers} ${onOneLine(attempt.masker.body(text))}`;
    },
    fields,
  );
  if (hooks.onResponse === undefined) return;
  const headers = new Headers(attempt.masker.headers(response.headers));
  const told = { ...hookCall(attempt), status: response.status, headers, durationMs };
  await log.runQuietly('onResponse', () => attempt.deadline.race(Promise.resolve(hooks.onResponse?.(told))));
}

/** Logs an attempt that was not answered, in one line at info. */
export function tellFailure(attempt: Attempt, error: ConnectionError): void {
  const durationMs = durationOf(attempt);
  attempt.call.settings.log.log(
    'info',
    () => `${lineOf(attempt)} -> ${error.name} in ${durationMs} ms`,
    () => ({ ...fieldsOf(attempt), outcome: error.type, durationMs }),
  );
}

/**
 * Tells of a failed attempt that another one follows, before the wait: at debug, because each attempt has its own line at
 * info, and the hook.
 */
export async function tellRetry(
  attempt: Attempt,
  delayMs: number,
  error: ApiError | ConnectionError,
): Promise<void> {
  const { hooks, log } = attempt.call.settings;
  log.log(
    'debug',
    () => `${line(error, attempt)} is retried in ${Math.ceil(delayMs)} ms: ${error.name}`,
    () => ({ ...fieldsOf(attempt), outcome: error.type }),
  );
  if (hooks.onRetry === undefined) return;
  const told = { ...hookCall(attempt), delayMs, error };
  await runInTime(attempt.call, 'onRetry', () => hooks.onRetry?.(told));
}

/** Runs a hook after an attempt. One that throws, or takes longer than an attempt may, is logged and left behind. */
export async function runInTime(call: Call, name: string, hook: () => unknown): Promise<void> {
  const deadline = deadlineOf(call);
  await call.settings.log.runQuietly(name, () => deadline.race(Promise.resolve(hook())));
  deadline.dispose();
}

function hookCall(attempt: Attempt): HookCall {
  return { ...attempt.shown, route: attempt.call.endpoint.path, attempt: attempt.number };
}

/** Milliseconds since the attempt began, even if the clock of the machine is set meanwhile. */
const durationOf = ({ startedAt }: Attempt): number => Math.round(performance.now() - startedAt);

function fieldsOf({ call: { endpoint, settings }, number }: Attempt): LogFields {
  return { method: endpoint.method, route: endpoint.path, region: settings.region, attempt: number };
}

const lineOf = (attempt: Attempt): string => line(attempt.shown, attempt);

const line = ({ method, path, region }: CallContext, { number }: Attempt): string =>
  `${method} ${path} (attempt ${number}, ${region})`;
