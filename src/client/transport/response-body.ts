import { ByteJoiner } from '../../ground/byte-joiner.js';
import type { Issue } from '../../ground/issues.js';
import type { Settings } from '../settings.js';
import type { Deadline } from './deadline.js';

/** The part of a body that was read, with the failure that cut it short, if one did. */
export interface BodyText {
  readonly text: string;
  /** The body was longer than the limit, and the rest was not read. */
  readonly tooLarge: boolean;
  /** The connection was cut, or the attempt ended, before the body did. */
  readonly failure?: unknown;
}

/**
 * Most bytes of an error's body that are read, where `maxResponseBytes` allows more: 1 MiB. The specification's holds a message
 * and a few issues.
 */
const MAX_ERROR_BYTES = 2 ** 20;

/**
 * Reads a body as text, up to a number of bytes after decompression. Never throws: what came before the end is
 * returned with the failure, since the start of an error page is worth showing.
 */
export async function readBody(
  response: Response,
  { maxResponseBytes, fetch }: Pick<Settings, 'maxResponseBytes' | 'fetch'>,
  deadline: Deadline,
): Promise<BodyText> {
  const maxBytes = response.ok ? maxResponseBytes : Math.min(maxResponseBytes, MAX_ERROR_BYTES);
  const { body, bodyUsed } = response;
  // Not every `fetch` gives a stream (React Native and node-fetch do not), and one that was read tells nothing.
  // `text()` of a `fetch` that ignores its signal could not be ended.
  const isCounted = fetch !== undefined || !fitsByLength(response, maxBytes);
  if (isCounted && !bodyUsed && typeof body?.getReader === 'function') {
    return readStream(body.getReader(), maxBytes, deadline);
  }
  try {
    // The response of the user's own `fetch` may be anything.
    const text = String(await deadline.race<unknown>(response.text()));
    // No text has more characters than bytes.
    const tooLarge = text.length > maxBytes;
    return { text: tooLarge ? text.slice(0, maxBytes) : text, tooLarge };
  } catch (failure) {
    return { text: '', tooLarge: false, failure };
  }
}

/**
 * HTTP itself enforces a declared length, unless the body is compressed: nothing has to be counted. Not for an error:
 * `text()` would lose the start of one that is cut off.
 */
function fitsByLength({ headers, ok }: Response, maxBytes: number): boolean {
  const length = headers.get('content-length');
  return ok && length !== null && Number(length) <= maxBytes && headers.get('content-encoding') === null;
}

async function readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  deadline: Deadline,
): Promise<BodyText> {
  const bytes = new ByteJoiner();
  const text = () => new TextDecoder().decode(bytes.joined);
  try {
    // One race for all chunks: each would leave something behind until the attempt ends.
    const size = await deadline.race(bytes.addFrom(reader, maxBytes));
    return { text: text(), tooLarge: size > maxBytes };
  } catch (failure) {
    return { text: text(), tooLarge: false, failure };
  } finally {
    // Ends the connection where the body was left unread; a reader that is done ignores it.
    reader.cancel().catch(() => undefined);
  }
}

/** Says of a body that it is not JSON. */
export const notJsonIssue = (text: string): Issue => ({
  path: [],
  code: 'not_json',
  message: `expected JSON, received ${describeBody(text)}`,
});

/** Names what came instead of the specification's body. */
export function describeBody(text: string): string {
  const start = text.trimStart().slice(0, 20);
  if (start === '') return 'an empty body';
  if (/^<(!doctype )?html/i.test(start)) return 'an HTML page';
  return /^[[{]/.test(start) ? 'broken or unexpected JSON' : 'text that is not JSON';
}
