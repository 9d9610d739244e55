import type { Deadline } from '../deadline.js';

/** The workspace whose secret a delivery carries. */
export interface SecretOwner {
  /** Its name, if the secrets are named. */
  readonly workspace?: string | undefined;
  /** True if only the secret distinguishes it from other workspaces. */
  readonly isUnnamed?: true;
}

/**
 * Finds the owner of a candidate; undefined if the secret is wrong.
 *
 * Rejects if that cannot be decided, and when the signal is aborted.
 */
export type FindOwner = (
  candidate: unknown,
  signal?: AbortSignal,
) => SecretOwner | undefined | Promise<SecretOwner | undefined>;

/** Finds the owners of the secrets that deliveries carry. */
export interface OwnerFinder {
  readonly find: FindOwner;
  /**
   * Waits for secrets that are newer; resolves to false if `find` knows those of a time after `since`, or will
   * not know them before the deadline. Rejects if there are none at all, and when the signal is aborted.
   */
  renew?(since: number, deadline: Deadline | undefined): Promise<boolean>;
}

export const MAX_SECRET_LENGTH = 4_096;

/** Whether a value can be a secret at all. */
export function isCandidate(value: unknown, maxLength = MAX_SECRET_LENGTH): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength;
}

const KEY = 'workspaceSecret"';
/** V8 looks for the first letter (`memchr` in its src/strings/string-search.h): `S` is rare, `w` is not. */
const KEY_END = 'Secret"';
/**
 * A colon and a JSON string of at most 4,096 characters, each of which may be written in six.
 *
 * Without a limit, V8 throws a RangeError when the stack of a match overflows (nodejs/node#759).
 */
const VALUE = /\s*:\s*("(?:[^"\\]|\\.){0,24576}")/y;

/** A chat may quote the field, but more are an attack: eight mebibytes have room for 400,000. */
const MAX_CANDIDATES = 1_000;

/**
 * Yields the value of each field `workspaceSecret` in a JSON text, at any depth: of the first thousand at
 * most. Does not parse the text.
 */
export function* candidatesIn(text: string): Generator<string, void> {
  let left = MAX_CANDIDATES;
  for (let at = text.indexOf(KEY_END); at >= 0 && left > 0; at = text.indexOf(KEY_END, at + 1)) {
    const end = at + KEY_END.length;
    if (!text.endsWith(KEY, end)) continue;
    left -= 1;
    VALUE.lastIndex = end;
    const literal = VALUE.exec(text)?.[1];
    if (literal === undefined) continue;
    try {
      // Parsed, which makes a new string: V8's slices keep the whole text in memory (crbug.com/v8/2869).
      yield JSON.parse(literal) as string;
    } catch {
      return; // Invalid JSON.
    }
  }
}
