/** The answer of a {@link DedupeStore} to a claim. */
export type ClaimResult = 'new' | 'pending' | 'done';

/** Milliseconds for which an event that was handled is remembered, unless options say otherwise: 24 hours. */
export const DEFAULT_WINDOW = 86_400_000;

/**
 * Remembers which events are being handled and which were. One store can stand behind several receivers and several
 * machines; each operation must be one atomic step.
 *
 * `dedupeStoreConformance` in `agent-platform-sdk/testing` holds any store against these rules:
 *
 * - A claim holds from `claim` until `complete`, `release` or the end of its lease.
 * - Only the owner of a claim can renew or release it. An owner whose lease ran out has lost it.
 * - What is done stays done until its time is over: a later `claim` or `release` does not change it.
 *
 * Keys are 64 hexadecimal digits; owners are UUIDs. A method that throws or rejects is reported to `onError`.
 */
export interface DedupeStore {
  /**
   * Claims an event for an owner, for `leaseMs` milliseconds.
   *
   * @returns `'new'`: the claim is the owner's; it was free, or was the owner's already and is renewed. `'pending'`:
   *   another owner holds it. `'done'`: the event was handled.
   */
  claim(key: string, owner: string, leaseMs: number): ClaimResult | Promise<ClaimResult>;
  /**
   * Marks an event as handled for `ttlMs` milliseconds. Takes effect unless another owner holds the claim: an owner
   * that lost its lease and handled the event all the same has handled it.
   */
  complete(key: string, owner: string, ttlMs: number): void | Promise<void>;
  /** Gives up the owner's claim, so that the next copy is `'new'`. */
  release(key: string, owner: string): void | Promise<void>;
}
