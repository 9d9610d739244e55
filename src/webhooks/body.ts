const decoder = /* @__PURE__ */ new TextDecoder();

/** A body that is JSON. */
export interface ParsedBody {
  readonly value: unknown;
  /** The text it came as; undefined where a body parser has made an object of it. */
  readonly text: string | undefined;
}

/**
 * Parses text or bytes, and returns nothing where they are not JSON. Anything else is what a body parser has already made,
 * and is taken as it is.
 *
 * Bytes that are not UTF-8 become replacement characters: a genuine event must not be lost over a broken emoji in a
 * chat. The parser's own error is not kept, because its message quotes the body.
 */
export function parseBody(body: unknown): ParsedBody | undefined {
  if (body === undefined) return undefined;
  const text = isBytes(body) ? decoder.decode(body) : body;
  if (typeof text !== 'string') return isStream(text) ? undefined : { value: text, text: undefined };
  try {
    const json = text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
    return { value: JSON.parse(json) as unknown, text: json };
  } catch {
    return undefined;
  }
}

const BYTE_ORDER_MARK = 0xfeff;

/** A stream of the Web or of Node, which nobody has read. No JSON value has methods. */
function isStream(body: object | null): boolean {
  const { getReader, pipe } = (body ?? {}) as { readonly getReader?: unknown; readonly pipe?: unknown };
  return typeof (getReader ?? pipe) === 'function';
}

/** Not by `instanceof`: a Buffer of another realm (a test runner's, a worker's) is bytes too. */
function isBytes(body: unknown): body is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}

/** Bytes of a body as it was received; undefined where a body parser has made an object of it. */
export function sizeOf(body: unknown): number | undefined {
  if (isBytes(body)) return body.byteLength;
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : undefined;
}

/** Whether a body is larger than a limit; of one that is already parsed, nothing cheap can tell. */
export function exceeds(body: unknown, limit: number): boolean {
  // No UTF-16 unit takes more than three bytes: most bodies need no counting.
  if (typeof body === 'string' && body.length * 3 <= limit) return false;
  return (sizeOf(body) ?? 0) > limit;
}
