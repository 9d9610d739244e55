import { WebhookError } from '../errors/index.js';
import type { DeliveryOutcome } from './answers.js';
import { type Clock, sleep } from './clock.js';
import { DEFAULT_WINDOW, type DedupeStore } from './dedupe-store.js';
import type { WebhookContext } from './handlers.js';

/** The checked options by which duplicates are recognised. */
export interface DedupeSettings {
  readonly store: DedupeStore;
  /** Milliseconds for which a handled event is remembered. */
  readonly window: number;
  /** Milliseconds after which a claim that is not renewed is free again. */
  readonly lease: number;
  /** Milliseconds after which a store that has not answered has failed. */
  readonly timeout: number;
  /** Says what becomes of an event when the store cannot be asked. */
  readonly ifUnavailable: 'handle' | 'refuse';
}

/** A delivery that claims its event. */
export interface Claimant {
  /** Its id owns the claim; its signal is aborted when the delivery cannot wait any longer. */
  readonly context: WebhookContext;
  /** Called when another holds the event, and the delivery begins to wait. */
  readonly onWait: () => void;
  /** Told when the store fails. Never throws. */
  readonly onStoreError: (error: unknown) => void;
}

/** Milliseconds between two looks at an event that another process handles: doubles from the first to the last. */
const POLL = { first: 50, last: 1_000 };

/** Lets each event be handled by one delivery at a time, and by none once it was handled. */
export class Claims {
  readonly #settings: DedupeSettings;
  readonly #clock: Clock;
  readonly #running = new Map<string, Promise<DeliveryOutcome>>();

  constructor(settings: DedupeSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** Handles the event if it is the claimant's to handle; else answers as the first one of its kind ends. */
  async once(
    key: string,
    claimant: Claimant,
    handle: () => Promise<DeliveryOutcome>,
  ): Promise<DeliveryOutcome> {
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

  async #claimAndHandle(
    key: string,
    claimant: Claimant,
    handle: () => Promise<DeliveryOutcome>,
  ): Promise<DeliveryOutcome> {
    let endClaim: ((handled: boolean) => Promise<void>) | undefined;
    try {
      const other = await this.#claimOrWait(key, claimant);
      if (other !== undefined) return other;
      endClaim = this.#keepClaim(key, claimant);
    } catch (error) {
      claimant.onStoreError(error);
      if (this.#settings.ifUnavailable === 'refuse') return 'dedupe_unavailable';
    }
    const outcome = await handle();
    await endClaim?.(outcome === 'handled' || outcome === 'skipped');
    return outcome;
  }

  /** Nothing, when the claim is ours; else how the event ended elsewhere. */
  async #claimOrWait(key: string, claimant: Claimant): Promise<DeliveryOutcome | undefined> {
    const { context, onWait, onStoreError } = claimant;
    const { store, lease } = this.#settings;
    const claim = () => this.#ask(() => store.claim(key, context.deliveryId, lease));
    let result = await claim();
    for (let wait = POLL.first; result !== 'new'; wait = Math.min(wait * 2, POLL.last)) {
      if (result === 'done') return 'duplicate';
      onWait();
      await sleep(this.#clock, wait, context.signal);
      if (context.signal.aborted) return 'copy_pending';
      try {
        result = await claim();
      } catch (error) {
        // Another holds the event, as far as is known: a store that fails now is no reason to handle it too.
        onStoreError(error);
      }
    }
    return undefined;
  }

  /**
   * Renews a claim while its event is being handled, however long that takes. Returns what ends the claim: the event is done,
   * or free for its next copy.
   */
  #keepClaim(key: string, { context, onStoreError }: Claimant): (handled: boolean) => Promise<void> {
    const owner = context.deliveryId;
    const { store, window, lease } = this.#settings;
    const clock = this.#clock;
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
      await this.#attempt(() => store.claim(key, owner, lease), onStoreError);
      schedule();
    };
    schedule();
    return async (handled) => {
      ended = true;
      clock.clearTimeout(timer);
      // A renewal that is under way would claim again what is given up here.
      await renewal;
      await this.#attempt(
        () => (handled ? store.complete(key, owner, window) : store.release(key, owner)),
        onStoreError,
      );
    };
  }

  async #attempt(step: () => unknown, onError: (error: unknown) => void): Promise<void> {
    try {
      await this.#ask(step);
    } catch (error) {
      onError(error);
    }
  }

  /** The answer of the store, which is an error where it takes too long. */
  async #ask<Answer>(step: () => Answer): Promise<Awaited<Answer>> {
    const answer = step();
    // A store in memory answers at once, and needs no timer.
    if (!(answer instanceof Promise)) return await answer;
    const { timeout } = this.#settings;
    let timer: unknown;
    const overdue = new Promise<never>((_, reject) => {
      const error = new WebhookError(`The dedupe store has not answered within ${timeout} ms.`);
      timer = this.#clock.setTimeout(() => reject(error), timeout);
    });
    try {
      return await Promise.race([answer, overdue]);
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }
}
