import { sleep } from './clock.js';
import { Lease, type LeaseOwner, type LeaseSettings } from './lease.js';

/** How the handling of an event ended; `unsettled` where nobody knows yet. */
export type ClaimOutcome = 'handled' | 'failed' | 'unsettled';

/** What a delivery may do with its event. */
export type Claim =
  /** It is the first: handle the event, then say how that went. */
  | { readonly kind: 'mine'; readonly settle: (handled: boolean) => Promise<void> }
  /** It is a copy: answer as the first one ends. */
  | { readonly kind: 'copy'; readonly outcome: Promise<ClaimOutcome> };

/** A delivery that claims its event. */
export interface Claimant extends LeaseOwner {
  /** Aborted when the delivery cannot wait any longer. */
  readonly signal: AbortSignal;
  /** Called when another holds the event, and the delivery begins to wait. */
  readonly onWait: () => void;
}

export interface ClaimSettings extends LeaseSettings {
  /** What to do with an event when the store cannot be asked. */
  readonly ifUnavailable: 'handle' | 'refuse';
}

/** Milliseconds between two looks at an event that another process handles: doubles from the first to the last. */
const POLL = { first: 50, last: 1_000 };

/** Lets each event be handled by one delivery at a time, and by none once it was handled. */
export class Claims {
  readonly #settings: ClaimSettings;
  readonly #running = new Map<string, Promise<ClaimOutcome>>();

  constructor(settings: ClaimSettings) {
    this.#settings = settings;
  }

  async take(key: string, claimant: Claimant): Promise<Claim> {
    const running = this.#running.get(key);
    if (running !== undefined) {
      claimant.onWait();
      return { kind: 'copy', outcome: running };
    }
    const finish = this.#begin(key);
    const outcome = await this.#claim(key, claimant);
    if (outcome === undefined) return { kind: 'mine', settle: this.#hold(key, claimant, finish) };
    if (outcome === 'unclaimed') {
      return { kind: 'mine', settle: async (handled) => finish(handled ? 'handled' : 'failed') };
    }
    finish(outcome);
    return { kind: 'copy', outcome: Promise.resolve(outcome) };
  }

  /** Registers the event as being handled here. The function it returns says how it ended, and frees it. */
  #begin(key: string): (outcome: ClaimOutcome) => void {
    let finish: (outcome: ClaimOutcome) => void = () => undefined;
    const outcome = new Promise<ClaimOutcome>((resolve) => {
      finish = resolve;
    });
    this.#running.set(key, outcome);
    return (ended) => {
      this.#running.delete(key);
      finish(ended);
    };
  }

  /** Nothing, when the claim is ours; else how the event ended elsewhere, or that the store could not be asked. */
  async #claim(key: string, claimant: Claimant): Promise<ClaimOutcome | 'unclaimed' | undefined> {
    try {
      return await this.#claimOrWait(key, claimant);
    } catch (error) {
      claimant.report(error);
      return this.#settings.ifUnavailable === 'handle' ? 'unclaimed' : 'failed';
    }
  }

  async #claimOrWait(key: string, { id, signal, onWait }: Claimant): Promise<ClaimOutcome | undefined> {
    const { store, leaseMs, clock } = this.#settings;
    for (let wait = POLL.first; ; wait = Math.min(wait * 2, POLL.last)) {
      const result = await store.claim(key, id, leaseMs);
      if (result === 'new') return undefined;
      if (result === 'done') return 'handled';
      onWait();
      await sleep(clock, wait, signal);
      if (signal.aborted) return 'unsettled';
    }
  }

  #hold(
    key: string,
    owner: LeaseOwner,
    finish: (outcome: ClaimOutcome) => void,
  ): (handled: boolean) => Promise<void> {
    const lease = new Lease(this.#settings, key, owner);
    return async (handled) => {
      await lease.end(handled);
      finish(handled ? 'handled' : 'failed');
    };
  }
}
