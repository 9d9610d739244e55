import { isHidden, masked } from '../../ground/redact.js';
import { connectionCode, wasNeverConnected } from './connection.js';
import { hide } from './excerpt.js';

/** What an attempt failed with, as an error may tell it. */
export interface Failure {
  /** In a few words. */
  readonly reason: string;
  /** What was thrown; a copy without its fields, where it shows a secret or a marked field. */
  readonly cause: unknown;
  /** Whether the request cannot have reached the service. */
  readonly neverConnected: boolean;
}

/** Reads what `fetch` threw. Never throws, although a custom `fetch` may throw anything. */
export function readFailure(thrown: unknown, secrets: readonly string[]): Failure {
  try {
    const cause = showsSecret(thrown, secrets) ? maskedCopy(thrown, secrets) : thrown;
    const code = connectionCode(thrown);
    const text = cause instanceof Error ? cause.message : String(cause);
    const reason = hide(code === undefined ? text : `${text} (${code})`, secrets);
    return { reason, cause, neverConnected: wasNeverConnected(thrown) };
  } catch {
    return { reason: 'unreadable', cause: undefined, neverConnected: false };
  }
}

/** More than errors are made of: what holds more objects is not searched, and counts as showing one. */
const MAX_OBJECTS = 1_000;

/** Looks through all that printing an error shows: a custom `fetch` may attach its whole request, as text or parsed. */
function showsSecret(value: unknown, secrets: readonly string[], seen = new Set<unknown>()): boolean {
  if (typeof value === 'string') return hide(value, secrets) !== value;
  // Each object once: a request and its response refer to each other in many ways.
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  // Headers, maps, buffers … hold more than their fields.
  const isReadable = /(Object|Array|Error|Exception)\]$/.test(Object.prototype.toString.call(value));
  if (!isReadable || seen.add(value).size > MAX_OBJECTS) return true;
  return Reflect.ownKeys(value).some(
    (key) =>
      isHidden(value, key) ||
      [String(key), Reflect.get(value, key)].some((part) => showsSecret(part, secrets, seen)),
  );
}

/** Deeper than errors are: what is nested further is left out. */
const MAX_DEPTH = 6;

/** What tells an error, masked: its message and its code, and its causes likewise. */
function maskedCopy(thrown: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof thrown === 'string') return hide(thrown, secrets);
  if (!(thrown instanceof Error) || depth > MAX_DEPTH) return undefined;
  const { message, cause, code } = thrown as Error & { readonly code?: unknown };
  const copy = new Error(hide(message, secrets));
  return Object.assign(copy, { code: masked(code, secrets), cause: maskedCopy(cause, secrets, depth + 1) });
}
