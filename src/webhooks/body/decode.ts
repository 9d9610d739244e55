import { kindOf } from '../../utils/issues.js';

/** A body, decoded if it is text or bytes. */
export interface DecodedBody {
  /** The text; undefined if a body parser was in front. */
  readonly text: string | undefined;
  /** What the parser has made of it. */
  readonly parsed: unknown;
  /** Bytes as received; undefined if it did not come as bytes. */
  readonly byteLength: number | undefined;
  /** The headers it came with, in the form of its server. */
  readonly headers: unknown;
}

/** Made on first use: Jest's jsdom has none, and a package that only loads must not fail (jest#10431). */
let decoder: TextDecoder | undefined;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Decodes a body.
 *
 * Bytes that are not UTF-8 become replacement characters: a broken emoji in a chat must not cost an event.
 */
export function decodeBody(body: unknown, headers?: unknown): DecodedBody {
  const byteLength = isBytes(body) ? body.byteLength : undefined;
  decoder ??= new TextDecoder();
  const text = isBytes(body) ? decoder.decode(body) : body;
  if (typeof text !== 'string') return { text: undefined, parsed: text, byteLength, headers };
  const hasMark = text.charCodeAt(0) === BYTE_ORDER_MARK;
  return { text: hasMark ? text.slice(1) : text, parsed: undefined, byteLength, headers };
}

/** Not by `instanceof`: the Buffer of another realm, such as Jest's, is another class (jestjs/jest#4422). */
export function isBytes(body: unknown): body is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(body) || kindOf(body) === 'ArrayBuffer';
}

/** Returns the bytes of a body; undefined if a body parser has made an object of it. */
export function sizeOf({ text, byteLength }: DecodedBody): number | undefined {
  return byteLength ?? (text === undefined ? undefined : new TextEncoder().encode(text).byteLength);
}

/** Whether a body has more bytes than a limit. False for an object, whose size is unknown. */
export function exceeds(body: DecodedBody, limit: number): boolean {
  // A UTF-16 unit takes at most three bytes, so most bodies need no counting.
  return (body.text ?? '').length * 3 > limit && (sizeOf(body) ?? 0) > limit;
}

/** Returns the most memory that the text of a body takes: two bytes a character, or one if all are ASCII. */
export function memoryOf({ text = '', byteLength }: DecodedBody): number {
  return text.length === byteLength ? text.length : 2 * text.length;
}
