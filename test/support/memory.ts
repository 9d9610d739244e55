import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
/** Collects garbage. The flag takes effect in contexts that are created after it is set. */
export const collectGarbage = runInNewContext('gc') as () => void;

/** Bytes in use after garbage collection: objects and their buffers. */
export function bytesInUse(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Memory held for each byte of a text that arrives byte by byte, in bytes: the least of three rounds. */
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
