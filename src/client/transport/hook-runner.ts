import { type ApiError, type ConnectionError, HookError } from '../../errors/index.js';
import { redactHeaders } from '../../ground/redact.js';
import { CLIENT_HEADERS } from '../../validation/option-checks.js';
import type { HookCall } from '../hooks.js';
import { type AttemptContext, type Progress, shownCall } from './attempt-context.js';
import type { Deadline } from './deadline.js';

/** Lets the hook add headers before the attempt is sent. A hook that throws ends the call with a HookError. */
export async function runOnRequest(
  context: AttemptContext,
  deadline: Deadline,
  progress: Progress,
  own: Record<string, string>,
): Promise<Record<string, string>> {
  const { hooks, baseUrl } = context.settings;
  if (hooks.onRequest === undefined) return own;
  const headers = new Headers(own);
  const call = hookCall(context, progress.secrets);
  try {
    await deadline.race(Promise.resolve(hooks.onRequest({ ...call, url: baseUrl + call.path, headers })));
  } catch (cause) {
    if (deadline.expiry !== undefined) throw cause;
    const { method, path: route } = context.endpoint;
    throw new HookError(`${method} ${route} was not sent: the hook onRequest failed (see \`error.cause\`)`, {
      hook: 'onRequest',
      cause,
    });
  }
  for (const name of CLIENT_HEADERS) headers.delete(name);
  if (own['content-type'] !== undefined) headers.set('content-type', own['content-type']);
  return Object.fromEntries(headers.entries());
}

/** Tells the hook of an answer. A hook that throws, or outlasts the attempt, is logged and ignored. */
export async function runOnResponse(
  context: AttemptContext,
  deadline: Deadline,
  response: Response,
  progress: Progress,
): Promise<void> {
  const { hooks, log } = context.settings;
  if (hooks.onResponse === undefined) return;
  const { secrets, startedAt } = progress;
  const headers = new Headers(redactHeaders(response.headers, secrets));
  const answered = { status: response.status, headers, durationMs: Date.now() - startedAt };
  const told = { ...hookCall(context, secrets), ...answered };
  await log.runQuietly('onResponse', () => deadline.race(Promise.resolve(hooks.onResponse?.(told))));
}

/** Tells the hook of the wait before the next attempt. */
export async function runOnRetry(
  context: AttemptContext,
  deadline: Deadline,
  delayMs: number,
  error: ApiError | ConnectionError,
): Promise<void> {
  const { hooks, log } = context.settings;
  if (hooks.onRetry === undefined) return;
  // The error's path is masked already.
  const told = { ...hookCall(context, []), path: error.path, delayMs, error };
  await log.runQuietly('onRetry', () => deadline.race(Promise.resolve(hooks.onRetry?.(told))));
}

function hookCall(context: AttemptContext, secrets: readonly string[]): HookCall {
  return { ...shownCall(context, secrets), route: context.endpoint.path, attempt: context.number };
}
