import { ConfigurationError, WebhookError } from '../../errors/index.js';
import { sleep, unlessAborted, within } from '../../utils/waiting.js';
import { type FindOwner, isCandidate, type SecretOwner } from './find.js';
import { type FindKnownOwner, ownersOf, type WebhookSecrets } from './known.js';

/**
 * Loads the workspace secrets, for example from a vault. Called without arguments, when a delivery first
 * carries a secret.
 *
 * The result is kept for five minutes. An unknown secret loads it again before that, at most every ten
 * seconds, so that a rotation is noticed. If loading fails or takes more than ten seconds, the last result is
 * used until it is an hour old. Without one, a receiver retries every ten seconds until the deadline of the
 * delivery; `parseWebhookRequest` rejects.
 */
export type WebhookSecretLoader = () => WebhookSecrets | undefined | Promise<WebhookSecrets | undefined>;

const LOADED_SECRETS_MAX_AGE_MS = 300_000;
/** The limit while secrets cannot be loaded again: a vault that restarts must not cost events. */
const STALE_SECRETS_MAX_AGE_MS = 3_600_000;
const LOAD_INTERVAL_MS = 10_000;
const LOAD_TIMEOUT_MS = 10_000;

/** Verifies with secrets that a function loads. All deliveries that wait share one call of it. */
export class SecretLoader {
  readonly #load: WebhookSecretLoader;
  readonly #onStale: (error: unknown) => void;
  #findKnown: FindKnownOwner | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  /** The error of the last attempt; undefined if it succeeded. */
  #error: WebhookError | ConfigurationError | undefined;

  /** @param onStale - Called if loading failed and the last secrets are used instead. */
  constructor(load: WebhookSecretLoader, onStale: (error: unknown) => void) {
    this.#load = load;
    this.#onStale = onStale;
  }

  /** Synchronous if the loaded secrets suffice: a body may contain a hundred thousand candidates. */
  readonly findOwner: FindOwner = (candidate, signal) => {
    if (!isCandidate(candidate)) return undefined;
    const now = performance.now();
    const isTriedRecently = now - this.#triedAt < LOAD_INTERVAL_MS && this.#loading === undefined;
    const findKnown = this.#usable();
    const owner = findKnown?.(candidate);
    if (owner !== undefined && now - this.#loadedAt < LOADED_SECRETS_MAX_AGE_MS) return owner;
    if (findKnown !== undefined && isTriedRecently) return owner;
    return this.#loadAndFind(candidate, signal);
  };

  async #loadAndFind(candidate: string, signal: AbortSignal | undefined): Promise<SecretOwner | undefined> {
    for (;;) {
      const isTriedRecently = performance.now() - this.#triedAt < LOAD_INTERVAL_MS;
      if (this.#loading !== undefined || !isTriedRecently) await unlessAborted(this.#reload(), signal);
      const findKnown = this.#usable();
      if (findKnown !== undefined) {
        if (this.#error !== undefined) this.#onStale(this.#error);
        return findKnown(candidate);
      }
      // A loader that returned no secret is wrong; one that failed may succeed later.
      const error = this.#error ?? new WebhookError('The secrets could not be loaded.');
      if (signal === undefined || error instanceof ConfigurationError) throw error;
      await sleep(LOAD_INTERVAL_MS - (performance.now() - this.#triedAt), signal);
      if (signal.aborted) throw error;
    }
  }

  #usable(): FindKnownOwner | undefined {
    return performance.now() - this.#loadedAt < STALE_SECRETS_MAX_AGE_MS ? this.#findKnown : undefined;
  }

  /** Loads the secrets, or waits for the load in progress. Never rejects. */
  #reload(): Promise<void> {
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
        () => new WebhookError(`The function \`secret\` did not settle within ${LOAD_TIMEOUT_MS} ms.`),
      );
      this.#error = undefined;
    } catch (cause) {
      const message = 'The secrets could not be loaded: the function `secret` failed (see `error.cause`).';
      this.#error =
        cause instanceof ConfigurationError || cause instanceof WebhookError
          ? cause
          : new WebhookError(message, { cause });
    }
  }

  /** Takes the result even if it comes after the time limit. */
  async #take(): Promise<void> {
    const since = performance.now();
    const secrets = await this.#load();
    if (since < this.#loadedAt) return;
    this.#findKnown = ownersOf(secrets);
    this.#loadedAt = since;
  }
}
