import { ConfigurationError, WebhookError } from '../../errors/index.js';
import { readEnvironment } from '../../utils/environment.js';
import { typeName } from '../../utils/issues.js';
import { isObject } from '../../utils/json.js';
import { sleep, unlessAborted, within } from '../../utils/waiting.js';
import type { OptionProblem } from '../../validation/options.js';

/** The variable that replaces `secret`: one workspace secret, or several separated by commas. */
export const SECRET_VARIABLE = 'AGENT_PLATFORM_WEBHOOK_SECRET';

/**
 * Workspace secrets: one, a list during a rotation, or a record of named workspaces with one or a list each.
 *
 * All secrets of a list are one workspace. With names, `event.workspace` is the name of the workspace that sent the event. A secret has
 * 4,096 characters at most. `undefined` is accepted by the compiler, for `process.env`, and refused at run time.
 */
export type WebhookSecrets =
  | string
  | readonly (string | undefined)[]
  | { readonly [workspace: string]: string | undefined | readonly (string | undefined)[] };

/**
 * Loads the workspace secrets, for example from a vault. Called without an argument, when a delivery first carries a secret.
 *
 * The result is kept for five minutes. It is loaded again before that if a delivery carries an unknown secret, at most every ten
 * seconds, so that a rotation is seen. If loading fails or takes more than ten seconds, the last result is used until it is an hour
 * old. Without one, a receiver retries every ten seconds until the deadline of the delivery; `parseWebhookRequest` rejects.
 */
export type WebhookSecretLoader = () => WebhookSecrets | undefined | Promise<WebhookSecrets | undefined>;

/**
 * Verifies the secret that a delivery carries, for example by a database query. Query by a hash of the secret, so that neither
 * timing nor logs of the database reveal it. Called for at most 16 candidates per delivery, each of 4,096 characters at most.
 */
export type WebhookSecretVerifier = (candidate: string) => SecretAnswer | Promise<SecretAnswer>;

/**
 * The result of a {@link WebhookSecretVerifier}: `false`, `true`, or the name of the workspace.
 *
 * `true` means "the workspace of this secret": the secret tells workspaces apart where duplicates are recognised, so a rotated secret
 * is another workspace. Anything else is an error, never a pass.
 */
export type SecretAnswer =
  | boolean
  | {
      /** The name of the workspace. */
      readonly workspace: string;
    };

/** The secrets of a receiver: `secret` or `verifySecret`, else `AGENT_PLATFORM_WEBHOOK_SECRET`. */
export interface WebhookSecretOptions {
  /**
   * Your workspace secret: one, a list during a rotation, a record of named workspaces, or a function without arguments that loads any
   * of these. Environment: `AGENT_PLATFORM_WEBHOOK_SECRET`, several separated by commas. It is read if this option is absent; an
   * option that is present and undefined is an error.
   */
  readonly secret?: WebhookSecrets | WebhookSecretLoader | undefined;
  /** Verifies the secret that a delivery carries: returns `true`, `false` or `{ workspace }`. Not together with `secret`. */
  readonly verifySecret?: WebhookSecretVerifier | undefined;
}

/** The workspace whose secret a delivery carries. */
export interface SecretOwner {
  /** Its name, if the secrets are named. */
  readonly workspace?: string | undefined;
  /** True if the secret alone tells it apart from other workspaces. */
  readonly isUnnamed?: true;
}

/**
 * Returns the owner of a secret, or undefined if the secret is wrong. Rejects if that cannot be decided, and when the signal is
 * aborted.
 */
export type Verify = (
  candidate: unknown,
  signal?: AbortSignal,
) => SecretOwner | undefined | Promise<SecretOwner | undefined>;

/** Makes the verifier of one delivery. */
export type NewVerify = () => Verify;

const MAX_SECRET = 4_096;

function isCandidate(candidate: unknown): candidate is string {
  return typeof candidate === 'string' && candidate !== '' && candidate.length <= MAX_SECRET;
}

// Finding candidates in a text that is not parsed yet.

