import { WebhookError } from '../errors/index.js';
import { after, type Later, settling } from '../ground/later.js';
import type { DeliveryOutcome } from './answers.js';
import { type Clock, sleep } from './clock.js';
import { type ClaimResult, DEFAULT_WINDOW, type DedupeStore } from './dedupe-store.js';
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
  onWait(): void;
  /** Told when the store fails. Never throws. */
  onStoreError(error: unknown): void;
}

/** A store of the user's own may answer anything, such as the `OK` of a Redis: then nothing is known of the event. */
function checkedClaim(result: ClaimResult): ClaimResult {
  if (['new', 'pending', 'done'].includes(result)) return result;
  throw new WebhookError("The dedupe store must answer a claim by 'new', 'pending' or 'done'.");
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
  once(key: string, claimant: Claimant, handle: () => Later<DeliveryOutcome>): Later<DeliveryOutcome> {
    const running = this.#running.get(key);
    if (running !== undefined) return this.#follow(running, key, claimant, handle);
    const work = after(this.#claim(key, claimant), (claim) =>
      claim === 'new' ? this.#handleClaimed(key, claimant, handle) : claim,
    );
    if (!(work instanceof Promise)) return work;
    const end = () => this.#running.delete(key);
    const ended = work.finally(end);
    this.#running.set(key, ended);
    return ended;
  }

  async #follow(
    running: Promise<DeliveryOutcome>,
    key: string,
    claimant: Claimant,
    handle: () => Later<DeliveryOutcome>,
  ): Promise<DeliveryOutcome> {
    claimant.onWait();
    const outcome = await running;
    if (outcome === 'handled') return 'duplicate';
    // It only waited itself, and for a shorter time: this one has some left.
    if (outcome === 'copy_pending' && !claimant.context.signal.aborted) {
      return this.once(key, claimant, handle);
    }
    return outcome;
  }

  /** The claim, which may be waited for, or how the event ended elsewhere. */
  #claim(key: string, claimant: Claimant): Later<'new' | DeliveryOutcome> {
    const fail = (error: unknown) => {
      claimant.onStoreError(error);
      // Handled as if it were claimed: the claim may have been taken, and a store that works again is to learn of the end.
      return this.#settings.ifUnavailable === 'refuse' ? 'dedupe_unavailable' : 'new';
    };
    const outcomeOf = (result: ClaimResult) => {
      if (result === 'pending') return this.#wait(key, claimant);
      return result === 'done' ? 'duplicate' : result;
    };
    try {
      const claim = after(this.#askToClaim(key, claimant), outcomeOf);
      return claim instanceof Promise ? claim.catch(fail) : claim;
    } catch (error) {
      return fail(error);
    }
  }

  #askToClaim(key: string, { context }: Claimant): Later<ClaimResult> {
    const { store, lease } = this.#settings;
    return after(
      this.#ask(() => store.claim(key, context.deliveryId, lease)),
      checkedClaim,
    );
  }

  /** Asks again and again while another holds the event. */
  async #wait(key: string, claimant: Claimant): Promise<'new' | DeliveryOutcome> {
    const { signal } = claimant.context;
    claimant.onWait();
    for (let wait = POLL.first; ; wait = Math.min(wait * 2, POLL.last)) {
      await sleep(this.#clock, wait, signal);
      if (signal.aborted) return 'copy_pending';
      try {
        const result = await this.#askToClaim(key, claimant);
        if (result !== 'pending') return result === 'done' ? 'duplicate' : result;
      } catch (error) {
        // Another holds the event, as far as is known: a store that fails now is no reason to handle it too.
        claimant.onStoreError(error);
      }
    }
  }

  #handleClaimed(
    key: string,
    claimant: Claimant,
    handle: () => Later<DeliveryOutcome>,
  ): Later<DeliveryOutcome> {
    const outcome = handle();
    const stopRenewing = outcome instanceof Promise ? this.#keepRenewing(key, claimant) : undefined;
    const owner = claimant.context.deliveryId;
    const { store, window } = this.#settings;
    return after(outcome, (ended) =>
      after(stopRenewing?.(), () => {
        const end = () =>
          ended === 'handled' ? store.complete(key, owner, window) : store.release(key, owner);
        return after(this.#attempt(end, claimant), () => ended);
      }),
    );
  }

  /**
   * Renews a claim while its event is being handled, however long that takes. Returns what ends that, and gives a renewal
   * that is under way: it would claim again what is given up.
   */
  #keepRenewing(key: string, claimant: Claimant): () => Later<void> {
    const { window, lease } = this.#settings;
    const clock = this.#clock;
    const every = lease / 3;
    // A handler that never settles does not hold its claim for ever. Counted, because a clock may be set.
    let renewals = Math.max(window, DEFAULT_WINDOW) / every;
    let timer: unknown;
    let renewal: Later<void>;
    let ended = false;
    const schedule = () => {
      renewals -= 1;
      if (ended || renewals < 0) return;
      timer = clock.setTimeout(() => {
        renewal = after(
          this.#attempt(() => this.#askToClaim(key, claimant), claimant),
          schedule,
        );
      }, every);
    };
    schedule();
    return () => {
      ended = true;
      clock.clearTimeout(timer);
      return renewal;
    };
  }

  /** Asks the store for what an event does not depend on. */
  #attempt(step: () => unknown, claimant: Claimant): Later<unknown> {
    const fail = (error: unknown) => claimant.onStoreError(error);
    try {
      const answer = this.#ask(step);
      return answer instanceof Promise ? answer.catch(fail) : answer;
    } catch (error) {
      return fail(error);
    }
  }

  /** The answer of the store, which is an error where it takes too long. One in memory answers at once, and needs no timer. */
  #ask<Answer>(step: () => Answer): Later<Awaited<Answer>> {
    const answer = settling(step());
    if (!(answer instanceof Promise)) return answer;
    const { timeout } = this.#settings;
    return new Promise((resolve, reject) => {
      const timer = this.#clock.setTimeout(() => {
        reject(new WebhookError(`The dedupe store has not answered within ${timeout} ms.`));
      }, timeout);
      const end = () => this.#clock.clearTimeout(timer);
      answer.finally(end).then(resolve, reject);
    });
  }
}
