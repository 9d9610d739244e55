import type { AgentPlatformError } from '../errors.js';
import { redactHeaders } from '../redact.js';
import type { AttemptContext, Progress } from './attempt-context.js';
import { excerpt } from './excerpt.js';
import type { BodyText } from './response-body.js';

/** Logs what is about to be sent, at debug: headers and body, redacted. */
export function logRequest(
  context: AttemptContext,
  headers: Record<string, string>,
  { secrets }: Progress,
): void {
  context.settings.log.log('debug', () => {
    const shown = JSON.stringify(redactHeaders(new Headers(headers)));
    const body = context.request.body === undefined ? '' : ` ${excerpt(context.request.body, secrets)}`;
    return `${lineOf(context)} sends ${shown}${body}`;
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
  log.log('info', () => `${lineOf(context)} -> ${response.status} in ${Date.now() - progress.startedAt} ms`);
  log.log('debug', () => {
    const shown = JSON.stringify(redactHeaders(response.headers));
    return `${lineOf(context)} received ${excerpt(`${shown} ${body.text}`, progress.secrets)}`;
  });
}

/** Logs an attempt that was not answered, in one line at info. */
export function logFailure(
  context: AttemptContext,
  error: AgentPlatformError,
  { startedAt }: Progress,
): void {
  context.settings.log.log(
    'info',
    () => `${lineOf(context)} -> ${error.name} in ${Date.now() - startedAt} ms`,
  );
}

/** Logs that another attempt follows. */
export function logRetry(context: AttemptContext, delay: number, reason: string): void {
  context.settings.log.log(
    'info',
    () => `${lineOf(context)} is tried again in ${Math.ceil(delay)} ms: ${reason}`,
  );
}

function lineOf({ settings, request, number }: AttemptContext): string {
  return `${request.method} ${request.path} (attempt ${number}, ${settings.region})`;
}