const KEY = 'workspaceSecret"';
/** An engine finds a text that begins with a rare letter a hundred times as quickly. */
const KEY_END = 'Secret"';
/** A colon and a JSON string, which may write each character in six. The limit keeps the engine from running out of stack. */
const VALUE = /\s*:\s*("(?:[^"\\]|\\.){0,24576}")/y;

/** Yields each value of a field `workspaceSecret` in a JSON text, wherever it is, without parsing the text. */
export function* secretsIn(text: string): Generator<string, void> {
  for (let at = text.indexOf(KEY_END); at >= 0; at = text.indexOf(KEY_END, at + 1)) {
    const end = at + KEY_END.length;
    if (!text.endsWith(KEY, end)) continue;
    VALUE.lastIndex = end;
    const literal = VALUE.exec(text)?.[1];
    if (literal === undefined) continue;
    try {
      // Parsed, so that it is a string of its own: a slice would keep the whole text in memory.
      yield JSON.parse(literal) as string;
    } catch {
      return; // Invalid JSON.
    }
  }
}

/** Whether a valid secret appears in a text. Only then is the text parsed. */
export async function containsSecret(text: string, verify: Verify, signal?: AbortSignal): Promise<boolean> {
  for (const candidate of secretsIn(text)) {
    const found = verify(candidate, signal);
    const owner = found instanceof Promise ? await found : found;
    if (owner !== undefined) return true;
  }
  return false;
}

/** Returns what to do about a body that carries no valid secret. */
export function secretHint(carriesSecret: boolean): string {
  return carriesSecret
    ? 'Its `workspaceSecret` is none that the receiver knows. Compare yours with the workspace switcher of the dashboard.'
    : 'It has no `payload.workspaceSecret`, which every webhook of the service carries.';
}

// Known secrets.

interface KnownSecret extends SecretOwner {
  readonly secret: string;
  /** Padded to one length, a power of two, for all secrets of a set. */
  readonly padded: string;
}

/** Makes the verifier of known secrets. Throws a `ConfigurationError` if one is empty or repeated. */
export function verifierOf(
  secrets: WebhookSecrets | undefined,
): (candidate: unknown) => SecretOwner | undefined {
  const { listed, problems } = listSecrets(secrets);
  const [problem] = problems;
  if (problem !== undefined) {
    const lines = problems.map(({ option, text }) => `${option} ${text}`);
    throw new ConfigurationError(lines.join('\n'), { option: problem.option });
  }
  const length = Math.max(256, ...listed.map(({ secret }) => 2 ** Math.ceil(Math.log2(secret.length))));
  const known = new Map<string, KnownSecret>();
  for (const one of listed) known.set(one.secret, { ...one, padded: one.secret.padEnd(length, '\0') });
  const [decoy] = known.values();
  return (candidate) => {
    const text = isCandidate(candidate) ? candidate : '';
    // A miss is compared too, so that it takes as long as a hit.
    const nearest = known.get(text) ?? decoy;
    return nearest !== undefined && isSame(text, nearest) ? nearest : undefined;
  };
}

/**
 * Compares every character of a candidate, wherever the first difference is. The padded length is the same for all known
 * secrets, so the time depends only on the length of the candidate.
 */
function isSame(candidate: string, { padded, secret }: KnownSecret): boolean {
  const mask = padded.length - 1;
  let difference = candidate.length ^ secret.length;
  for (let index = 0; index < candidate.length; index += 1) {
    difference |= candidate.charCodeAt(index) ^ padded.charCodeAt(index & mask);
  }
  return difference === 0;
}

interface ListedSecret {
  readonly secret: string;
  readonly workspace: string | undefined;
}

