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

/** A text as chunks of one byte each, and how many bytes of memory their receiver holds for each. */
export function byteByByte(text: string): {
  readonly chunks: Iterable<Uint8Array>;
  readonly heldPerByte: () => number;
} {
  const bytes = Buffer.from(text);
  let held = 0;
  function* split(): Generator<Uint8Array> {
    const before = bytesInUse();
    for (let at = 0; at < bytes.length; at += 1) yield bytes.subarray(at, at + 1);
    held = (bytesInUse() - before) / bytes.length;
  }
  return { chunks: split(), heldPerByte: () => held };
}

/** The chunks as the stream of a body. */
export const streamOf = (chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> =>
  // Node's own type of it, which is the same at run time.
  Readable.toWeb(Readable.from(chunks, { objectMode: false })) as ReadableStream<Uint8Array>;
