import type { CallContext } from '../../errors/index.js';
import type { AttemptContext } from './attempt-context.js';
import { toExpiryError } from './connection-error.js';
import { deadlineOf } from './deadline.js';

/** Waits for a schema of the user's own, which may be asynchronous, no longer than for an attempt. */
export async function withinTime<Value>(
  work: Promise<Value>,
  { call, endsAt }: Pick<AttemptContext, 'call' | 'endsAt'>,
  shown: () => CallContext,
  outcomeUnknown: boolean,
): Promise<Value> {
  const deadline = deadlineOf(call, endsAt);
  try {
    return await deadline.race(work);
  } catch (error) {
    if (deadline.expiry === undefined) throw error;
    throw toExpiryError(deadline.expiry, call, shown(), 'in a schema of the endpoint', outcomeUnknown);
  } finally {
    deadline.dispose();
  }
}