/** Lists the secrets that can be used, and what is wrong with the others. */
function listSecrets(secrets: unknown): {
  readonly listed: readonly ListedSecret[];
  readonly problems: readonly OptionProblem[];
} {
  const named: readonly [workspace: string | undefined, secrets: unknown][] =
    isObject(secrets) && Object.getPrototypeOf(secrets) === Object.prototype
      ? Object.entries(secrets)
      : [[undefined, secrets]];
  const listed: ListedSecret[] = [];
  const problems: OptionProblem[] = [];
  for (const [workspace, given] of named) {
    const name = workspace === undefined ? 'secret' : `secret.${workspace}`;
    const isList = Array.isArray(given);
    const list: readonly unknown[] = isList ? given : [given];
    for (const [index, one] of list.entries()) {
      // A file that a secret is read from ends with a line break.
      const secret = typeof one === 'string' ? one.trim() : '';
      const text = problemOf(one, secret);
      if (text === undefined) listed.push({ secret, workspace });
      else problems.push({ option: isList ? `${name}[${index}]` : name, text });
    }
  }
  if (listed.length === 0 && problems.length === 0) {
    problems.push({
      option: 'secret',
      text: 'is empty: give a string, a list, or a record of names and secrets.',
    });
  }
  if (new Set(listed.map(({ secret }) => secret)).size < listed.length) {
    problems.push({ option: 'secret', text: 'holds the same secret twice.' });
  }
  return { listed, problems };
}

function problemOf(given: unknown, secret: string): string | undefined {
  if (secret.length > MAX_SECRET) return `must have ${MAX_SECRET} characters at most.`;
  if (secret !== '') return undefined;
  const got = typeof given === 'string' ? 'an empty string' : typeName(given);
  const isUnset = given === undefined || given === '';
  const unset = ` Is the environment variable set? Without secret and verifySecret, ${SECRET_VARIABLE} is read.`;
  return `must be a workspace secret, from the workspace switcher of the dashboard, got ${got}.${isUnset ? unset : ''}`;
}

// Secrets that a function loads.

/** Milliseconds for which loaded secrets are used. */
const KEPT = 300_000;
/** Milliseconds for which they are used if they cannot be loaded again: a vault that restarts must not cost events. */
const MAX_STALE = 3_600_000;
/** Milliseconds from one attempt to load to the next, and the time limit of one. */
const APART = 10_000;

/** Verifies by secrets that a function loads. All deliveries that wait share one call of it. */
export class SecretLoader {
  readonly #load: WebhookSecretLoader;
  readonly #onStale: (error: unknown) => void;
  #known: ((candidate: unknown) => SecretOwner | undefined) | undefined;
  #loadedAt = Number.NEGATIVE_INFINITY;
  #triedAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  /** The error of the last attempt, or undefined if it succeeded. */
  #error: WebhookError | ConfigurationError | undefined;

  /** @param onStale - Called if loading failed and the last secrets are used instead. */
  constructor(load: WebhookSecretLoader, onStale: (error: unknown) => void) {
    this.#load = load;
    this.#onStale = onStale;
  }

