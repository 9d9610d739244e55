import { randomNumbers } from '../../../src/testing/random.js';

/** The seed of this run. The command prints it; `RELIABILITY_SEED` repeats it. */
export const seed = Number(process.env.RELIABILITY_SEED ?? 1);

/** True in the long form, which takes minutes where the short one takes seconds. */
export const long = process.env.RELIABILITY_LONG === '1';

/** Picks the value for this form: a number of calls, of events, of milliseconds. */
export const inForm = <Value>(values: { readonly short: Value; readonly long: Value }): Value =>
  long ? values.long : values.short;

/** For `test.each`: once in the short form, ten times in the long one. */
export const rounds: readonly number[] = Array.from(
  { length: inForm({ short: 1, long: 10 }) },
  (_, round) => round + 1,
);

/** Numbers from 0 to 1, the same for the same seed and name, whatever other tests draw. */
export function seededRandom(name: string): () => number {
  let mixed = seed;
  for (const letter of name) mixed = Math.imul(mixed ^ letter.charCodeAt(0), 0x01000193);
  return randomNumbers(mixed);
}

/** One of a list. */
export function draw<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to draw from');
  return item;
}

/** Parameters of `fc.assert`: the seed of the run, and ten times as many runs in the long form. */
export const fcParameters = (numRuns = 100) => ({
  seed,
  numRuns: inForm({ short: numRuns, long: numRuns * 10 }),
});
