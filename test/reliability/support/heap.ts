/** Bytes in use after a collection: objects, and the buffers they hold. Needs `--expose-gc`. */
export function heapInUse(): number {
  if (globalThis.gc === undefined)
    throw new Error('run by `npm run test:reliability`, which exposes the collector');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Follows the memory of the process while something runs, and tells the most that it rose by, in bytes. */
export async function peakRise(run: () => Promise<unknown>): Promise<number> {
  heapInUse();
  const start = process.memoryUsage().rss;
  let peak = start;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage().rss);
  };
  const timer = setInterval(look, 5);
  try {
    await run();
  } finally {
    clearInterval(timer);
    look();
  }
  return peak - start;
}

export const MIB = 1024 * 1024;
