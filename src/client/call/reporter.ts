import { type AgentPlatformError, type ApiError, ConnectionError, HookError } from '../../errors/index.js';
import type { Issue } from '../../utils/issues.js';
import { parseJson } from '../../utils/json.js';
import type { LogFields } from '../../utils/logger.js';
import { redact } from '../../utils/redact.js';
import type { DriftReporter } from '../../validation/drift.js';
import type { DriftHookContext, HookCall } from '../hooks.js';
import { describeBody, serviceWords } from './errors.js';
import type { Answer } from './response.js';
import type { Call } from './send.js';

/** The most characters of a body that are logged at debug. */
const MAX_LOGGED_BODY = 16 * 1024;

/**
 * Lets the hook add headers before an attempt is sent. Returns those to send, with names in lower case.
 *
 * @throws {HookError} If the hook throws.
 */
export async function runOnRequest(
  call: Call,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const { request, endpoint, settings, progress } = call;
  const { hooks, baseUrl } = settings;
  if (hooks.onRequest === undefined) return headers;
  const context = { ...hookCall(call), url: baseUrl + request.path, headers: new Headers(headers) };
  try {
    await hooks.onRequest(context);
  } catch (cause) {
    const what = `${request.method} ${endpoint.path} was not sent (attempt ${progress.attempts})`;
    const message = `${what}: the onRequest hook threw (see \`error.cause\`)`;
    throw new HookError(message, { hook: 'onRequest', cause });
  }
  return Object.fromEntries(context.headers);
}

/** Logs that an attempt is sent, at debug. Its headers and its body are never logged. */
export function notifyRequest(call: Call): void {
  logAttempt(call, 'debug', () => 'is sent');
}

/** Reports a response: one line at info, its headers and body at debug, and the hook. */
export function notifyResponse(call: Call, { response, body }: Answer): void {
  const { hooks, log } = call.settings;
  const { status, headers } = response;
  const durationMs = durationOf(call);
  call.progress.isLogged = true;
  logAttempt(call, 'info', () => `-> ${status} in ${durationMs} ms`, { status, durationMs });
  logAttempt(call, 'debug', () => `received ${responseForLog(call, headers, body.text)}`, {
    status,
    durationMs,
  });
  void log.runQuietly('onResponse', () =>
    hooks.onResponse?.({ ...hookCall(call), status, headers, durationMs }),
  );
}

/** Headers and JSON with their secrets masked by name. Any other body is described: it may hold a secret anywhere. */
function responseForLog(call: Call, headers: Headers, text: string): string {
  const shownHeaders = JSON.stringify(redact(Object.fromEntries(headers)));
  const parsed = parseJson(text);
  const shownBody =
    parsed === undefined ? describeBody(text) : JSON.stringify(redact(parsed)).slice(0, MAX_LOGGED_BODY);
  return serviceWords(call, `${shownHeaders} ${shownBody}`);
}

/** Logs an attempt without a response in one line at info, if it has none yet. */
export function notifyFailure(call: Call, error: AgentPlatformError): void {
  const { progress } = call;
  if (progress.isLogged || !(error instanceof ConnectionError)) return;
  progress.isLogged = true;
  const durationMs = durationOf(call);
  const outcome = error.type;
  logAttempt(call, 'info', () => `-> ${error.name} in ${durationMs} ms`, { outcome, durationMs });
}

/** Reports a failed attempt that another one follows: a line at debug, and the hook. */
export function notifyRetry(call: Call, failure: AgentPlatformError, delayMs: number): void {
  // Nothing else is retried.
  const error = failure as ApiError | ConnectionError;
  const { hooks, log } = call.settings;
  const outcome = error.type;
  logAttempt(call, 'debug', () => `is retried in ${Math.ceil(delayMs)} ms: ${error.name}`, { outcome });
  void log.runQuietly('onRetry', () => hooks.onRetry?.({ ...hookCall(call), delayMs, error }));
}

/** Reports what the validation has forgiven: to the log once for each place, and to the hook. */
export function notifyDrift(
  { id, endpoint, settings }: Call,
  reporter: DriftReporter<DriftHookContext>,
  issues: readonly Issue[],
): void {
  const { method, path: route } = endpoint;
  const source = `${method} ${route}`;
  void reporter.report({ source, region: settings.region, issues, callId: id, method, route });
}

/** A call whose arguments may have been refused, so that it has no request. */
type StartedCall = Pick<Call, 'id' | 'settings' | 'endpoint' | 'progress' | 'startedAt'>;

/** Calls the hook at the end of a call. */
export function notifyEnd(call: StartedCall, error: AgentPlatformError | undefined): void {
  const { id, settings, endpoint, progress, startedAt } = call;
  const { hooks, log, region } = settings;
  void log.runQuietly('onEnd', () =>
    hooks.onEnd?.({
      callId: id,
      method: endpoint.method,
      route: endpoint.path,
      region,
      outcome: error === undefined ? 'success' : 'error',
      status: progress.status,
      attempts: progress.attempts,
      durationMs: Math.round(performance.now() - startedAt),
      error,
    }),
  );
}

function hookCall({ id, request, endpoint, settings, progress }: Call): HookCall {
  const { method, path } = request;
  const { region } = settings;
  return { callId: id, method, route: endpoint.path, path, region, attempt: progress.attempts };
}

/** Writes a line about an attempt; the facts in it are its fields. */
function logAttempt(call: Call, level: 'info' | 'debug', event: () => string, facts?: LogFields): void {
  const { id: callId, request, endpoint, settings, progress } = call;
  const { region } = settings;
  const { method, path } = request;
  const attempt = progress.attempts;
  settings.log.log(
    level,
    () => `${method} ${path} (attempt ${attempt}, ${region}) ${event()}`,
    () => ({ method, route: endpoint.path, region, callId, attempt, ...facts }),
  );
}

/** Milliseconds since the attempt started, even if the clock of the machine is set meanwhile. */
const durationOf = ({ progress }: Call): number => Math.round(performance.now() - progress.startedAt);
