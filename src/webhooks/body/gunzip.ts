import { isBytes } from './decode.js';
import { toBytes, type UnverifiedBody } from './reading.js';
import { readStream } from './streams.js';

/**
 * Decompresses a body that a proxy has compressed by gzip, within the limits of any body. Others are returned.
 *
 * Known by its first bytes (RFC 1952, 2.3.1), which no JSON has: a server may have decompressed it already.
 */
export async function gunzip(body: unknown, unverified: UnverifiedBody): Promise<unknown> {
  if (!isBytes(body)) return body;
  const bytes = toBytes(body);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return body;
  return readStream(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')), unverified);
}
