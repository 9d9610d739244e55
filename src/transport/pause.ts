import { AbortError } from '../errors.js';
import type { AttemptContext } from './attempt-context.js';
import { logRetry } from './call-log.js';
import { Deadline } from './deadline.js';
import { runOnRetry } from './hook-runner.js';

/** Waits before the next attempt; ends early, with an AbortError, when the caller aborts. */
export async function pauseBefore(context: AttemptContext, delay: number, error: unknown): Promise<void> {
  const { call, endsAt } = context;
  // Only errors of this package are tried again.
  const reason = error as Error;
  logRetry(context, delay, reason.name);
  const totalLeft = endsAt - Date.now();
  const hookTime = new Deadline({ timeout: call.timeout, totalLeft, userSignal: call.signal });
  await runOnRetry(context, hookTime, delay, reason).finally(() => hookTime.dispose());
  const pause = new Deadline({ timeout: delay, totalLeft: endsAt - Date.now(), userSignal: call.signal });
  const expiry = await pause.expired.finally(() => pause.dispose());
  if (expiry !== 'abort') return;
  const { method, path } = context.request;
  throw new AbortError(`${method} ${path} was aborted by its signal, before attempt ${context.number + 1}`, {
    method,
    path,
    region: context.settings.region,
    cause: call.signal?.reason,
  });
}
