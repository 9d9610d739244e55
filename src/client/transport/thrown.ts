import { AgentPlatformError } from '../../errors/index.js';
import { isHidden } from '../../ground/redact.js';
import type { Masker } from './masker.js';

/** Deeper than errors are: what is nested further is not read. */
export const MAX_DEPTH = 6;

interface Link {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  readonly cause?: unknown;
  readonly errors?: readonly unknown[] | undefined;
}

/** An error and its causes; of several errors, the first. */
export function chainOf(error: unknown): Link[] {
  const chain: Link[] = [];
  for (let at = error; typeof at === 'object' && at !== null && chain.length < MAX_DEPTH; ) {
    const link: Link = at;
    chain.push(link);
    at = link.cause ?? link.errors?.[0];
  }
  return chain;
}

/** The code that a runtime gives a failed connection, wherever it put it. */
export function connectionCode(error: unknown): string | undefined {
  const codes = chainOf(error).map(({ code }) => code);
  return codes.filter((code) => typeof code === 'string').at(-1);
}

/** What a function of the user's has thrown, or a signal was aborted with, as it may be shown. */
interface ReadThrown {
  readonly reason: string;
  readonly cause: unknown;
  /** The reason says more than a runtime's `fetch failed`. */
  readonly isExplained: boolean;
}

/** Reads what a `fetch`, a schema or a hook threw: a few words, and a cause that shows no secret. Never throws. */
export function readThrown(thrown: unknown, masker: Masker): ReadThrown {
  try {
    const cause = showsSecret(thrown, masker) ? maskedCopy(thrown, masker) : thrown;
    const text = cause instanceof Error ? cause.message : String(cause);
    // Node's `fetch failed` for a port that browsers block, say, has a cause with words alone.
    const detail = connectionCode(thrown) ?? innermostMessage(cause) ?? text;
    const reason = detail === text ? text : `${text} (${detail})`;
    return { reason: masker.quote(reason), cause, isExplained: !FETCH_FAILED.test(detail) };
  } catch {
    return { reason: 'unreadable', cause: undefined, isExplained: false };
  }
}

/** All that Node, Chromium, Firefox and Safari may say of a failure. */
const FETCH_FAILED = /^(fetch failed|Failed to fetch|NetworkError\b.*|Load failed)?$/;

function innermostMessage(error: unknown): string | undefined {
  const messages = chainOf(error).map(({ message }) => message);
  return messages.filter((message) => typeof message === 'string' && message !== '').at(-1) as
    | string
    | undefined;
}

/** More than errors are made of: what holds more objects is not searched, and counts as showing one. */
const MAX_OBJECTS = 1_000;

/** Methods by which an object prints itself: they may show what its fields do not. */
const PRINTERS = /* @__PURE__ */ ['toJSON', Symbol.for('nodejs.util.inspect.custom')];

/** Looks through all that printing an error shows: a custom `fetch` may attach its whole request, as text or parsed. */
function showsSecret(value: unknown, masker: Masker, seen = new Set<unknown>()): boolean {
  // Digits, and the description of a symbol, may be a secret too.
  if (Object(value) !== value) return masker.text(String(value)) !== String(value);
  // Each object once: a request and its response refer to each other in many ways.
  if (seen.has(value)) return false;
  // Headers, maps, buffers … hold more than their fields.
  const isReadable = /(Object|Array|Error|Exception|Function)\]$/.test(Object.prototype.toString.call(value));
  if (!isReadable || seen.add(value).size > MAX_OBJECTS) return true;
  // Not a primitive.
  const holder = value as object;
  const printer = PRINTERS.find((name) => typeof Reflect.get(holder, name) === 'function');
  return (
    (printer !== undefined && !(value instanceof AgentPlatformError)) ||
    (value instanceof Error && showsSecret(String(value), masker)) ||
    Reflect.ownKeys(holder).some(
      (key) =>
        isHidden(holder, key) ||
        [String(key), Reflect.get(holder, key)].some((part) => showsSecret(part, masker, seen)),
    )
  );
}

/** Copies what tells an error, masked: its message and its code, and its causes likewise. */
function maskedCopy(thrown: unknown, masker: Masker, depth = 0): unknown {
  if (typeof thrown === 'string') return masker.text(thrown);
  if (!(thrown instanceof Error) || depth > MAX_DEPTH) return undefined;
  const { message, cause, code } = thrown as Error & { readonly code?: unknown };
  const copy = new Error(masker.text(message));
  return Object.assign(copy, { code: masker.value(code), cause: maskedCopy(cause, masker, depth + 1) });
}
