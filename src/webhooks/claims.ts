import type { Outcome } from './answers.js';
import { sleep } from './clock.js';
import { type EndLease, holdLease, type LeaseOwner, type LeaseSettings } from './lease.js';
import type { WebhookContext } from './listeners.js';

/** A delivery that claims its event. */
export interface Claimant extends LeaseOwner {
  /** Its signal is aborted when the delivery cannot wait any longer. */
  readonly context: Pick<WebhookContext, 'signal'>;
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
  readonly #running = new Map<string, Promise<Outcome>>();

  constructor(settings: ClaimSettings) {
    this.#settings = settings;
  }

  /** Handles the event if it is the claimant's to handle; else answers as the first one of its kind ends. */
  async once(key: string, claimant: Claimant, handle: () => Promise<Outcome>): Promise<Outcome> {
    const running = this.#running.get(key);
    if (running !== undefined) {
      claimant.onWait();
      const outcome = await running;
      if (outcome === 'handled') return 'duplicate';
      // It only waited itself, and for a shorter time: this one has some left.
      if (outcome === 'copy_pending' && !claimant.context.signal.aborted) {
        return this.once(key, claimant, handle);
      }
      return outcome;
    }
    const work = this.#claimAndHandle(key, claimant, handle);
    this.#running.set(key, work);
    try {
      return await work;
    } finally {
      this.#running.delete(key);
    }
  }

  async #claimAndHandle(key: string, claimant: Claimant, handle: () => Promise<Outcome>): Promise<Outcome> {
    let end: EndLease | undefined;
    try {
      const other = await this.#claimOrWait(key, claimant);
      if (other !== undefined) return other;
      end = holdLease(this.#settings, key, claimant);
    } catch (error) {
      claimant.report(error);
      if (this.#settings.ifUnavailable === 'refuse') return 'dedupe_unavailable';
    }
    const outcome = await handle();
    await end?.(outcome === 'handled');
    return outcome;
  }

  /** Nothing, when the claim is ours; else how the event ended elsewhere. */
  async #claimOrWait(key: string, { id, context, onWait, report }: Claimant): Promise<Outcome | undefined> {
    const { store, lease, clock } = this.#settings;
    let result = await store.claim(key, id, lease);
    for (let wait = POLL.first; result !== 'new'; wait = Math.min(wait * 2, POLL.last)) {
      if (result === 'done') return 'duplicate';
      onWait();
      await sleep(clock, wait, context.signal);
      if (context.signal.aborted) return 'copy_pending';
      try {
        result = await store.claim(key, id, lease);
      } catch (error) {
        // Another holds the event, as far as is known: a store that fails now is no reason to handle it too.
        report(error);
      }
    }
    return undefined;
  }
}
