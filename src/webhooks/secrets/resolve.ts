import { ConfigurationError } from '../../errors/index.js';
import { readEnvironment } from '../../utils/environment.js';
import { typeName } from '../../utils/issues.js';
import { isPlain } from '../../utils/json.js';
import { unlessAborted } from '../../utils/waiting.js';
import type { OptionProblem } from '../../validation/check-options.js';
import { type FindOwner, isCandidate, type OwnerFinder, type SecretOwner } from './find.js';
import { listSecrets, ownersOf, type WebhookSecrets } from './known.js';
import type { SecretLoader, WebhookSecretLoader } from './loader.js';
import { SECRET_VARIABLE } from './secret-variable.js';

/** Sets the secrets of a receiver. Environment: `AGENT_PLATFORM_WEBHOOK_SECRET`. */
export interface WebhookSecretOptions {
  /**
   * Sets your workspace secret: one, a list during a rotation, or an object keyed by workspace name.
   *
   * Or pass a function without arguments that loads any of these.
   *
   * A string is split at commas, also one that a function returns. Elements of lists and secrets of named workspaces
   * are taken as they are.
   *
   * Environment: `AGENT_PLATFORM_WEBHOOK_SECRET`, if this option is absent or undefined.
   */
  readonly secret?: WebhookSecrets | WebhookSecretLoader | undefined;
  /**
   * Verifies the secret of a delivery: returns `true`, `false` or `{ workspace }`.
   *
   * Cannot be combined with `secret`.
   */
  readonly verifySecret?: WebhookSecretVerifier | undefined;
}

/**
 * Verifies the secret that a delivery carries, for example by a database query.
 *
 * Query by a hash of the secret, so that neither timing nor logs of the database reveal it. Called for at
 * most 16 candidates per delivery, each of at most 4,096 characters: an event with 16 other fields of that name
 * before its own is refused.
 */
export type WebhookSecretVerifier = (candidate: string) => SecretAnswer | Promise<SecretAnswer>;

/**
 * The result of a {@link WebhookSecretVerifier}: `false`, `true`, or the name of the workspace.
 *
 * `true` means "the workspace of this secret": duplicates are recognised per secret, so a rotated secret is
 * another workspace. Anything else is an error, never a pass.
 */
export type SecretAnswer =
  | boolean
  | {
      /** The name of the workspace. */
      readonly workspace: string;
    };

/** Describes what is wrong with `secret` and `verifySecret`. */
export function secretProblems(options: WebhookSecretOptions): readonly OptionProblem[] {
  const { secret, verifySecret } = options;
  if (verifySecret !== undefined) {
    const text = 'cannot be combined with `secret`: pass one of them.';
    return secret === undefined ? [] : [{ option: 'verifySecret', text }];
  }
  if (typeof secret === 'function') {
    const text =
      'must be a function without arguments: it loads secrets. ' +
      'To verify a secret, use the option `verifySecret`.';
    return secret.length === 0 ? [] : [{ option: 'secret', text }];
  }
  return listSecrets(knownSecrets(secret)).problems;
}

/**
 * Resolves `secret`, `verifySecret` or the environment variable, in which nothing is wrong.
 *
 * @returns A function that is called once for each delivery.
 */
export function resolveSecrets(
  options: WebhookSecretOptions,
  makeLoader: (load: WebhookSecretLoader) => SecretLoader,
): () => OwnerFinder {
  const { secret, verifySecret } = options;
  if (verifySecret !== undefined) return () => ({ find: callOnce(verifySecret) });
  const finder = typeof secret === 'function' ? makeLoader(secret) : { find: ownersOf(knownSecrets(secret)) };
  return () => finder;
}

/** Returns the option `secret`, or the environment variable if the option is absent. */
export function knownSecrets(
  secret: WebhookSecrets | undefined = readEnvironment(SECRET_VARIABLE),
): WebhookSecrets | undefined {
  return secret;
}

/**
 * A delivery carries one secret. Others are in fields of that name in its payload, or are an attack.
 */
const MAX_CALLS_PER_DELIVERY = 16;

/** Calls `verifySecret` once for each candidate of a delivery. */
function callOnce(verifySecret: WebhookSecretVerifier): FindOwner {
  const owners = new Map<string, Promise<SecretOwner | undefined>>();
  return (candidate, signal) => {
    if (!isCandidate(candidate)) return undefined;
    const known = owners.get(candidate);
    if (known !== undefined || owners.size >= MAX_CALLS_PER_DELIVERY) return known;
    const owner = unlessAborted(call(verifySecret, candidate), signal);
    owners.set(candidate, owner);
    return owner;
  };
}

async function call(
  verifySecret: WebhookSecretVerifier,
  candidate: string,
): Promise<SecretOwner | undefined> {
  const result: unknown = await verifySecret(candidate);
  if (result === true) return { isUnnamed: true };
  if (result === false) return undefined;
  const workspace = isPlain(result) ? result.workspace : undefined;
  if (typeof workspace === 'string' && workspace !== '') return { workspace };
  // Only its type: it may be a secret.
  const problem = `verifySecret must return true, false or { workspace }, got ${typeName(result)}.`;
  throw new ConfigurationError(problem, { option: 'verifySecret' });
}
