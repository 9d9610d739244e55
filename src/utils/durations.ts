import type { LeveledLogger } from './logger.js';

/** A duration below this was probably meant in seconds, hours or days. */
const LEAST_MS = 1_000;

/** Warns of durations that look like another unit. They are not refused, because tests use short ones. */
export function warnOfUnits(
  log: LeveledLogger,
  of: string,
  durations: Readonly<Record<string, number | undefined>>,
): void {
  for (const [name, duration] of Object.entries(durations)) {
    if (duration === undefined || duration === 0 || duration >= LEAST_MS) continue;
    log.log(
      'warn',
      () => `${of}: ${name} is ${duration} milliseconds, which is short. Is it in another unit?`,
    );
  }
}
