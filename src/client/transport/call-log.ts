import type { AgentPlatformError, ApiError, CallContext, ConnectionError } from '../../errors/index.js';
import { redactHeaders } from '../../ground/redact.js';
import { type AttemptContext, type Progress, shownCall } from './attempt-context.js';
import { excerpt } from './excerpt.js';
import type { BodyText } from './response-body.js';

/** Logs what is about to be sent, at debug: headers and body, redacted. */
export function logRequest(
  context: AttemptContext,
  headers: Record<string, string>,
  progress: Progress,
): void {
  context.settings.log.log('debug', () => {
    const { secrets } = progress;
    const shown = JSON.stringify(redactHeaders(new Headers(headers), secrets));
    const body = context.request.body === undefined ? '' : ` ${excerpt(context.request.body, secrets)}`;
    return `${lineOf(context, secrets)} sends ${shown}${body}`;
  });
}

/** Logs an answer: one line at info; headers and body, redacted, at debug. */
export function logResponse(
  context: AttemptContext,
  response: Response,
  body: BodyText,
  progress: Progress,
): void {
  const { log } = context.settings;
  log.log('info', () => {
    const took = Date.now() - progress.startedAt;
    return `${lineOf(context, progress.secrets)} -> ${response.status} in ${took} ms`;
  });
  log.log('debug', () => {
    const { secrets } = progress;
    const shown = JSON.stringify(redactHeaders(response.headers, secrets));
    return `${lineOf(context, secrets)} received ${shown} ${excerpt(body.text, secrets)}`;
  });
}

/** Logs an attempt that was not answered, in one line at info. */
export function logFailure(context: AttemptContext, error: AgentPlatformError, progress: Progress): void {
  context.settings.log.log('info', () => {
    const took = Date.now() - progress.startedAt;
    return `${lineOf(context, progress.secrets)} -> ${error.name} in ${took} ms`;
  });
}

/** Logs at debug that another attempt follows: at info, each attempt has its own line. */
export function logRetry(
  { settings, number }: AttemptContext,
  delay: number,
  error: ApiError | ConnectionError,
): void {
  settings.log.log(
    'debug',
    () => `${line(error, number)} is retried in ${Math.ceil(delay)} ms: ${error.name}`,
  );
}

const lineOf = (context: AttemptContext, secrets: readonly string[]): string =>
  line(shownCall(context, secrets), context.number);

const line = ({ method, path, region }: CallContext, number: number): string =>
  `${method} ${path} (attempt ${number}, ${region})`;
