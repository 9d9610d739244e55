import { typeName } from '../ground/issues.js';
import { refuseOption } from '../validation/option-checks.js';

/**
 * Workspace secrets that are known beforehand: one; a list, while one is being replaced by another; or a record of
 * named workspaces, each with one secret or a list. With names, `event.workspace` tells which workspace's secret it was. A
 * secret has 4,096 characters at most.
 *
 * A receiver reads a list or a record once: to change secrets later, give it a function that loads them. `parseWebhook` and
 * `parseWebhookRequest` go by what a list or a record holds when they are called.
 */
export type WebhookSecrets =
  | string
  | readonly string[]
  | { readonly [workspace: string]: string | readonly string[] };

/** A presented secret was genuine; `workspace` is its name, where it has one. */
export interface Genuine {
  readonly workspace: string | undefined;
  /** Set where it may be that of any of several workspaces, which were not named. */
  readonly isUnnamed?: true;
}

/** Tells whether a presented value is a genuine secret. */
export type Verifier = (presented: unknown) => Genuine | undefined;

/** Characters of the longest secret. A longer one that is presented is none, and is not kept while secrets are looked up or loaded. */
const MAX_SECRET = 4_096;

/** Tells a presented value that can be a secret: a text that is not empty. */
export function isPresented(presented: unknown): presented is string {
  return typeof presented === 'string' && presented !== '' && presented.length <= MAX_SECRET;
}

interface KnownSecret extends Genuine {
  readonly secret: string;
  /** Its place, where it stands in a list. */
  readonly index: number | undefined;
  /** Padded to one length, a power of two, for all secrets of a set. */
  readonly padded: string;
}

const verifiers = /* @__PURE__ */ new WeakMap<object, () => Verifier>();
let latest: { readonly secret: string; readonly verifier: Verifier } | undefined;

/** A verifier for one body. Made of what is kept for the same secrets: those who parse by themselves pass them with every webhook. */
export function cachedVerifier(secrets: WebhookSecrets): Verifier {
  if (typeof secrets === 'string') {
    if (latest?.secret !== secrets) latest = { secret: secrets, verifier: createVerifier(secrets) };
    return latest.verifier;
  }
  const existing = verifiers.get(secrets) ?? followingVerifiers(secrets);
  verifiers.set(secrets, existing);
  return existing();
}

/** A verifier for known secrets, as they are now. */
export function createVerifier(secrets: WebhookSecrets): Verifier {
  return verifierOf(listSecrets(secrets));
}

/** Makes verifiers for what a list or a record holds now: a secret may have been added to it or taken out. */
function followingVerifiers(secrets: WebhookSecrets): () => Verifier {
  let named = listSecrets(secrets);
  let verify = verifierOf(named);
  return () => {
    // All of them are looked at once for a body, which may present hundreds of thousands.
    let isLatest = false;
    return (presented) => {
      const found = verify(presented);
      // However many there are, a genuine one costs the same.
      if (found !== undefined && isHeld(secrets, found)) return found;
      if (isLatest) return undefined;
      isLatest = true;
      const now = listSecrets(secrets);
      const isChanged = ({ secret, workspace, index }: NamedSecret, at: number) =>
        secret !== named[at]?.secret || workspace !== named[at].workspace || index !== named[at].index;
      if (!now.some(isChanged)) return undefined;
      verify = verifierOf(now);
      named = now;
      return verify(presented);
    };
  };
}

function isHeld(secrets: WebhookSecrets, { workspace, index, secret }: KnownSecret): boolean {
  // It was read from such a place before; what is there now may be anything.
  const one: unknown = workspace === undefined ? secrets : (secrets as Record<string, unknown>)[workspace];
  const held: unknown = Array.isArray(one) ? one[index ?? -1] : one;
  return typeof held === 'string' && held.trim() === secret;
}

function verifierOf(named: readonly NamedSecret[]): (presented: unknown) => KnownSecret | undefined {
  const known = knownSecrets(named);
  const [decoy] = known.values();
  return (presented) => {
    const text = isPresented(presented) ? presented : '';
    // A Map finds the one candidate however many there are; a miss is compared too, so that it takes as long as a hit.
    const candidate = known.get(text) ?? decoy;
    return candidate !== undefined && isSame(text, candidate) ? candidate : undefined;
  };
}

/**
 * Compares every unit of what was presented, wherever the first difference is. The padded length is the same for all
 * known secrets, so the time depends only on the length of what was presented.
 */
function isSame(presented: string, known: KnownSecret): boolean {
  const { padded, secret } = known;
  const mask = padded.length - 1;
  let difference = presented.length ^ secret.length;
  for (let index = 0; index < presented.length; index += 1) {
    difference |= presented.charCodeAt(index) ^ padded.charCodeAt(index & mask);
  }
  return difference === 0;
}

type NamedSecret = Omit<KnownSecret, 'padded'>;

function knownSecrets(named: readonly NamedSecret[]): ReadonlyMap<string, KnownSecret> {
  let length = 256;
  for (const { secret } of named) while (length < secret.length) length *= 2;
  const known = new Map<string, KnownSecret>();
  for (const one of named) known.set(one.secret, { ...one, padded: one.secret.padEnd(length, '\0') });
  if (known.size < named.length) refuseOption('secret', 'holds the same secret twice');
  return known;
}

function listSecrets(secrets: WebhookSecrets): readonly NamedSecret[] {
  // Not a Map, which has no entries here, nor a boxed string, whose letters would each be a secret.
  const isRecord = Object.prototype.toString.call(secrets) === '[object Object]';
  const named = isRecord
    ? Object.entries(secrets).flatMap(([workspace, value]) =>
        oneOrMore(`secret.${workspace}`, value, workspace),
      )
    : oneOrMore('secret', secrets);
  if (named.length === 0) {
    refuseOption('secret', 'holds no secret: give a string, a list, or a plain object of names and secrets');
  }
  return named;
}

function oneOrMore(option: string, value: unknown, workspace?: string): readonly NamedSecret[] {
  if (!Array.isArray(value)) return [{ secret: usable(option, value), workspace, index: undefined }];
  if (value.length === 0) refuseOption(option, 'holds no secret');
  return value.map((one, index) => ({ secret: usable(`${option}[${index}]`, one), workspace, index }));
}

function usable(option: string, secret: unknown): string {
  // As a token, which it is too (5.2): a file that it is read from ends with a line break.
  const trimmed = typeof secret === 'string' ? secret.trim() : '';
  if (trimmed.length > MAX_SECRET) refuseOption(option, `must have ${MAX_SECRET} characters at most`);
  if (trimmed !== '') return trimmed;
  const got = typeof secret === 'string' ? 'an empty string' : typeName(secret);
  const isUnset = secret === undefined || secret === '';
  return refuseOption(
    option,
    `must be a workspace secret, from the dashboard's workspace switcher, got ${got}${isUnset ? '. Is the environment variable set? A function can load it later' : ''}`,
  );
}
