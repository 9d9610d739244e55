import type { Clock } from './clock.js';
import type { DedupeStore } from './dedupe-store.js';
import { DEFAULT_WINDOW } from './limits.js';

export interface LeaseSettings {
  readonly store: DedupeStore;
  /** Milliseconds for which a handled event is remembered. */
  readonly window: number;
  /** Milliseconds after which a claim that is not renewed is free again. */
  readonly lease: number;
  readonly clock: Clock;
}

/** Who holds a lease. */
export interface LeaseOwner {
  readonly id: string;
  /** Told when the store fails. Never throws. */
  readonly report: (error: unknown) => void;
}

/** Ends a claim: the event is done, or free for its next copy. Never rejects. */
export type EndLease = (handled: boolean) => Promise<void>;

/** Keeps a claim alive while its event is being handled, however long that takes. */
export function holdLease(settings: LeaseSettings, key: string, { id, report }: LeaseOwner): EndLease {
  const { store, window, lease, clock } = settings;
  const every = lease / 3;
  // A handler that never settles does not hold its claim for ever. Counted, because a clock may be set.
  let renewals = Math.max(window, DEFAULT_WINDOW) / every;
  let timer: unknown;
  let renewal: Promise<void> | undefined;
  let ended = false;
  const schedule = () => {
    renewals -= 1;
    if (ended || renewals < 0) return;
    timer = clock.setTimeout(() => {
      renewal = renew();
    }, every);
  };
  const renew = async () => {
    await attempt(() => store.claim(key, id, lease), report);
    schedule();
  };
  schedule();
  return async (handled) => {
    ended = true;
    clock.clearTimeout(timer);
    // A renewal that is under way would claim again what is given up here.
    await renewal;
    await attempt(() => (handled ? store.complete(key, id, window) : store.release(key, id)), report);
  };
}

async function attempt(step: () => unknown, report: (error: unknown) => void): Promise<void> {
  try {
    await step();
  } catch (error) {
    report(error);
  }
}
