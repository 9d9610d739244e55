import { ConfigurationError } from '../errors/index.js';
import { isObject } from '../ground/json.js';
import type { Later } from '../ground/later.js';
import { checkFunction, refuseOption, shown } from '../validation/option-checks.js';
import type { Clock } from './clock.js';
import { detached, type Presented, presentedIn } from './presented.js';
import { SecretLoader, type WebhookSecretLoader } from './secret-loader.js';
import { type Genuine, isPresented, type Verifier, type WebhookSecrets } from './secrets.js';

/**
 * Decides on the secret that a delivery presents, for example by a look-up in a database (look up a hash of it, not
 * the secret itself, so that neither the database's timing nor its logs reveal anything). Called for each delivery that
 * presents one of 4,096 characters at most.
 */
export type WebhookSecretLookup = (presented: string) => SecretAnswer | Promise<SecretAnswer>;

/**
 * The answer of a {@link WebhookSecretLookup}: `true` or the workspace's name in an object if the secret is genuine,
 * `false` if not. Without names, workspaces are told apart by their secrets where duplicates are recognised. Anything else is an error, never a pass: a bare string could be a secret that was read, and not a name.
 */
export type SecretAnswer =
  | boolean
  | {
      /** The name of the workspace whose secret it is. */
      readonly workspace: string;
    };

/** Exactly one of `secret` and `verifySecret`. */
export type WebhookSecretOptions =
  | {
      /**
       * Your workspace secret: one, a list during a rotation, a record of named workspaces, or a function without
       * arguments that loads any of these.
       */
      readonly secret: WebhookSecrets | WebhookSecretLoader;
      /** Not together with `secret`. */
      readonly verifySecret?: undefined;
    }
  | {
      /** Decides on the presented secret: answers `true`, `false` or `{ workspace }`. */
      readonly verifySecret: WebhookSecretLookup;
      /** Not together with `verifySecret`. */
      readonly secret?: undefined;
    };

/** A {@link Verifier} that may take its time. Rejects where nothing can be said about the presented secret. */
export type AnyVerifier = (presented: unknown) => Later<Genuine | undefined>;

/**
 * The verifier for the secrets that are known, that a function loads, or that a function decides on. Made for each delivery:
 * a function that decides is asked once about the same secret.
 */
export function verifierFor(
  { secret, verifySecret }: WebhookSecretOptions,
  verifierOf: (secrets: WebhookSecrets) => Verifier,
  loaderOf: (load: WebhookSecretLoader) => SecretLoader,
): () => AnyVerifier {
  if (verifySecret !== undefined) {
    if (secret !== undefined)
      refuseOption('verifySecret', 'cannot be combined with `secret`: give one of them');
    checkFunction('verifySecret', verifySecret);
    return () => askOnce((presented) => askLookup(verifySecret, presented));
  }
  if (typeof secret !== 'function') {
    const verify = verifierOf(secret);
    return () => verify;
  }
  if (secret.length > 0) {
    refuseOption(
      'secret',
      'takes a function that loads the secrets, without arguments. One that decides on a presented secret is the ' +
        'option `verifySecret`, and answers true, false or { workspace }',
    );
  }
  const loader = loaderOf(secret);
  const verify: AnyVerifier = (presented) => loader.verify(presented);
  return () => verify;
}

/** The verifier of a receiver without a secret, which takes no deliveries. */
export const refuseAll: () => AnyVerifier = () => () => {
  throw new ConfigurationError(
    'A receiver without `secret` only processes what an inbox has stored. Give `secret` or `verifySecret` to one that takes deliveries.',
    { option: 'secret' },
  );
};

const loaders = /* @__PURE__ */ new WeakMap<WebhookSecretLoader, SecretLoader>();

/** A loader that is made once for the same function, so that what it has loaded is used by the next call too. */
export function cachedLoader(load: WebhookSecretLoader, clock: Clock): SecretLoader {
  const existing = loaders.get(load);
  if (existing !== undefined) return existing;
  const loader = new SecretLoader(load, clock);
  loaders.set(load, loader);
  return loader;
}

/**
 * The most secrets of one delivery about which a look-up is asked. A genuine one presents one; more stand there only if a
 * payload holds fields of the same name, or the sender makes work.
 */
const MAX_ASKED = 16;

function askOnce(verify: AnyVerifier): AnyVerifier {
  const answers = new Map<string, ReturnType<AnyVerifier>>();
  return (presented) => {
    if (!isPresented(presented)) return undefined;
    if (!answers.has(presented)) {
      if (answers.size >= MAX_ASKED) return undefined;
      // A look-up that hangs may hold for ever what it was asked about.
      const asked = detached(presented);
      answers.set(asked, verify(asked));
    }
    return answers.get(presented);
  };
}

/**
 * Looks for a genuine secret in the text of a body, before it is parsed.
 *
 * @param onWait - Is given what lets go of the text, where something has to be waited for.
 */
export function mayBeGenuine(
  body: unknown,
  verify: AnyVerifier,
  onWait?: (letGo: () => void) => void,
): Later<boolean> {
  // A body parser's value is parsed already; and an empty body is not a forgery: a body parser is missing.
  if (typeof body !== 'string' || body === '') return true;
  const presented = presentedIn(body);
  const found = isAnyGenuine(presented, verify);
  if (found instanceof Promise) onWait?.(() => presented.return());
  return found;
}

/** A presented value of which nothing could be said, because a look-up failed. */
interface Doubt {
  readonly error: unknown;
  /** Values that were asked about since, this one included. */
  asked: number;
}

function isAnyGenuine(presented: Presented, verify: AnyVerifier, doubt?: Doubt): Later<boolean> {
  for (let next = presented.next(); !next.done; next = presented.next()) {
    if (doubt !== undefined) {
      // Another may be genuine. Not for long: whoever sends many makes work.
      if (doubt.asked >= MAX_ASKED) break;
      doubt.asked += 1;
    }
    const answer = verify(next.value);
    if (answer instanceof Promise) {
      return answer.then(
        (genuine) => genuine !== undefined || isAnyGenuine(presented, verify, doubt),
        // The first error is told.
        (error: unknown) => isAnyGenuine(presented, verify, doubt ?? { error, asked: 1 }),
      );
    }
    if (answer !== undefined) return true;
  }
  if (doubt !== undefined) throw doubt.error;
  return false;
}

async function askLookup(lookup: WebhookSecretLookup, presented: unknown): Promise<Genuine | undefined> {
  if (!isPresented(presented)) return undefined;
  const answer: unknown = await lookup(presented);
  if (answer === true) return { workspace: undefined, isUnnamed: true };
  if (answer === false) return undefined;
  const workspace = isObject(answer) ? answer.workspace : undefined;
  if (typeof workspace === 'string' && workspace !== '') return { workspace };
  // Not shown: it may be a secret.
  const got = typeof answer === 'string' ? 'a string' : shown(answer);
  throw new ConfigurationError(`verifySecret must answer true, false or { workspace }, got ${got}.`, {
    option: 'verifySecret',
  });
}
