import { isObject } from '../utils/json.js';
import { Rejection } from './outcomes.js';
import { candidatesIn, type FindOwner, type SecretOwner } from './secrets/find.js';
import type { FindKnownOwner } from './secrets/known.js';

/** A body that carries a valid secret. Its event may still be of any type and shape. */
export interface AuthenticBody extends Envelope {
  /** The owner of the secret. */
  readonly owner: SecretOwner;
  /** The text that was received; undefined if a body parser was in front. */
  readonly text: string | undefined;
}

/** The parts of an envelope (specification, 6.1) as they were received. */
interface Envelope {
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The secret in the payload. */
  readonly secret: unknown;
  /** The names of all fields of the envelope, in their order. */
  readonly fields: readonly string[];
}

/**
 * Authenticates a body by the secret in its payload.
 *
 * Rejects with a {@link Rejection}, or with what `findOwner` rejects with.
 */
export async function authenticate(
  body: unknown,
  findOwner: FindOwner,
  signal?: AbortSignal,
): Promise<AuthenticBody> {
  const steps = authenticationOf(body, (candidate) => findOwner(candidate, signal));
  let step = steps.next();
  while (step.done !== true) {
    const found = step.value;
    // Awaited only if need be: a body may contain a hundred thousand candidates.
    step = steps.next(found instanceof Promise ? await found : found);
  }
  return step.value;
}

/** The synchronous form of {@link authenticate}, for known secrets. */
export function authenticateSync(body: unknown, findOwner: FindKnownOwner): AuthenticBody {
  const steps = authenticationOf(body, findOwner);
  let step = steps.next();
  while (step.done !== true) step = steps.next(step.value);
  return step.value;
}

/** The steps of an authentication: yields what `findOwner` returns, and goes on with the owner. */
function* authenticationOf<Found>(
  body: unknown,
  findOwner: (candidate: unknown) => Found,
): Generator<Found, AuthenticBody, SecretOwner | undefined> {
  // 1. Look for a valid secret in the text. Without one it is not parsed, which would take many times as
  // long, and as much memory.
  const text = textOf(body);
  if (text !== undefined && text !== '') {
    let owner: SecretOwner | undefined;
    for (const candidate of candidatesIn(text)) {
      owner = yield findOwner(candidate);
      if (owner !== undefined) break;
    }
    if (owner === undefined) throw unverified(body, text.includes('workspaceSecret'));
  }

  // 2. Parse it.
  const value = text === undefined ? body : parseJson(text);
  if (value === undefined || isNodeStream(value)) throw new Rejection('not_json', sizeOf(body));
  const { type, payload, secret, fields } = envelopeOf(value);

  // 3. Verify the payload's own secret, which may be another than the one in the text.
  const owner = yield findOwner(secret);
  if (owner === undefined) throw unverified(body, secret !== undefined);
  return { type, payload, secret, fields, text, owner };
}

function unverified(body: unknown, hasSecret: boolean): Rejection {
  const hint = hasSecret
    ? 'Its `workspaceSecret` matches none of your secrets. ' +
      'Compare them with the workspace switcher of the dashboard.'
    : 'It has no `payload.workspaceSecret`, which every webhook of the service carries.';
  return new Rejection('verification_failed', sizeOf(body), hint);
}

const decoder = /* @__PURE__ */ new TextDecoder();
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Returns the text of a body; undefined if it is neither text nor bytes.
 *
 * Bytes that are not UTF-8 become replacement characters: a broken emoji in a chat must not cost an event.
 */
function textOf(body: unknown): string | undefined {
  if (typeof body !== 'string' && !isBytes(body)) return undefined;
  const text = typeof body === 'string' ? body : decoder.decode(body);
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** Parses a text; undefined if it is not JSON. Drops the parser's error, whose message quotes the body. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value is a Node stream that nobody has read. No JSON value has methods. */
function isNodeStream(value: unknown): boolean {
  return typeof (value as { readonly pipe?: unknown } | null)?.pipe === 'function';
}

/** Anything but an envelope carries no secret. */
function envelopeOf(value: unknown): Envelope {
  const envelope = isObject(value) ? value : {};
  const payload = isObject(envelope.payload) ? envelope.payload : {};
  return {
    type: envelope.type,
    payload,
    secret: Object.hasOwn(payload, 'workspaceSecret') ? payload.workspaceSecret : undefined,
    fields: Object.keys(envelope),
  };
}

/** Returns the bytes of a body as received; undefined if a body parser has made an object of it. */
export function sizeOf(body: unknown): number | undefined {
  if (isBytes(body)) return body.byteLength;
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : undefined;
}

/** Whether a body has more bytes than a limit. False for an object, whose size is unknown. */
export function exceeds(body: unknown, limit: number): boolean {
  // A UTF-16 unit takes at most three bytes, so most bodies need no counting.
  if (typeof body === 'string' && body.length * 3 <= limit) return false;
  return (sizeOf(body) ?? 0) > limit;
}

/** Not by `instanceof`: the Buffer of another realm, such as Jest's, is another class (jestjs/jest#4422). */
function isBytes(body: unknown): body is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}
