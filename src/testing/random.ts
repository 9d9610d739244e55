/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The 99th percentile of the standard normal distribution. */
const Z99 = 2.3263;

/** Draws one latency, in milliseconds. */
export function drawLatency(
  ms:
    | number
    | { readonly from: number; readonly to: number }
    | { readonly median: number; readonly p99: number },
  random: () => number,
): number {
  if (typeof ms === 'number') return ms;
  if ('from' in ms) return ms.from + random() * (ms.to - ms.from);
  const spread = Math.log(ms.p99 / ms.median) / Z99;
  return ms.median * Math.exp(spread * standardNormal(random));
}

/** The Box-Muller transform: makes one normally distributed number of two evenly distributed ones. */
function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
