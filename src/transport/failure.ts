import { withoutSecrets } from '../redact.js';
import { connectionCode, wasNeverConnected } from './connection.js';

/** What an attempt failed with, as an error may tell it. */
export interface Failure {
  /** In a few words. */
  readonly reason: string;
  /** What was thrown; a copy without its fields, where it repeats a secret. */
  readonly cause: unknown;
  /** Whether the request cannot have reached the service. */
  readonly neverConnected: boolean;
}

/** Reads what `fetch` threw. Never throws, although a custom `fetch` may throw anything. */
export function readFailure(thrown: unknown, secrets: readonly string[]): Failure {
  try {
    const cause = repeatsSecret(thrown, secrets) ? maskedCopy(thrown, secrets) : thrown;
    const code = connectionCode(thrown);
    const text = cause instanceof Error ? cause.message : String(cause);
    const reason = code === undefined ? text : `${text} (${code})`;
    return { reason, cause, neverConnected: wasNeverConnected(thrown) };
  } catch {
    return { reason: 'unreadable', cause: undefined, neverConnected: false };
  }
}

/** More than errors are made of: what holds more objects is not searched, and counts as a repetition. */
const MAX_OBJECTS = 1_000;

/** Looks through all that printing an error shows: a custom `fetch` may attach its whole request. */
function repeatsSecret(value: unknown, secrets: readonly string[], seen = new Set<unknown>()): boolean {
  if (typeof value === 'string') return withoutSecrets(value, secrets) !== value;
  // Each object once: a request and its response refer to each other in many ways.
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  // Headers, maps, buffers … hold more than their fields.
  const isReadable = /(Object|Array|Error|Exception)\]$/.test(Object.prototype.toString.call(value));
  if (!isReadable || seen.add(value).size > MAX_OBJECTS) return true;
  return Reflect.ownKeys(value).some((key) => repeatsSecret(Reflect.get(value, key), secrets, seen));
}

/** Deeper than errors are: what is nested further is left out. */
const MAX_DEPTH = 6;

/** What tells an error, masked: its message and its code, and its causes likewise. */
function maskedCopy(thrown: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof thrown === 'string') return withoutSecrets(thrown, secrets);
  if (!(thrown instanceof Error) || depth > MAX_DEPTH) return undefined;
  const copy = new Error(withoutSecrets(thrown.message, secrets));
  const { code } = thrown as { readonly code?: unknown };
  return Object.assign(copy, { code, cause: maskedCopy(thrown.cause, secrets, depth + 1) });
}
