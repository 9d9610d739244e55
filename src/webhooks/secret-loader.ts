import { ConfigurationError } from '../errors/index.js';
import type { Later } from '../ground/later.js';
import { describeThrown, type LeveledLogger } from '../ground/logger.js';
import { type Clock, sleep } from './clock.js';
import { detached } from './presented.js';
import { createVerifier, type Genuine, isPresented, type Verifier, type WebhookSecrets } from './secrets.js';

/**
 * Loads the workspace secrets, for example from a vault: called without an argument, when the first delivery presents a
 * secret, and returns what the option `secret` takes. It cannot decide on what a delivery presents: that is a
 * {@link WebhookSecretLookup}.
 *
 * Its answer is used for five minutes, and loaded afresh before that if a delivery presents another secret, so
 * that a rotation is seen. Where it throws or takes more than ten seconds after that, a receiver goes on with the last answer until
 * that is an hour old, with an error in the log. Where there is none yet, it is called again every ten seconds while a delivery waits,
 * six times at most; what it throws is an error in the log, and a 500 if no call has succeeded. `parseWebhookRequest` rejects where it
 * throws, and waits only for one that hangs. Where it gives what is no secret, that is a 500 at once.
 */
export type WebhookSecretLoader = () => WebhookSecrets | Promise<WebhookSecrets>;

/** Milliseconds for which loaded secrets are used. */
const SECRETS_KEPT = 300_000;
/** Milliseconds for which they are used where they cannot be loaded again: a vault that restarts must not cost events. */
const SECRETS_KEPT_IN_NEED = 3_600_000;
/** Milliseconds in which a presented secret that does not match does not have the secrets loaded again. */
const SECRETS_FRESH = 10_000;
/** Milliseconds after which a load that has not ended is waited for no longer by itself: another is begun. */
const LOAD_PATIENCE = 10_000;
/** The most loads that a delivery waits for, where there are no secrets to go on with: until its deadline. */
const MAX_LOADS = 6;

interface LoadedSecrets {
  /** The time at which loading them began. */
  readonly since: number;
  readonly verify: Verifier;
}

/** Verifies by secrets that a function loads; with a log, by the last ones where it fails. All deliveries that need them meanwhile wait for one call of it. */
export class SecretLoader {
  readonly #load: WebhookSecretLoader;
  readonly #clock: Clock;
  readonly #log: LeveledLogger | undefined;
  #failed: { readonly since: number; readonly error: ConfigurationError } | undefined;
  #loaded: LoadedSecrets | undefined;
  #loading: { readonly since: number; readonly secrets: Promise<LoadedSecrets> } | undefined;

