import { describeThrown } from '../drift.js';
import { HookError } from '../errors.js';
import type { HookCall } from '../hooks.js';
import { CLIENT_HEADERS } from '../option-checks.js';
import { redactHeaders } from '../redact.js';
import type { AttemptContext, Progress } from './attempt-context.js';
import type { Deadline } from './deadline.js';

/** Lets the hook add headers before the attempt is sent. A hook that throws ends the call with a HookError. */
export async function runOnRequest(
  context: AttemptContext,
  deadline: Deadline,
  url: string,
  own: Record<string, string>,
): Promise<Record<string, string>> {
  const { onRequest } = context.settings.hooks;
  if (onRequest === undefined) return own;
  const headers = new Headers(own);
  try {
    await deadline.race(Promise.resolve(onRequest({ ...hookCall(context), url, headers })));
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
  const { onResponse } = context.settings.hooks;
  if (onResponse === undefined) return;
  const headers = new Headers(redactHeaders(response.headers, progress.secrets));
  const answered = { status: response.status, headers, durationMs: Date.now() - progress.startedAt };
  await runQuietly(context, 'onResponse', deadline, () => onResponse({ ...hookCall(context), ...answered }));
}

/** Tells the hook of the wait before the next attempt. */
export async function runOnRetry(
  context: AttemptContext,
  deadline: Deadline,
  delayMs: number,
  error: Error,
): Promise<void> {
  const { onRetry } = context.settings.hooks;
  if (onRetry === undefined) return;
  await runQuietly(context, 'onRetry', deadline, () => onRetry({ ...hookCall(context), delayMs, error }));
}

async function runQuietly(
  { settings }: AttemptContext,
  name: string,
  deadline: Deadline,
  hook: () => void | Promise<void>,
): Promise<void> {
  try {
    await deadline.race(Promise.resolve(hook()));
  } catch (error) {
    settings.log.log('error', () => `the hook ${name} failed: ${describeThrown(error)}`);
  }
}

function hookCall({ settings, request, number }: AttemptContext): HookCall {
  const { method, route, path } = request;
  return { method, route, path, region: settings.region, attempt: number };
}
