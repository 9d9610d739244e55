import { checkMethods, checkPositive, refuseUnknown } from '../validation/option-checks.js';
import type { Clock } from './clock.js';
import type { DedupeStore } from './dedupe-store.js';

/** Options of {@link createMemoryDedupe}. */
export interface MemoryDedupeOptions {
  /**
   * The most handled events that are remembered; the oldest are forgotten first. Default 100 000. Events that
   * are being handled are never forgotten, and not counted.
   */
  readonly maxKeys?: number | undefined;
  /** The clock. Default: the runtime's monotonic one, which nobody sets. */
  readonly clock?: Clock | undefined;
}

/**
 * A store for duplicates in the memory of this process: the receiver's default. Make one yourself to share it between
 * receivers, for example of the subscription and of the agent-level webhook (specification, 6.3 rule 1; that both
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
  refuseUnknown(options, { maxKeys: true, clock: true });
  const clock: Pick<Clock, 'now'> = checkMethods('clock', ['now'], options.clock) ?? performance;
  const maxKeys = checkPositive('maxKeys', options.maxKeys) ?? 100_000;
  const held = new Map<string, HeldClaim>();
  const done = new DoneKeys(maxKeys);
  const isHeldByOther = (key: string, owner: string): boolean => {
    const claim = held.get(key);
    return claim !== undefined && claim.owner !== owner && claim.expires > clock.now();
  };
  return {
    claim(key, owner, leaseMs) {
      if (done.has(key, clock.now())) return 'done';
      if (isHeldByOther(key, owner)) return 'pending';
      held.set(key, { owner, expires: clock.now() + leaseMs });
      return 'new';
    },
    complete(key, owner, ttlMs) {
      if (isHeldByOther(key, owner)) return;
      held.delete(key);
      done.add(key, clock.now(), ttlMs);
    },
    release(key, owner) {
      if (held.get(key)?.owner === owner) held.delete(key);
    },
  };
}

interface HeldClaim {
  readonly owner: string;
  readonly expires: number;
}

/** The keys that are done, each with its end; the oldest are forgotten first. */
class DoneKeys {
  readonly #maxKeys: number;
  readonly #until = new Map<string, number>();
  /** Kept, because a map does not close up where keys were deleted: each new iterator would walk past all of them. */
  #order = this.#until.entries();
  #oldest: readonly [key: string, until: number] | undefined;

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys;
  }

  has(key: string, now: number): boolean {
    return (this.#until.get(key) ?? 0) > now;
  }

  add(key: string, now: number, ttlMs: number): void {
    // One that is there already would keep its place: the order is by age.
    this.#delete(key);
    this.#until.set(key, now + ttlMs);
    for (let oldest = this.#findOldest(); oldest !== undefined; oldest = this.#findOldest()) {
      const [first, until] = oldest;
      if (until > now && this.#until.size <= this.#maxKeys) return;
      this.#delete(first);
    }
  }

  #delete(key: string): void {
    this.#until.delete(key);
    if (key === this.#oldest?.[0]) this.#oldest = undefined;
  }

  #findOldest(): readonly [key: string, until: number] | undefined {
    // An iterator that has come to its end stays there, though keys were added since.
    if (this.#until.size === 0) this.#order = this.#until.entries();
    else this.#oldest ??= this.#order.next().value;
    return this.#oldest;
  }
}