  constructor(load: WebhookSecretLoader, clock: Clock, log?: LeveledLogger) {
    this.#load = load;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * Answers at once where the secrets that are held say enough: a body may present hundreds of thousands, and a promise for each would
   * end the process. Rejects with a {@link ConfigurationError} where there are no secrets to verify by.
   */
  verify(presented: unknown): Later<Genuine | undefined> {
    if (!isPresented(presented)) return undefined;
    const held = this.#loaded;
    if (held !== undefined && this.#isWithin(SECRETS_KEPT, held)) {
      const genuine = held.verify(presented);
      if (genuine !== undefined || this.#isWithin(SECRETS_FRESH, held)) return genuine;
    }
    return this.#verifyByLatest(detached(presented));
  }

  async #verifyByLatest(presented: string): Promise<Genuine | undefined> {
    try {
      const { verify } = await (this.#mayGoOn ? this.#reloadInTime() : this.#reloadWithin(MAX_LOADS));
      return verify(presented);
    } catch (error) {
      const isOut = this.#failed?.error === error && this.#mayGoOn;
      // Of one that does not match the last secrets nothing can be said: it may be new.
      const genuine = isOut ? this.#loaded?.verify(presented) : undefined;
      if (genuine === undefined) throw error;
      return genuine;
    }
  }

  /** Tells whether there are secrets to go on with, and a log that says so. */
  get #mayGoOn(): boolean {
    const held = this.#loaded;
    return this.#log !== undefined && held !== undefined && this.#isWithin(SECRETS_KEPT_IN_NEED, held);
  }

  /** Does not call a function again that has just failed, nor wait for one that hangs: there are secrets to go on with. */
  async #reloadInTime(): Promise<LoadedSecrets> {
    if (this.#failed !== undefined && this.#isWithin(SECRETS_FRESH, this.#failed)) throw this.#failed.error;
    return this.#reloadWithin(1);
  }

  /** Waits for secrets, whichever load brings them: one that hangs or fails must not cost the event that was first to need it. */
  async #reloadWithin(most: number): Promise<LoadedSecrets> {
    const loads = new Set<Promise<LoadedSecrets>>();
    while (loads.size < most) {
      loads.add(this.#reload(loads));
      // Without a log, nobody would learn of a failure before.
      const mayFail = loads.size === most || this.#log === undefined;
      const waited = new AbortController();
      const pause = sleep(this.#clock, LOAD_PATIENCE, waited.signal).then(() => undefined);
      try {
        const loaded = await (mayFail
          ? Promise.race([firstOf(loads), pause])
          : Promise.any([...loads, pause]));
        if (loaded !== undefined) return loaded;
      } finally {
        waited.abort();
      }
    }
    throw this.#fail(new Error(`It has not ended within ${most * LOAD_PATIENCE} ms.`));
  }

  #fail(cause: unknown): ConfigurationError {
    const message = 'secret is a function that failed to load the secrets (see `error.cause`).';
    const error = new ConfigurationError(message, { option: 'secret', cause });
    this.#failed = { since: this.#clock.now(), error };
    const next = this.#mayGoOn
      ? 'the last ones are used, up to an hour after they were loaded; a rotation since then is not seen'
      : 'it is called again every ten seconds while deliveries wait';
    this.#log?.log(
      'error',
      () => `secret is a function that failed to load the secrets (${describeThrown(cause)}): ${next}`,
    );
    return error;
  }

  /** Joins the load that is under way, or begins one. */
  #reload(overdue: ReadonlySet<Promise<LoadedSecrets>>): Promise<LoadedSecrets> {
    const current = this.#loading;
    if (current !== undefined && !overdue.has(current.secrets) && this.#isWithin(LOAD_PATIENCE, current)) {
      return current.secrets;
    }
    const loading = { since: this.#clock.now(), secrets: this.#loadSecrets() };
    this.#loading = loading;
    const end = () => {
      if (this.#loading === loading) this.#loading = undefined;
    };
    loading.secrets.then(end, end);
    return loading.secrets;
  }

  async #loadSecrets(): Promise<LoadedSecrets> {
    const since = this.#clock.now();
    try {
      const secrets = await this.#load();
      this.#failed = undefined;
      return this.#newerThan(since) ?? this.#take(secrets, since);
    } catch (cause) {
      const newer = this.#newerThan(since);
      if (newer === undefined) throw this.#fail(cause);
      return newer;
    }
  }

  /** The secrets that a later load has brought. What is held from the future is of a clock that was set back. */
  #newerThan(since: number): LoadedSecrets | undefined {
    const held = this.#loaded;
    return held !== undefined && held.since > since && held.since <= this.#clock.now() ? held : undefined;
  }

  /** Holds secrets that were loaded. What is no secret is a mistake, and no reason to wait for another answer. */
  #take(secrets: WebhookSecrets, since: number): LoadedSecrets {
    try {
      this.#loaded = { since, verify: createVerifier(secrets) };
      return this.#loaded;
    } catch (cause) {
      return { since, verify: () => refuseLoaded(cause) };
    }
  }

  /** A clock that was set back makes everything old. */
  #isWithin(ms: number, { since }: { readonly since: number }): boolean {
    const age = this.#clock.now() - since;
    return age >= 0 && age <= ms;
  }
}

/** Rejects with the last error where all have failed. */
async function firstOf<Value>(promises: Iterable<Promise<Value>>): Promise<Value> {
  try {
    return await Promise.any(promises);
  } catch (failed) {
    throw (failed as AggregateError).errors.at(-1);
  }
}

function refuseLoaded(cause: unknown): never {
  // What a getter of a record throws may hold a secret.
  const problem = cause instanceof ConfigurationError ? cause.message : 'it cannot be read.';
  throw new ConfigurationError(`secret is a function that gave no usable secrets: ${problem}`, {
    option: 'secret',
    cause,
  });
}
