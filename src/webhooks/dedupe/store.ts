import * as z from 'zod/v4/mini';
import { checkOptions, wholeNumber } from '../../validation/check-options.js';

/** The result of a claim in a {@link DedupeStore}. */
export type ClaimResult = 'new' | 'pending' | 'done';

/**
 * Remembers which events are being handled and which were handled.
 *
 * Several receivers and machines can share a store; each operation must be one atomic step.
 * `dedupeStoreConformance` in `agent-platform-sdk/testing` has these rules as tests:
 *
 * - A claim holds from `claim` until `complete`, `release` or the end of its lease.
 * - Only the owner of a claim can renew or release it. An owner whose lease expired has lost it.
 * - What is done stays done until its time is over: a later `claim` or `release` does not change it.
 *
 * Keys are 64 hexadecimal digits; owners are UUIDs. What a method throws is passed to `onError`.
 */
export interface DedupeStore {
  /**
   * Claims an event for an owner, for `leaseMs` milliseconds.
   *
   * @returns `'new'`: the claim is the owner's; it was free, or was the owner's already and is renewed.
   *   `'pending'`: another owner holds it. `'done'`: the event was handled.
   */
  claim(key: string, owner: string, leaseMs: number): ClaimResult | Promise<ClaimResult>;
  /**
   * Marks an event as handled for `ttlMs` milliseconds.
   *
   * Takes effect unless another owner holds the claim: an owner whose lease expired has still handled the
   * event.
   */
  complete(key: string, owner: string, ttlMs: number): void | Promise<void>;
  /** Ends the owner's claim, so that the next duplicate is `'new'`. */
  release(key: string, owner: string): void | Promise<void>;
}

export const DEFAULT_MAX_KEYS = 100_000;

/** Options of {@link createMemoryDedupe}. */
export interface MemoryDedupeOptions {
  /**
   * Sets how many handled events are remembered at least. Default 100 000. The most is twice as many.
   *
   * Events that are being handled are always remembered, and do not count.
   */
  readonly maxKeys?: number | undefined;
}

/**
 * Makes a store for duplicates in the memory of this process: the receiver's default.
 *
 * Make one yourself to share it between receivers, for example of the subscription and of the agent-level
 * webhook (specification, 6.3 rule 1; that both deliveries are identical is an assumption). With more than
 * one process, use a store that they share.
 *
 * @throws {ConfigurationError} An option is wrong.
 *
 * @example
 * ```ts
 * import { createMemoryDedupe, createWebhookReceiver } from 'agent-platform-sdk';
 *
 * const store = createMemoryDedupe({ maxKeys: 10_000 });
 * const secret = process.env.AGENT_PLATFORM_WEBHOOK_SECRET;
 * export const subscribed = createWebhookReceiver({ secret, dedupe: store });
 * export const agentLevel = createWebhookReceiver({ secret, dedupe: store });
 * ```
 */
export function createMemoryDedupe(options: MemoryDedupeOptions = {}): DedupeStore {
  const schema = z.strictObject({ maxKeys: z.optional(wholeNumber(1)) });
  checkOptions(schema, options, { of: 'createMemoryDedupe' });
  const { maxKeys = DEFAULT_MAX_KEYS } = options;
  const held = new Map<string, { readonly owner: string; readonly until: number }>();
  // Two generations: forgetting the older one as a whole costs nothing per key.
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  const isHeldByOther = (key: string, owner: string): boolean => {
    const claim = held.get(key);
    return claim !== undefined && claim.owner !== owner && claim.until > performance.now();
  };
  return {
    claim(key, owner, leaseMs) {
      if ((young.get(key) ?? old.get(key) ?? 0) > performance.now()) return 'done';
      if (isHeldByOther(key, owner)) return 'pending';
      held.set(key, { owner, until: performance.now() + leaseMs });
      return 'new';
    },
    complete(key, owner, ttlMs) {
      if (isHeldByOther(key, owner)) return;
      held.delete(key);
      young.set(key, performance.now() + ttlMs);
      if (young.size < maxKeys) return;
      old = young;
      young = new Map();
    },
    release(key, owner) {
      if (held.get(key)?.owner === owner) held.delete(key);
    },
  };
}
