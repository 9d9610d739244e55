import { ConfigurationError, WebhookError } from '../../errors/index.js';
import { sleep, unlessAborted, within } from '../../utils/waiting.js';
import type { Deadline } from '../deadline.js';
import { Rejection } from '../outcomes.js';
import type { OwnerFinder, SecretOwner } from './find.js';
import { type FindKnownOwner, ownersOf, type WebhookSecrets } from './known.js';

/**
 * Loads the workspace secrets, for example from a vault.
 *
 * It is called without arguments when a delivery first carries a secret.
 *
 * The result is kept for five minutes. An unknown secret loads it again before that, so that a rotation is
 * noticed: at most a hundred times a second if the function returns at once, such as `() => process.env.SECRET`,
 * and at most every ten seconds if it returns a promise. In a receiver, the delivery waits for that load if it
 * is due before the deadline. At most a hundred wait; the others get a 503. During a rotation, return both
 * secrets.
 *
 * If loading fails or takes more than ten seconds, the last result is used until it is an hour old. Without
 * one, a receiver retries every ten seconds until the deadline of the delivery; `parseWebhookRequest`
 * rejects.
 */
export type WebhookSecretLoader = () => WebhookSecrets | undefined | Promise<WebhookSecrets | undefined>;

const LOADED_SECRETS_MAX_AGE_MS = 300_000;
/** The limit while secrets cannot be loaded again: a vault that restarts must not cost events. */
const STALE_SECRETS_MAX_AGE_MS = 3_600_000;
const LOAD_INTERVAL_MS = 10_000;
/** Of a function that returns at once: a hundred times a second. */
const CALL_INTERVAL_MS = 10;
const LOAD_TIMEOUT_MS = 10_000;
/** Deliveries whose secret is unknown, which any stranger can send. */
const MAX_WAITING = 100;

/** Finds owners among secrets that a function loads. All deliveries that wait share one call of it. */
export class SecretLoader implements OwnerFinder {
  readonly #call: WebhookSecretLoader;
  readonly #onStale: (error: unknown) => void;
  #findKnown: FindKnownOwner | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  /** The error of the last attempt; undefined if it succeeded. */
  #error: WebhookError | ConfigurationError | undefined;
  #waiting = 0;
  /** Between two loads. */
  #interval = LOAD_INTERVAL_MS;

  /** @param onStale - Called if loading failed and the last secrets are used instead. */
  constructor(load: WebhookSecretLoader, onStale: (error: unknown) => void) {
    this.#call = load;
    this.#onStale = onStale;
  }

  readonly find = (candidate: unknown): SecretOwner | undefined => this.#usable()?.(candidate);

  /** Loads the secrets, or waits until that is due: strangers cannot make it come sooner. */
  async renew(since: number, deadline: Deadline | undefined): Promise<boolean> {
    const isUsable = this.#usable() !== undefined;
    if (isUsable && this.#triedAt >= since && this.#loading === undefined) return false;
    if (!this.#isDue()) {
      // A loader that returned no secret is wrong; one that failed may succeed later.
      const isWrong = this.#error instanceof ConfigurationError;
      if (deadline === undefined || this.#dueAt() >= deadline.at || isWrong) {
        if (isUsable) return false;
        throw this.#error ?? new WebhookError('The secrets could not be loaded.');
      }
      const isLong = this.#interval > CALL_INTERVAL_MS;
      if (isUsable && isLong && this.#waiting >= MAX_WAITING) {
        const hint =
          `Its secret is unknown, and ${MAX_WAITING} such deliveries wait for the next load. ` +
          'During a rotation, let `secret` return both secrets.';
        throw new Rejection('overloaded', undefined, hint);
      }
      await this.#wait(deadline.signal);
    }
    // Another delivery may have loaded them, and a timer may fire a millisecond early.
    if (this.#isDue()) await unlessAborted(this.#load(), deadline?.signal);
    return true;
  }

  /** Waits until a load is due. Rejects if the delivery is ended meanwhile. */
  async #wait(signal: AbortSignal): Promise<void> {
    this.#waiting += 1;
    try {
      await unlessAborted(sleep(this.#dueAt() - performance.now(), signal), signal);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Secrets that are older than five minutes are used only after loading has failed, until it is due again. */
  #usable(): FindKnownOwner | undefined {
    const now = performance.now();
    const hasFailed = now - this.#failedAt < this.#interval;
    const maxAge = hasFailed ? STALE_SECRETS_MAX_AGE_MS : LOADED_SECRETS_MAX_AGE_MS;
    return now - this.#loadedAt < maxAge ? this.#findKnown : undefined;
  }

  #dueAt(): number {
    return this.#triedAt + this.#interval;
  }

  /** Whether the next load may begin, or is in progress. */
  #isDue(): boolean {
    return this.#loading !== undefined || performance.now() >= this.#dueAt();
  }

  /** Loads the secrets, or waits for the load in progress. Never rejects. */
  #load(): Promise<void> {
    this.#loading ??= this.#loadOnce().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadOnce(): Promise<void> {
    this.#triedAt = performance.now();
    try {
      await within(
        this.#take(),
        LOAD_TIMEOUT_MS,
        () => new WebhookError(`The function \`secret\` did not end within ${LOAD_TIMEOUT_MS} ms.`),
      );
      this.#error = undefined;
    } catch (cause) {
      const message = 'The secrets could not be loaded: the function `secret` failed (see `error.cause`).';
      this.#error =
        cause instanceof ConfigurationError || cause instanceof WebhookError
          ? cause
          : new WebhookError(message, { cause });
      this.#failedAt = performance.now();
      if (this.#usable() !== undefined) this.#onStale(this.#error);
    }
  }

  /** Takes the result even if it comes after the time limit. */
  async #take(): Promise<void> {
    const since = performance.now();
    this.#interval = LOAD_INTERVAL_MS;
    const returned = this.#call();
    if (!isThenable(returned)) this.#interval = CALL_INTERVAL_MS;
    const secrets = await returned;
    if (since < this.#loadedAt) return;
    if (secrets === undefined) {
      throw new ConfigurationError('The function `secret` returned nothing.', { option: 'secret' });
    }
    this.#findKnown = ownersOf(secrets);
    this.#loadedAt = since;
  }
}

/** Whether a value is a promise of any kind: that of another realm or of a library is no instance of `Promise`. */
function isThenable(value: unknown): boolean {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}
