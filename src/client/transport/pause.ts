import { AbortError, type ApiError, type ConnectionError } from '../../errors/index.js';
import type { AttemptContext } from './attempt-context.js';
import { logRetry } from './call-log.js';
import { deadlineOf } from './deadline.js';
import { runOnRetry } from './hook-runner.js';

/** Waits before the next attempt; ends early, with an AbortError, when the caller aborts. */
export async function pauseBefore(context: AttemptContext, delay: number, error: unknown): Promise<void> {
  const { call, endsAt } = context;
  // Only these are retried.
  const reason = error as ApiError | ConnectionError;
  logRetry(context, delay, reason);
  const hookTime = deadlineOf(call, endsAt);
  await runOnRetry(context, hookTime, delay, reason).finally(hookTime.dispose);
  const pause = deadlineOf(call, endsAt, delay);
  await pause.expired.finally(pause.dispose);
  if (pause.expiry !== 'abort') return;
  const { method, path, region } = reason;
  throw new AbortError(`${method} ${path} was aborted by its signal, before attempt ${context.number + 1}`, {
    method,
    path,
    region,
    cause: call.signal?.reason,
  });
}
