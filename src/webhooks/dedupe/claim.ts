import { WebhookError } from '../../errors/index.js';
import { isThenable, sleep, unlessAborted, unref, within } from '../../utils/waiting.js';
import type { WebhookContext } from '../context.js';
import type { RunOutcome } from '../outcomes.js';
import type { ClaimResult, DedupeStore } from './store.js';

/** The resolved options of `dedupe`. */
export interface DedupeSettings {
  readonly store: DedupeStore;
  /** Time for which a handled event is remembered, in ms. */
  readonly window: number;
}

/** 24 hours. */
export const DEFAULT_WINDOW_MS = 86_400_000;
/** A claim holds this long without a renewal: then the event of a process that died is free. */
const LEASE_MS = 10_000;
const STORE_TIMEOUT_MS = 5_000;
/** Delays between two claims of an event that another delivery handles. They double. */
const POLL_DELAY_MS = { first: 50, last: 1_000 };

/** The claim of an event, which holds until its handlers have settled. */
export interface Claim {
  /** Remembers the event if it was handled, and gives it to a duplicate otherwise. Never rejects. */
  readonly end: (outcome: RunOutcome) => Promise<void>;
}

/**
 * Claims an event, or returns the outcome of a duplicate. While another delivery handles the event, waits for
 * its end, and takes over if it failed.
 *
 * If the store fails, the event is handled: a refusal would lose it. Never rejects.
 */
export async function claimEvent(
  { store, window }: DedupeSettings,
  { deliveryId: owner, eventKey: key, signal }: WebhookContext,
  onStoreError: (error: unknown) => void,
): Promise<Claim | 'duplicate' | 'duplicate_pending' | 'deadline_passed'> {
  const claim = async (otherwise: ClaimResult, until?: AbortSignal): Promise<ClaimResult> => {
    try {
      const result = await inTime(store.claim(key, owner, LEASE_MS), until);
      if (result === 'new' || result === 'pending' || result === 'done') return result;
      throw new WebhookError("The dedupe store must return 'new', 'pending' or 'done' for a claim.");
    } catch (error) {
      // The deadline is no failure of the store.
      if (!until?.aborted) onStoreError(error);
      return otherwise;
    }
  };

  let claimed = await claim('new', signal);
  if (signal.aborted) {
    onStoreError(signal.reason);
    return 'deadline_passed';
  }
  for (
    let delay = POLL_DELAY_MS.first;
    claimed === 'pending';
    delay = Math.min(delay * 2, POLL_DELAY_MS.last)
  ) {
    await sleep(delay, signal);
    if (signal.aborted) return 'duplicate_pending';
    // As far as is known, another delivery holds the event: a store that fails now is no reason to handle it.
    claimed = await claim('pending', signal);
  }
  if (claimed === 'done') return 'duplicate';

  const stopRenewing = renewRegularly(() => claim('new'));
  return {
    async end(outcome) {
      await stopRenewing();
      try {
        await inTime(outcome === 'handled' ? store.complete(key, owner, window) : store.release(key, owner));
      } catch (error) {
        onStoreError(error);
      }
    },
  };
}

/** A store that takes too long has failed. One in memory returns at once, and needs no timer. */
function inTime<Result>(result: Result | Promise<Result>, until?: AbortSignal): Result | Promise<Result> {
  if (!isThenable(result)) return result;
  const message = `The dedupe store did not respond within ${STORE_TIMEOUT_MS} ms.`;
  return unlessAborted(
    within(new Promise((resolve) => resolve(result)), STORE_TIMEOUT_MS, () => new WebhookError(message)),
    until,
  );
}

/**
 * Renews a claim while handlers run.
 *
 * @returns A function that stops it. Await its result: a renewal in progress would claim again what is
 *   released.
 */
function renewRegularly(renew: () => Promise<unknown>): () => Promise<unknown> | undefined {
  const interval = LEASE_MS / 3;
  // A handler that never settles does not hold its claim forever.
  let left = DEFAULT_WINDOW_MS / interval;
  let renewal: Promise<unknown> | undefined;
  const timer = setInterval(() => {
    left -= 1;
    if (left < 0) clearInterval(timer);
    else renewal = renew();
  }, interval);
  unref(timer);
  return () => {
    clearInterval(timer);
    return renewal;
  };
}
