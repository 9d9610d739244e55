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
    return { reason: 'what was thrown cannot be read', cause: undefined, neverConnected: false };
  }
}

/** A failure with more parts than this is not searched to the end, and is taken to repeat a secret. */
const MAX_PARTS = 10_000;

/** Looks through all that printing an error shows: a custom `fetch` may attach its whole request. */
function repeatsSecret(thrown: unknown, secrets: readonly string[]): boolean {
  const parts = new Set([thrown]);
  // A set that grows while it is walked is walked to its new end.
  for (const part of parts) {
    if (typeof part === 'string' && withoutSecrets(part, secrets) !== part) return true;
    if (typeof part === 'object' && part !== null) for (const inner of partsOf(part)) parts.add(inner);
    if (parts.size > MAX_PARTS) return true;
  }
  return false;
}

function partsOf(value: object): unknown[] {
  if (value instanceof Headers || value instanceof Map || value instanceof Set) return [...value];
  if (value instanceof Request) return [value.url, value.headers];
  if (ArrayBuffer.isView(value)) return [];
  const fields = Reflect.ownKeys(value).map(
    (key) => Reflect.getOwnPropertyDescriptor(value, key)?.value as unknown,
  );
  return value instanceof Error ? [value.message, value.stack, ...fields] : fields;
}

/** What tells an error, masked, and its causes likewise. */
function maskedCopy(thrown: unknown, secrets: readonly string[], depth = 0): unknown {
  if (typeof thrown === 'string') return withoutSecrets(thrown, secrets);
  if (!(thrown instanceof Error) || depth > 4) return undefined;
  const cause = thrown.cause === undefined ? undefined : maskedCopy(thrown.cause, secrets, depth + 1);
  const copy = new Error(withoutSecrets(thrown.message, secrets), cause === undefined ? {} : { cause });
  copy.name = withoutSecrets(thrown.name, secrets);
  copy.stack = withoutSecrets(String(thrown.stack), secrets);
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' ? Object.assign(copy, { code }) : copy;
}
