import type { Clock } from './clock.js';
import type { DedupeStore } from './dedupe-store.js';

export interface LeaseSettings {
  readonly store: DedupeStore;
  /** Milliseconds for which a handled event is remembered. */
  readonly windowMs: number;
  /** Milliseconds after which a claim that is not renewed is free again. */
  readonly leaseMs: number;
  readonly clock: Clock;
}

/** Who holds a lease. */
export interface LeaseOwner {
  readonly id: string;
  /** Told when the store fails. Never throws. */
  readonly report: (error: unknown) => void;
}

/** A claim that is kept alive while its event is being handled, however long that takes. */
export class Lease {
  readonly #settings: LeaseSettings;
  readonly #key: string;
  readonly #owner: LeaseOwner;
  readonly #until: number;
  #timer: unknown;
  #renewal: Promise<void> | undefined;
  #ended = false;

  constructor(settings: LeaseSettings, key: string, owner: LeaseOwner) {
    this.#settings = settings;
    this.#key = key;
    this.#owner = owner;
    // A handler that never settles does not hold its claim longer than a handled event would be remembered.
    this.#until = settings.clock.now() + settings.windowMs;
    this.#schedule();
  }

  /** Ends the claim: the event is done, or free for its next copy. */
  async end(handled: boolean): Promise<void> {
    const { clock, store, windowMs } = this.#settings;
    this.#ended = true;
    clock.clearTimeout(this.#timer);
    // A renewal that is under way would claim again what is given up here.
    await this.#renewal;
    try {
      if (handled) await store.complete(this.#key, this.#owner.id, windowMs);
      else await store.release(this.#key, this.#owner.id);
    } catch (error) {
      this.#owner.report(error);
    }
  }

  #schedule(): void {
    const { clock, leaseMs } = this.#settings;
    if (this.#ended || clock.now() >= this.#until) return;
    this.#timer = clock.setTimeout(() => {
      this.#renewal = this.#renew();
    }, leaseMs / 3);
  }

  async #renew(): Promise<void> {
    const { store, leaseMs } = this.#settings;
    try {
      await store.claim(this.#key, this.#owner.id, leaseMs);
    } catch (error) {
      this.#owner.report(error);
    }
    this.#schedule();
  }
}
