import { checkPositive, refuseUnknown } from '../option-checks.js';
import { type Clock, systemClock } from './clock.js';
import type { ClaimResult, DedupeStore } from './dedupe-store.js';
import { DEFAULT_MAX_KEYS } from './limits.js';

/** What {@link createMemoryDedupe} takes. */
export interface MemoryDedupeOptions {
  /**
   * How many handled events are remembered at most; the oldest are forgotten first. Default 100 000. Events that
   * are being handled are never forgotten, and not counted.
   */
  readonly maxKeys?: number | undefined;
  /** Where time is taken from. Default: the runtime's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A store for duplicates in the memory of this process: the receiver's default. Make one yourself to share it between
 * receivers, for example of the subscription and of the agent-level webhook (document, 6.3 rule 1; that both
 * copies are identical is an assumption). With more than one process, use a store they share.
 *
 * @throws {ConfigurationError} An option is wrong.
 *
 * @example
 * ```ts
 * import { createMemoryDedupe, createWebhookReceiver } from 'agent-platform-sdk';
 *
 * const store = createMemoryDedupe({ maxKeys: 10_000 });
 * const secret = process.env.WORKSPACE_SECRET ?? '';
 * export const subscribed = createWebhookReceiver({ secret, dedupe: { store } });
 * export const agentLevel = createWebhookReceiver({ secret, dedupe: { store } });
 * ```
 */
export function createMemoryDedupe(options: MemoryDedupeOptions = {}): DedupeStore {
  refuseUnknown(options, ['maxKeys', 'clock']);
  return new MemoryDedupe(
    checkPositive('maxKeys', options.maxKeys) ?? DEFAULT_MAX_KEYS,
    options.clock ?? systemClock,
  );
}

interface HeldClaim {
  readonly owner: string;
  readonly expires: number;
}

class MemoryDedupe implements DedupeStore {
  readonly #held = new Map<string, HeldClaim>();
  /** Key to the time until which it is done, the oldest first. */
  readonly #done = new Map<string, number>();
  readonly #maxKeys: number;
  readonly #clock: Clock;

  constructor(maxKeys: number, clock: Clock) {
    this.#maxKeys = maxKeys;
    this.#clock = clock;
  }

  claim(key: string, owner: string, leaseMs: number): ClaimResult {
    const now = this.#clock.now();
    if ((this.#done.get(key) ?? 0) > now) return 'done';
    if (this.#isHeldByOther(key, owner)) return 'pending';
    this.#held.set(key, { owner, expires: now + leaseMs });
    return 'new';
  }

  complete(key: string, owner: string, ttlMs: number): void {
    if (this.#isHeldByOther(key, owner)) return;
    this.#held.delete(key);
    // Deleted first, so that it moves to the end of the order.
    this.#done.delete(key);
    this.#done.set(key, this.#clock.now() + ttlMs);
    this.#forget();
  }

  release(key: string, owner: string): void {
    if (this.#held.get(key)?.owner === owner) this.#held.delete(key);
  }

  #isHeldByOther(key: string, owner: string): boolean {
    const held = this.#held.get(key);
    return held !== undefined && held.owner !== owner && held.expires > this.#clock.now();
  }

  #forget(): void {
    const now = this.#clock.now();
    for (const [key, until] of this.#done) {
      if (until > now && this.#done.size <= this.#maxKeys) return;
      this.#done.delete(key);
    }
  }
}
