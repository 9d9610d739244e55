import { ConfigurationError } from '../../errors/index.js';
import { typeName } from '../../utils/issues.js';
import { isPlain } from '../../utils/json.js';
import { pastedProblem } from '../../utils/pasted.js';
import type { OptionProblem } from '../../validation/check-options.js';
import { isCandidate, MAX_SECRET_LENGTH, type SecretOwner } from './find.js';
import { SECRET_VARIABLE, splitSecrets } from './secret-variable.js';

/**
 * Holds workspace secrets: one, a list during a rotation, or an object keyed by workspace name.
 *
 * A string may hold several, separated by commas. In a list or an object, a comma is part of the secret. All
 * secrets of a list belong to one workspace. With names, `event.workspace` is the name of the workspace that
 * sent the event. A secret has at most 4,096 characters. `undefined` compiles, for `process.env`, and is
 * refused at run time.
 */
export type WebhookSecrets =
  | string
  | readonly (string | undefined)[]
  | { readonly [workspace: string]: string | undefined | readonly (string | undefined)[] };

/** Finds the owner of a candidate among known secrets. */
export type FindKnownOwner = (candidate: unknown) => SecretOwner | undefined;

interface KnownSecret extends SecretOwner {
  readonly secret: string;
  /** Padded to the length of the longest secret of a set, or more. */
  readonly padded: string;
}

/**
 * Makes the function that compares candidates with known secrets, in constant time.
 *
 * @throws {ConfigurationError} A secret is empty, too long or repeated.
 */
export function ownersOf(secrets: WebhookSecrets | undefined): FindKnownOwner {
  const { listed, problems } = listSecrets(secrets);
  const [problem] = problems;
  if (problem !== undefined) {
    const lines = problems.map(({ option, text }) => `${option} ${text}`);
    throw new ConfigurationError(lines.join('\n'), { option: problem.option });
  }
  const length = Math.max(256, ...listed.map(({ secret }) => secret.length));
  const known = new Map<string, KnownSecret>();
  for (const { secret, workspace } of listed) {
    known.set(secret, { secret, workspace, padded: secret.padEnd(length, '\0') });
  }
  const [decoy] = known.values();
  return (candidate) => {
    const text = isCandidate(candidate, length) ? candidate : '';
    // A miss is compared too, so that it takes as long as a hit.
    const nearest = known.get(text) ?? decoy;
    return nearest !== undefined && isSame(text, nearest) ? nearest : undefined;
  };
}

/**
 * Compares every character of a candidate, wherever the first difference is.
 *
 * All known secrets have one padded length, so the time depends only on the length of the candidate.
 */
function isSame(candidate: string, { padded, secret }: KnownSecret): boolean {
  let difference = candidate.length ^ secret.length;
  for (let index = 0; index < candidate.length; index += 1) {
    difference |= candidate.charCodeAt(index) ^ padded.charCodeAt(index);
  }
  return difference === 0;
}

interface ListedSecret {
  readonly secret: string;
  readonly workspace: string | undefined;
}

/** Lists the secrets that can be used, and what is wrong with the others. */
export function listSecrets(given: unknown): {
  readonly listed: readonly ListedSecret[];
  readonly problems: readonly OptionProblem[];
} {
  // Wherever a string came from: most programs pass the variable as the option, or read it in a function.
  const parts = typeof given === 'string' ? splitSecrets(given) : [];
  const secrets = parts.length > 1 ? parts : (parts[0] ?? given);
  const named: readonly [workspace: string | undefined, secrets: unknown][] = isPlain(secrets)
    ? Object.entries(secrets)
    : [[undefined, secrets]];
  const listed: ListedSecret[] = [];
  const problems: OptionProblem[] = [];
  for (const [workspace, some] of named) {
    const name = workspace === undefined ? 'secret' : `secret.${workspace}`;
    const isList = Array.isArray(some);
    const list: readonly unknown[] = isList ? some : [some];
    for (const [index, one] of list.entries()) {
      // A file that a secret is read from ends with a line break.
      const secret = typeof one === 'string' ? one.trim() : '';
      const text = secretProblem(one, secret);
      if (text === undefined) listed.push({ secret, workspace });
      else problems.push({ option: isList ? `${name}[${index}]` : name, text });
    }
  }
  if (listed.length === 0 && problems.length === 0) {
    const text = `must be a string, a list, or an object of secrets by workspace name, got ${typeName(secrets)} without a secret.`;
    problems.push({ option: 'secret', text });
  }
  if (new Set(listed.map(({ secret }) => secret)).size < listed.length) {
    problems.push({ option: 'secret', text: 'contains the same secret twice.' });
  }
  return { listed, problems };
}

function secretProblem(given: unknown, secret: string): string | undefined {
  if (secret.length > MAX_SECRET_LENGTH) return `must have at most ${MAX_SECRET_LENGTH} characters.`;
  const problem = pastedProblem(secret);
  if (secret !== '') return problem && `${problem}.`;
  const got = typeof given === 'string' ? 'an empty string' : typeName(given);
  const hint = `Is the environment variable set? Without secret and verifySecret, ${SECRET_VARIABLE} is read.`;
  const text = `must be a workspace secret, from the workspace switcher of the dashboard, got ${got}.`;
  return given === undefined || given === '' ? `${text} ${hint}` : text;
}
