import { Readable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects what nobody holds any more. The flag takes effect in contexts that are made after it. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after a collection: objects, and the buffers they hold. */
export function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Counts the bytes of memory that a receiver holds for each byte of a text that comes in chunks of one: the least of three rounds. */
export async function heldPerByte(
  text: string,
  receive: (chunks: Iterable<Uint8Array>) => Promise<unknown>,
): Promise<number> {
  const bytes = Buffer.from(text);
  const held: number[] = [];
  function* split(): Generator<Uint8Array> {
    const before = bytesInUse();
    for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
    held.push((bytesInUse() - before) / bytes.length);
  }
  for (let count = 0; count < 3; count += 1) await receive(split());
  if (held.length < 3) throw new Error('the chunks were not read to their end');
  return Math.min(...held);
}

/** The chunks as the stream of a body. */
export const streamOf = (chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> =>
  // Node's own type of it, which is the same at run time.
  Readable.toWeb(Readable.from(chunks, { objectMode: false })) as ReadableStream<Uint8Array>;
