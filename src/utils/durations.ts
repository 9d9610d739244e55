import type { LeveledLogger } from './logger.js';

/** A duration below this was probably meant in seconds, hours or days. */
const LEAST_MS = 1_000;

/** Durations by the names of their options. */
type Durations = Readonly<Record<string, number | undefined>>;

/** Describes durations that look like another unit. */
export function unitProblems(durations: Durations): readonly string[] {
  return Object.entries(durations).flatMap(([name, duration]) =>
    duration === undefined || duration === 0 || duration >= LEAST_MS
      ? []
      : [`${name} is ${duration} milliseconds, which is short. Is it in another unit?`],
  );
}

/** Warns once of durations that look like another unit. They are not refused, because tests use short ones. */
export function warnOfUnits(log: LeveledLogger, of: string, durations: Durations): void {
  for (const problem of unitProblems(durations)) log.warnOnce(`${of}: ${problem}`);
}
