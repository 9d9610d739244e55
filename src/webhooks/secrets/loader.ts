import { ConfigurationError, WebhookError } from '../../errors/index.js';
import { isThenable, sleep, unlessAborted, within } from '../../utils/waiting.js';
import type { Deadline } from '../deadline.js';
import type { OwnerFinder, SecretOwner } from './find.js';
import { type FindKnownOwner, ownersOf, type WebhookSecrets } from './known.js';

/**
 * Loads the workspace secrets, for example from a vault.
 *
 * It is called without arguments when a delivery first carries a secret, and its result is kept for five minutes.
 *
 * An unknown secret loads it again before that, so that a rotation is noticed: at most a hundred times a second if
 * the function returns at once, such as `() => process.env.SECRET`, and at most every ten seconds if it returns a
 * promise. In a receiver, the delivery waits for that load if it is due before the deadline. During a rotation,
 * return both secrets.
 *
 * If loading fails or takes more than ten seconds, the last result is used until it is an hour old. Without
 * one, a receiver retries every ten seconds until the deadline of the delivery; `parseWebhookRequest`
 * rejects.
 */
export type WebhookSecretLoader = () => WebhookSecrets | undefined | Promise<WebhookSecrets | undefined>;

const MAX_AGE_MS = 300_000;
/** The limit while secrets cannot be loaded again: a vault that restarts must not cost events. */
const STALE_MAX_AGE_MS = 3_600_000;
/** The time between two loads, and the limit of one. */
const LOAD_INTERVAL_MS = 10_000;
/** The same for a synchronous function: at most 100 calls a second. */
const CALL_INTERVAL_MS = 10;

/** Finds owners among the secrets that a function has loaded: a memo, which a miss loads again. */
export class SecretLoader implements OwnerFinder {
  readonly #call: WebhookSecretLoader;
  readonly #onStale: (error: unknown) => void;
  #findKnown: FindKnownOwner | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  /** When the next load may begin: strangers cannot make it come sooner. */
  #dueAt = Number.NEGATIVE_INFINITY;
  /** The load in progress, which all deliveries share. */
  #loading: Promise<void> | undefined;
  /** The error of the last load; undefined if it succeeded. */
  #error: WebhookError | ConfigurationError | undefined;

  /** @param onStale - Called if loading failed and the last secrets are used instead. */
  constructor(load: WebhookSecretLoader, onStale: (error: unknown) => void) {
    this.#call = load;
    this.#onStale = onStale;
  }

  readonly find = (candidate: unknown): SecretOwner | undefined => this.#usable()?.(candidate);

  async renew(since: number, deadline: Deadline | undefined): Promise<boolean> {
    const isUsable = this.#usable() !== undefined;
    if (isUsable && this.#triedAt >= since && this.#loading === undefined) return false;
    if (!this.#isDue()) {
      // A loader that returned no secret is wrong; one that failed may succeed later.
      const isWrong = this.#error instanceof ConfigurationError;
      if (deadline === undefined || this.#dueAt >= deadline.at || isWrong) {
        if (isUsable) return false;
        throw this.#error ?? new WebhookError('The secrets could not be loaded.');
      }
      const { signal } = deadline;
      await unlessAborted(sleep(this.#dueAt - performance.now(), signal), signal);
    }
    // Another delivery may have loaded them, and a timer may fire a millisecond early.
    if (this.#isDue()) {
      this.#loading ??= this.#load().finally(() => {
        this.#loading = undefined;
      });
      await unlessAborted(this.#loading, deadline?.signal);
    }
    return true;
  }

  /** Whether the next load may begin, or is in progress. */
  #isDue(): boolean {
    return this.#loading !== undefined || performance.now() >= this.#dueAt;
  }

  /** Secrets that are older than five minutes are used only after loading has failed, until it is due again. */
  #usable(): FindKnownOwner | undefined {
    const now = performance.now();
    const hasFailed = this.#error !== undefined && now < this.#dueAt;
    return now - this.#loadedAt < (hasFailed ? STALE_MAX_AGE_MS : MAX_AGE_MS) ? this.#findKnown : undefined;
  }

  /** Never rejects. */
  async #load(): Promise<void> {
    this.#triedAt = performance.now();
    let interval = LOAD_INTERVAL_MS;
    try {
      const returned = this.#call();
      if (!isThenable(returned)) interval = CALL_INTERVAL_MS;
      const late = () =>
        new WebhookError(`The function \`secret\` did not load the secrets within ${LOAD_INTERVAL_MS} ms.`);
      const secrets = await within(Promise.resolve(returned), LOAD_INTERVAL_MS, late);
      if (secrets === undefined) {
        throw new ConfigurationError('The function `secret` returned nothing.', { option: 'secret' });
      }
      this.#findKnown = ownersOf(secrets);
      this.#loadedAt = this.#triedAt;
      this.#error = undefined;
      this.#dueAt = this.#triedAt + interval;
    } catch (cause) {
      const message = 'The secrets could not be loaded: the function `secret` failed (see `error.cause`).';
      this.#error =
        cause instanceof ConfigurationError || cause instanceof WebhookError
          ? cause
          : new WebhookError(message, { cause });
      this.#dueAt = performance.now() + interval;
      if (this.#usable() !== undefined) this.#onStale(this.#error);
    }
  }
}
