// Needs --expose-gc, and a young generation so large that nothing is collected while allocations are counted.
import { PerformanceObserver } from 'node:perf_hooks';

const heapUsed = () => process.memoryUsage().heapUsed;
const settle = () => new Promise((resolve) => setImmediate(resolve));

export async function repeat(call, calls) {
  for (let done = 0; done < calls; done += 1) {
    await call();
    // As each call over a network does. A loop that never lets the event loop turn keeps what the runtime is to finalize.
    if (done % 100 === 0) await settle();
  }
  await settle();
}

export async function collectedHeap() {
  await settle();
  globalThis.gc();
  await settle();
  globalThis.gc();
  return heapUsed();
}

/** Kilobytes that one call allocates. */
export async function allocation(call, calls) {
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  await collectedHeap();
  observer.observe({ entryTypes: ['gc'] });
  const before = heapUsed();
  await repeat(call, calls);
  const after = heapUsed();
  collections += observer.takeRecords().length;
  observer.disconnect();
  if (collections > 0) throw new Error('collected while counting: the young generation is too small');
  return (after - before) / calls / 1024;
}