  /** Returns at once if the secrets at hand are sufficient: a body may hold a hundred thousand candidates. */
  readonly verify: Verify = (candidate, signal) => {
    if (!isCandidate(candidate)) return undefined;
    const now = performance.now();
    const isTriedRecently = now - this.#triedAt < APART && this.#loading === undefined;
    const usable = this.#usable();
    const owner = usable?.(candidate);
    if (owner !== undefined && now - this.#loadedAt < KEPT) return owner;
    if (usable !== undefined && isTriedRecently) return owner;
    return this.#loadAndVerify(candidate, signal);
  };

  async #loadAndVerify(candidate: string, signal: AbortSignal | undefined): Promise<SecretOwner | undefined> {
    for (;;) {
      const isTriedRecently = performance.now() - this.#triedAt < APART;
      if (this.#loading !== undefined || !isTriedRecently) await unlessAborted(this.#reload(), signal);
      const usable = this.#usable();
      if (usable !== undefined) {
        if (this.#error !== undefined) this.#onStale(this.#error);
        return usable(candidate);
      }
      // A loader that returned no secret is wrong; one that failed may succeed later.
      const error = this.#error ?? new WebhookError('The secrets could not be loaded.');
      if (signal === undefined || error instanceof ConfigurationError) throw error;
      await sleep(APART - (performance.now() - this.#triedAt), signal);
      if (signal.aborted) throw error;
    }
  }

  #usable(): ((candidate: unknown) => SecretOwner | undefined) | undefined {
    return performance.now() - this.#loadedAt < MAX_STALE ? this.#known : undefined;
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
        APART,
        () => new WebhookError(`The function \`secret\` did not settle within ${APART} ms.`),
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

  /** Used even if it comes after the time limit. */
  async #take(): Promise<void> {
    const since = performance.now();
    const secrets = await this.#load();
    if (since < this.#loadedAt) return;
    this.#known = verifierOf(secrets);
    this.#loadedAt = since;
  }
}

// A function that verifies.

/** A delivery of the service carries one secret. More appear only if a payload has fields of that name, or the sender makes work. */
const MAX_ASKED = 16;

/** Asks the function once about each candidate of one delivery. */
function askOnce(verifySecret: WebhookSecretVerifier): Verify {
  const answers = new Map<string, Promise<SecretOwner | undefined>>();
  return (candidate, signal) => {
    if (!isCandidate(candidate)) return undefined;
    const asked = answers.get(candidate);
    if (asked !== undefined || answers.size >= MAX_ASKED) return asked;
    const answer = unlessAborted(ask(verifySecret, candidate), signal);
    answers.set(candidate, answer);
    return answer;
  };
}

async function ask(verifySecret: WebhookSecretVerifier, candidate: string): Promise<SecretOwner | undefined> {
  const answer: unknown = await verifySecret(candidate);
  if (answer === true) return { isUnnamed: true };
  if (answer === false) return undefined;
  const workspace = isObject(answer) ? answer.workspace : undefined;
  if (typeof workspace === 'string' && workspace !== '') return { workspace };
  // Only its type: it may be a secret.
  throw new ConfigurationError(
    `verifySecret must return true, false or { workspace }, got ${typeName(answer)}.`,
    { option: 'verifySecret' },
  );
}

// The options.

/** The parts of a verifier that `parseWebhook` keeps between calls, and a receiver makes once. */
export interface SecretMakers {
  readonly known: typeof verifierOf;
  readonly loader: (load: WebhookSecretLoader) => SecretLoader;
}

/** Returns what is wrong with `secret` and `verifySecret`. */
export function secretProblems(options: WebhookSecretOptions): readonly OptionProblem[] {
  const { secret, verifySecret } = options;
  if (verifySecret !== undefined) {
    const text = 'cannot be combined with secret: give one of them.';
    return secret === undefined ? [] : [{ option: 'verifySecret', text }];
  }
  if (typeof secret === 'function') {
    const text =
      'takes a function without arguments, which loads secrets. To verify a secret, use the option `verifySecret`.';
    return secret.length === 0 ? [] : [{ option: 'secret', text }];
  }
  return listSecrets(knownSecrets(options, secret)).problems;
}

/** Resolves `secret`, `verifySecret` or the environment variable, in which nothing is wrong, to verifiers: one for each delivery. */
export function resolveSecrets(options: WebhookSecretOptions, { known, loader }: SecretMakers): NewVerify {
  const { secret, verifySecret } = options;
  if (verifySecret !== undefined) return () => askOnce(verifySecret);
  if (typeof secret === 'function') {
    const { verify } = loader(secret);
    return () => verify;
  }
  const verify = known(knownSecrets(options, secret));
  return () => verify;
}

/** Returns the option `secret`, or the secrets of the environment if the option is absent. */
export function knownSecrets(
  options: object,
  secret: WebhookSecrets | undefined,
): WebhookSecrets | undefined {
  if (Object.hasOwn(options, 'secret')) return secret;
  const variable = readEnvironment(SECRET_VARIABLE);
  const secrets = variable?.split(',').map((one) => one.trim()) ?? [];
  // A single one is kept as a string, so that `parseWebhook` finds its verifier again.
  return secrets.length <= 1 ? variable : secrets.filter((one) => one !== '');
}
