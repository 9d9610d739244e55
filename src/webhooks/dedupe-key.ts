import { after, type Later } from '../ground/later.js';
import { cutAt, type RawDelivery, type VerifiedDelivery } from './delivery.js';
import type { Genuine } from './secrets.js';

/**
 * The key by which two deliveries are recognised as one event: a SHA-256, as 64 hexadecimal digits, of workspace, type and
 * payload as received, `createdAt` included, the secret not. Unless it alone tells workspaces apart: what one sends must not
 * stand for the event of another.
 *
 * Text and bytes are hashed as they came, which costs one pass over them. An object that a body parser has made is
 * written again as compact JSON; it has the key of its text where the sender writes compact JSON too.
 */
export function dedupeKey(
  { type, payload, presented, body }: RawDelivery,
  { pieces }: VerifiedDelivery,
  { workspace, isUnnamed }: Genuine,
): Later<string> {
  const whose = isUnnamed ? [presented] : (workspace ?? null);
  // Whatever else an envelope may come to hold, such as when it was sent, is not the event's.
  const fields = Object.keys(body as object);
  const isAll = fields[0] === 'type' && fields.length === 2;
  // The secret must not be guessable from a stored key.
  const content =
    isAll && pieces !== undefined ? pieces : cutAt(String(presented), toJson({ type, payload }));
  return sha256(JSON.stringify(whose), ...content);
}

/** The native writer recurses, and runs out of stack on a body that is nested a few thousand levels deep. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return deepToJson(value);
    throw error;
  }
}

/** Text that is finished. No JSON value is a function. */
type Text = () => string;

/** Writes what `JSON.stringify` would, for values that JSON can hold, without recursion. */
function deepToJson(root: unknown): string {
  let written = '';
  /** The values that are still to be written, the next one at the end. */
  const left: unknown[] = [root];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'function') written += (next as Text)();
    else if (typeof next !== 'object' || next === null) written += JSON.stringify(next);
    else for (const part of partsOf(next).reverse()) left.push(part);
  }
  return written;
}

function partsOf(value: object): unknown[] {
  const isArray = Array.isArray(value);
  const parts: unknown[] = [];
  for (const [key, field] of Object.entries(value)) {
    const comma = parts.length > 0 ? ',' : '';
    parts.push(() => (isArray ? comma : `${comma}${JSON.stringify(key)}:`), field);
  }
  return [() => (isArray ? '[' : '{'), ...parts, () => (isArray ? ']' : '}')];
}

interface NodeCrypto {
  /** In one step, in a third of the time of an object that is updated. */
  readonly hash?: (name: 'sha256', text: string, form: 'hex') => string;
  readonly createHash: (name: 'sha256') => Hash;
}

interface Hash {
  update(text: string): Hash;
  digest(form: 'hex'): string;
}

/**
 * Undefined where there is WebCrypto alone. Looked up for each text, which costs next to nothing, and not while this
 * module loads: Node takes three milliseconds to load its own module, which most programs that start never need.
 */
function findNodeCrypto(): NodeCrypto | undefined {
  // The cast reads what Node has since 20.16 and 22.3, and some other runtimes.
  const { process } = globalThis as {
    readonly process?: { readonly getBuiltinModule?: (name: string) => NodeCrypto | undefined };
  };
  return process?.getBuiltinModule?.('crypto');
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** Characters of a text up to which it takes less time to join it to others than to update an object with each. */
const MAX_JOINED = 16_384;

/** SHA-256 of texts in UTF-8, a NUL between them, as 64 hexadecimal digits. No JSON text holds a NUL. */
export function sha256(...texts: readonly string[]): Later<string> {
  // WebCrypto copies every text and sends it to another thread, which takes longer than hashing it here does.
  const native = findNodeCrypto();
  if (native && texts.some(({ length }) => length > MAX_JOINED)) {
    const [first = '', ...others] = texts;
    const hash = native.createHash('sha256').update(first);
    for (const text of others) hash.update('\0').update(text);
    return hash.digest('hex');
  }
  const text = texts.join('\0');
  const hashed = native?.hash?.('sha256', text, 'hex');
  if (hashed !== undefined) return hashed;
  return after(crypto.subtle.digest('SHA-256', encoder.encode(text)), (digest) =>
    Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join(''),
  );
}
