import { ConfigurationError } from '../errors/index.js';
import type { Clock } from './clock.js';
import { createVerifier, type Genuine, isPresented, type Verifier, type WebhookSecrets } from './secrets.js';

/**
 * Loads the workspace secrets, for example from a vault: called without an argument, when the first delivery presents a
 * secret, and returns what the option `secret` takes. It cannot decide on what a delivery presents: that is a
 * {@link WebhookSecretLookup}.
 *
 * Its answer is used for five minutes, and loaded afresh before that if a delivery presents another secret, so
 * that a rotation is seen.
 */
export type WebhookSecretLoader = () => WebhookSecrets | Promise<WebhookSecrets>;

/** Milliseconds for which loaded secrets are used. */
const SECRETS_KEPT = 300_000;
/** Milliseconds in which a presented secret that does not match does not have the secrets loaded again. */
const SECRETS_FRESH = 10_000;
/** Milliseconds after which a load that has not ended holds up no further delivery: the next one begins another. */
const LOAD_PATIENCE = 10_000;

interface LoadedSecrets {
  /** The time at which loading them began. */
  readonly since: number;
  readonly verify: Verifier;
}

/** Verifies by secrets that a function loads. All deliveries that need them meanwhile wait for one call of it. */
export class SecretLoader {
  readonly #load: WebhookSecretLoader;
  readonly #clock: Clock;
  #loaded: LoadedSecrets | undefined;
  #loading: { readonly since: number; readonly secrets: Promise<LoadedSecrets> } | undefined;

  constructor(load: WebhookSecretLoader, clock: Clock) {
    this.#load = load;
    this.#clock = clock;
  }

  /** Rejects with a {@link ConfigurationError} where there are no secrets to verify by. */
  async verify(presented: unknown): Promise<Genuine | undefined> {
    if (!isPresented(presented)) return undefined;
    const held = this.#loaded;
    if (held === undefined || !this.#isWithin(SECRETS_KEPT, held)) {
      const { verify } = await this.#reload();
      return verify(presented);
    }
    const genuine = held.verify(presented);
    if (genuine !== undefined || this.#isWithin(SECRETS_FRESH, held)) return genuine;
    const { verify } = await this.#reload();
    return verify(presented);
  }

  /** Joins the load that is under way, or begins one. */
  #reload(): Promise<LoadedSecrets> {
    if (this.#loading !== undefined && this.#isWithin(LOAD_PATIENCE, this.#loading)) {
      return this.#loading.secrets;
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
    const loaded = { since, verify: verifierOf(await this.#callLoader()) };
    // One that was overtaken by a later load brings what may be outdated.
    if (this.#loaded === undefined || this.#loaded.since <= since) this.#loaded = loaded;
    return loaded;
  }

  async #callLoader(): Promise<WebhookSecrets> {
    try {
      return await this.#load();
    } catch (cause) {
      throw new ConfigurationError(
        'secret is a function that failed to load the secrets (see `error.cause`).',
        {
          option: 'secret',
          cause,
        },
      );
    }
  }

  /** A clock that was set back makes everything old. */
  #isWithin(ms: number, { since }: { readonly since: number }): boolean {
    const age = this.#clock.now() - since;
    return age >= 0 && age <= ms;
  }
}

function verifierOf(secrets: WebhookSecrets): Verifier {
  try {
    return createVerifier(secrets);
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'it cannot be read.';
    throw new ConfigurationError(`secret is a function that gave no usable secrets: ${problem}`, {
      option: 'secret',
      cause,
    });
  }
}
