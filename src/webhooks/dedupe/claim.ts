import { WebhookError } from '../../errors/index.js';
import { sleep, unref, within } from '../../utils/waiting.js';
import type { HandlersOutcome } from '../outcomes.js';
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

/** A delivery that wants to handle an event. */
export interface Claimant {
  /** Its id. */
  readonly owner: string;
  /** Aborted at the deadline, which ends a wait for another delivery. */
  readonly signal: AbortSignal;
  /** Called if another delivery holds the event. */
  readonly onWait: () => void;
  /** Called if the store fails. */
  readonly onStoreError: (error: unknown) => void;
}

/**
 * Handles an event unless a duplicate of it was handled. While a duplicate is being handled, waits for its
 * end, and takes over if it failed.
 *
 * If the store fails, the event is handled: a refusal would lose it.
 *
 * @param handle - Never rejects.
 */
export async function handleOnce(
  { store, window }: DedupeSettings,
  key: string,
  { owner, signal, onWait, onStoreError }: Claimant,
  handle: () => Promise<HandlersOutcome>,
): Promise<HandlersOutcome | 'duplicate' | 'duplicate_pending'> {
  const claim = async (otherwise: ClaimResult): Promise<ClaimResult> => {
    try {
      const result = await inTime(store.claim(key, owner, LEASE_MS));
      if (result === 'new' || result === 'pending' || result === 'done') return result;
      throw new WebhookError("The dedupe store must return 'new', 'pending' or 'done' for a claim.");
    } catch (error) {
      onStoreError(error);
      return otherwise;
    }
  };
  const settle = async (outcome: HandlersOutcome): Promise<void> => {
    try {
      await inTime(outcome === 'handled' ? store.complete(key, owner, window) : store.release(key, owner));
    } catch (error) {
      onStoreError(error);
    }
  };

  let claimed = await claim('new');
  if (claimed === 'pending') onWait();
  for (
    let delay = POLL_DELAY_MS.first;
    claimed === 'pending';
    delay = Math.min(delay * 2, POLL_DELAY_MS.last)
  ) {
    await sleep(delay, signal);
    if (signal.aborted) return 'duplicate_pending';
    // As far as is known, another delivery holds the event: a store that fails now is no reason to handle it.
    claimed = await claim('pending');
  }
  if (claimed === 'done') return 'duplicate';

  const stopRenewing = renewRegularly(() => claim('new'));
  const outcome = await handle();
  await stopRenewing();
  await settle(outcome);
  return outcome;
}

/** A store that takes too long has failed. One in memory returns at once, and needs no timer. */
function inTime<Result>(result: Result | Promise<Result>): Result | Promise<Result> {
  if (!(result instanceof Promise)) return result;
  const message = `The dedupe store did not respond within ${STORE_TIMEOUT_MS} ms.`;
  return within(result, STORE_TIMEOUT_MS, () => new WebhookError(message));
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
