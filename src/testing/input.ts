import * as z from 'zod/mini';
import { ConfigurationError } from '../errors/index.js';
import { didYouMean } from '../ground/suggest.js';

/** Refuses a name that is not in a list. */
export function checkName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  throw new ConfigurationError(`Unknown ${what} "${name}". ${hint}`, { option: what });
}

/** A number within bounds. */
/* @__NO_SIDE_EFFECTS__ */
export function numberFrom(least: number, most: number): z.ZodMiniType<number, number> {
  return z.custom<number>(
    (value) => typeof value === 'number' && value >= least && value <= most,
    `must be a number from ${least} to ${most}`,
  );
}

/** A whole number within bounds. */
/* @__NO_SIDE_EFFECTS__ */
export function integerFrom(least: number, most: number): z.ZodMiniType<number, number> {
  return z.custom<number>(
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    `must be a whole number from ${least} to ${most}`,
  );
}
