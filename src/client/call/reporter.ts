import type {
  AgentPlatformError,
  ApiError,
  ConnectionError,
  ResponseValidationError,
} from '../../errors/index.js';
import type { Issue } from '../../utils/issues.js';
import { parseJson } from '../../utils/json.js';
import type { LogFields } from '../../utils/logger.js';
import { redact } from '../../utils/redact.js';
import type { HookCall } from '../hooks.js';
import { type Call, latestAttempt, type ReceivedResponse, type StartedCall } from './call.js';
import { describeBody, pathOf, serviceWords, withoutSecrets } from './words.js';

/** The most characters of a body that are logged at debug. */
const MAX_LOGGED_BODY_CHARACTERS = 16_384;

/** Logs that an attempt is sent, at debug. Its headers and its body are never logged. */
export function logSent(call: Call): void {
  logAttempt(call, 'debug', () => 'is sent');
}

/** Reports a response: one line at info, its headers and body at debug, and the hook. */
export function reportResponse(call: Call, { response, text }: ReceivedResponse): void {
  const { hooks, log } = call.settings;
  const { status, headers } = response;
  const durationMs = durationOf(call);
  logAttempt(call, 'info', () => `-> ${status} in ${durationMs} ms`, { status, durationMs });
  logAttempt(call, 'debug', () => `received ${responseForLog(call, headers, text)}`, { status, durationMs });
  if (hooks.onResponse === undefined) return;
  void log.runQuietly('onResponse', () =>
    hooks.onResponse?.({ ...hookCall(call), status, headers, durationMs }),
  );
}

/** Returns headers and JSON with secrets masked by name. Another body may contain any, and is described. */
function responseForLog(call: Call, headers: Headers, text: string): string {
  const shownHeaders = JSON.stringify(redact(Object.fromEntries(headers)));
  const parsed = parseJson(text);
  const shownBody =
    parsed === undefined
      ? describeBody(text)
      : withoutSecrets(call, JSON.stringify(redact(parsed))).slice(0, MAX_LOGGED_BODY_CHARACTERS);
  return serviceWords(call, `${shownHeaders} ${shownBody}`);
}

/** Logs an attempt that ended without a response, in one line at info. */
export function logNoResponse(call: Call, { name, type: outcome }: AgentPlatformError): void {
  const durationMs = durationOf(call);
  logAttempt(call, 'info', () => `-> ${name} in ${durationMs} ms`, { outcome, durationMs });
}

/** Reports a failed attempt before the delay that precedes the next one: a line at debug, and the hook. */
export function reportRetry(call: Call, failure: AgentPlatformError, delayMs: number): void {
  // Nothing else is retried.
  const error = failure as ApiError | ConnectionError | ResponseValidationError;
  const { hooks, log } = call.settings;
  const outcome = error.type;
  logAttempt(call, 'debug', () => `is retried in ${Math.ceil(delayMs)} ms: ${error.name}`, { outcome });
  void log.runQuietly('onRetry', () => hooks.onRetry?.({ ...hookCall(call), delayMs, error }));
}

/** Reports the drift that the validation forgave: to the log once for each place, and to the hook. */
export function reportDrift({ id, endpoint, settings }: Call, issues: readonly Issue[]): void {
  const { method, path: route } = endpoint;
  const { driftReporter, region } = settings;
  void driftReporter.report({ source: `${method} ${route}`, region, issues, callId: id, method, route });
}

/** Calls the hook at the end of a call, even of one whose arguments were refused. */
export function reportEnd(call: StartedCall, error: AgentPlatformError | undefined): void {
  const { id, settings, endpoint, attempts, startedAt } = call;
  const { hooks, log, region } = settings;
  if (hooks.onEnd === undefined) return;
  void log.runQuietly('onEnd', () =>
    hooks.onEnd?.({
      callId: id,
      method: endpoint.method,
      route: endpoint.path,
      region,
      outcome: error === undefined ? 'success' : 'error',
      status: latestAttempt(call)?.status,
      attempts: attempts.length,
      durationMs: Math.round(performance.now() - startedAt),
      error,
    }),
  );
}

/** Describes the latest attempt to a hook. */
export function hookCall(call: Call): HookCall {
  const { id, endpoint, settings, attempts } = call;
  const { method, path: route } = endpoint;
  const { region } = settings;
  return { callId: id, method, route, path: pathOf(call), region, attempt: attempts.length };
}

/** Writes a line about an attempt. The facts in it are its fields. */
function logAttempt(call: Call, level: 'info' | 'debug', event: () => string, facts?: LogFields): void {
  const { settings } = call;
  settings.log.log(
    level,
    () => {
      const { method, path, attempt, region } = hookCall(call);
      return `${method} ${path} (attempt ${attempt}, ${region}) ${event()}`;
    },
    () => {
      const { path, ...fields } = hookCall(call);
      return { ...fields, ...facts };
    },
  );
}

/** Milliseconds since the attempt started, even if the clock of the machine is set in between. */
const durationOf = (call: Call): number =>
  Math.round(performance.now() - (latestAttempt(call) ?? call).startedAt);
