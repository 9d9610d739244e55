/** One class of input: what is run, and the bytes of what it is given. */
export interface Probe {
  readonly run: (text: string) => unknown;
  readonly bytes: Buffer;
}

export const probe = (run: Probe['run'], text: string): Probe => ({
  run,
  bytes: Buffer.from(text, 'latin1'),
});

/** What tells two classes apart. */
export interface Comparison {
  /** Welch's t. */
  readonly t: number;
  /** How much longer the second class takes, in nanoseconds. */
  readonly difference: number;
  /** How long the first class takes, in nanoseconds. */
  readonly mean: number;
}

/** Calls in one measurement: more than the resolution of the clock. */
const CALLS = 20;

/** Measures two classes in random order, so that what the machine does meanwhile strikes both. */
export function compareTimes(probes: readonly [Probe, Probe], samples: number): Comparison {
  const times: readonly [number[], number[]] = [[], []];
  const warmUp = samples / 10;
  for (let count = -warmUp; count < samples * 2; count += 1) {
    const pick = Math.random() < 0.5 ? 0 : 1;
    const elapsed = measure(probes[pick]);
    if (count >= 0) times[pick].push(elapsed);
  }
  return welch(cropped(times[0], times), cropped(times[1], times));
}

function measure({ run, bytes }: Probe): number {
  // A text as a parser makes it: each one new, so that no engine has hashed or interned it.
  const texts = Array.from({ length: CALLS }, () => bytes.toString('latin1'));
  const start = process.hrtime.bigint();
  for (const one of texts) run(one);
  return Number(process.hrtime.bigint() - start) / CALLS;
}

/** Without the slowest tenth of both classes together: interruptions, collections. */
function cropped(times: readonly number[], all: readonly (readonly number[])[]): number[] {
  const sorted = all.flat().sort((one, other) => one - other);
  const limit = sorted[Math.floor(sorted.length * 0.9)] ?? Number.POSITIVE_INFINITY;
  return times.filter((time) => time <= limit);
}

function welch(one: readonly number[], other: readonly number[]): Comparison {
  const [first, second] = [momentsOf(one), momentsOf(other)];
  const difference = second.mean - first.mean;
  const t = difference / Math.sqrt(first.variance / one.length + second.variance / other.length);
  return { t, difference, mean: first.mean };
}

function momentsOf(times: readonly number[]): { readonly mean: number; readonly variance: number } {
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  const variance = times.reduce((sum, time) => sum + (time - mean) ** 2, 0) / (times.length - 1);
  return { mean, variance };
}
