import { type AgentPlatformError, type ApiError, ConnectionError, HookError } from '../../errors/index.js';
import type { Issue } from '../../ground/issues.js';
import { parseJson } from '../../ground/json.js';
import type { LogFields } from '../../ground/logger.js';
import { redact } from '../../ground/redact.js';
import type { DriftReporter } from '../../validation/drift.js';
import type { HookCall } from '../hooks.js';
import { describeBody, serviceWords } from './errors.js';
import type { Answer } from './response.js';
import type { Call } from './send.js';

/** Characters of a body that are logged at debug. */
const MAX_LOGGED_BODY = 16 * 1024;

/**
 * Lets the hook add headers before an attempt is sent. Returns those to send, with names in lower case.
 *
 * @throws {HookError} When the hook throws.
 */
export async function runOnRequest(
  call: Call,
  headers: Record<string, string>,
): Promise<Record<string, string>> {
  const { settings, endpoint, progress } = call;
  const { hooks, baseUrl } = settings;
  if (hooks.onRequest === undefined) return headers;
  const context = { ...hookCall(call), url: baseUrl + call.request.path, headers: new Headers(headers) };
  try {
    await hooks.onRequest(context);
  } catch (cause) {
    const what = `${endpoint.method} ${endpoint.path} was not sent (attempt ${progress.attempts})`;
    throw new HookError(`${what}: the onRequest hook threw (see \`error.cause\`)`, {
      hook: 'onRequest',
      cause,
    });
  }
  return Object.fromEntries(context.headers);
}

/** Logs that an attempt is sent, at debug. Its headers and its body are never logged. */
export function notifyRequest(call: Call): void {
  call.settings.log.log(
    'debug',
    () => `${label(call)} is sent`,
    () => fieldsOf(call),
  );
}

/** Reports a response: one line at info, its headers and body at debug, and the hook. */
export function notifyResponse(call: Call, { response, body }: Answer): void {
  const { settings, progress } = call;
  const { hooks, log } = settings;
  const { status, headers } = response;
  const durationMs = durationOf(call);
  const fields = (): LogFields => ({ ...fieldsOf(call), status, durationMs });
  progress.isLogged = true;
  log.log('info', () => `${label(call)} -> ${status} in ${durationMs} ms`, fields);
  const received = () => {
    const shown = JSON.stringify(redact(Object.fromEntries(headers)));
    return `${label(call)} received ${serviceWords(call, `${shown} ${bodyForLog(body.text)}`)}`;
  };
  log.log('debug', received, fields);
  if (hooks.onResponse === undefined) return;
  const context = { ...hookCall(call), status, headers, durationMs };
  void log.runQuietly('onResponse', () => hooks.onResponse?.(context));
}

/** JSON with its secrets masked by name; anything else is described, because it may hold a secret anywhere. */
function bodyForLog(text: string): string {
  const parsed = parseJson(text);
  if (parsed === undefined) return describeBody(text);
  return JSON.stringify(redact(parsed)).slice(0, MAX_LOGGED_BODY);
}

/** Logs an attempt without a response in one line at info, if it has none yet. */
export function notifyFailure(call: Call, error: AgentPlatformError): void {
  const { settings, progress } = call;
  if (progress.isLogged || !(error instanceof ConnectionError)) return;
  progress.isLogged = true;
  const durationMs = durationOf(call);
  settings.log.log(
    'info',
    () => `${label(call)} -> ${error.name} in ${durationMs} ms`,
    () => ({ ...fieldsOf(call), outcome: error.type, durationMs }),
  );
}

/** Reports a failed attempt that another one follows: a line at debug, and the hook. */
export function notifyRetry(call: Call, error: AgentPlatformError, delayMs: number): void {
  const { hooks, log } = call.settings;
  log.log(
    'debug',
    () => `${label(call)} is retried in ${Math.ceil(delayMs)} ms: ${error.name}`,
    () => ({ ...fieldsOf(call), outcome: error.type }),
  );
  if (hooks.onRetry === undefined) return;
  // Nothing else is retried.
  const context = { ...hookCall(call), delayMs, error: error as ApiError | ConnectionError };
  void log.runQuietly('onRetry', () => hooks.onRetry?.(context));
}

/** Reports what the validation has forgiven: to the log once for each place, and to the hook. */
export function notifyDrift(call: Call, reporter: DriftReporter, issues: readonly Issue[]): void {
  const { id, endpoint, settings } = call;
  const { hooks, log, region } = settings;
  const drift = { source: `${endpoint.method} ${endpoint.path}`, region, issues };
  void reporter.report(drift);
  if (hooks.onDrift === undefined) return;
  const context = { ...drift, callId: id, method: endpoint.method, route: endpoint.path };
  void log.runQuietly('onDrift', () => hooks.onDrift?.(context));
}

/** What is known of a call whose arguments may have been refused. */
type EndedCall = Pick<Call, 'id' | 'settings' | 'endpoint' | 'progress'> & { readonly startedAt: number };

/** Reports the end of a call to its hook. */
export function notifyEnd(call: EndedCall, error: AgentPlatformError | undefined): void {
  const { id, settings, endpoint, progress, startedAt } = call;
  const { hooks, log, region } = settings;
  if (hooks.onEnd === undefined) return;
  const context = {
    callId: id,
    method: endpoint.method,
    route: endpoint.path,
    region,
    outcome: error === undefined ? 'success' : 'error',
    status: progress.status,
    attempts: progress.attempts,
    durationMs: Math.round(performance.now() - startedAt),
    error,
  } as const;
  void log.runQuietly('onEnd', () => hooks.onEnd?.(context));
}

function hookCall({ id, request, endpoint, settings, progress }: Call): HookCall {
  const { method, path } = request;
  const { region } = settings;
  return { callId: id, method, route: endpoint.path, path, region, attempt: progress.attempts };
}

function fieldsOf({ id, endpoint, settings, progress }: Call): LogFields {
  const { method, path: route } = endpoint;
  return { method, route, region: settings.region, callId: id, attempt: progress.attempts };
}

/** Milliseconds since the attempt started, even if the clock of the machine is set meanwhile. */
const durationOf = ({ progress }: Call): number => Math.round(performance.now() - progress.startedAt);

const label = ({ request, settings, progress }: Call): string =>
  `${request.method} ${request.path} (attempt ${progress.attempts}, ${settings.region})`;
