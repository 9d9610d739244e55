import { checkPositive, refuseUnknown } from '../option-checks.js';
import { type Clock, systemClock } from './clock.js';
import type { DedupeStore } from './dedupe-store.js';
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
  const { clock = systemClock } = options;
  const maxKeys = checkPositive('maxKeys', options.maxKeys) ?? DEFAULT_MAX_KEYS;
  const held = new Map<string, HeldClaim>();
  /** Key to the time until which it is done, the oldest first. */
  const done = new Map<string, number>();
  const isHeldByOther = (key: string, owner: string): boolean => {
    const claim = held.get(key);
    return claim !== undefined && claim.owner !== owner && claim.expires > clock.now();
  };
  return {
    claim(key, owner, leaseMs) {
      if ((done.get(key) ?? 0) > clock.now()) return 'done';
      if (isHeldByOther(key, owner)) return 'pending';
      held.set(key, { owner, expires: clock.now() + leaseMs });
      return 'new';
    },
    complete(key, owner, ttlMs) {
      if (isHeldByOther(key, owner)) return;
      held.delete(key);
      // Deleted first, so that it moves to the end of the order.
      done.delete(key);
      done.set(key, clock.now() + ttlMs);
      forget(done, clock.now(), maxKeys);
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

/** Forgets what is over, and the oldest of what is too much. */
function forget(done: Map<string, number>, now: number, maxKeys: number): void {
  for (const [key, until] of done) {
    if (until > now && done.size <= maxKeys) return;
    done.delete(key);
  }
}
