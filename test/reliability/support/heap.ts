import { bytesInUse } from '../../support/memory.js';

/** Follows the memory of the process while something runs, and tells the most that it rose by, in bytes. */
export async function peakRise(run: () => Promise<unknown>): Promise<number> {
  // Collects what earlier tests have left.
  bytesInUse();
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
