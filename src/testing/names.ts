import { ConfigurationError } from '../errors/index.js';
import { didYouMean } from '../ground/suggest.js';

/** Refuses a name that is not in a list. */
export function checkName(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const meant = didYouMean(name, known);
  const hint = meant === undefined ? `Known: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  throw new ConfigurationError(`Unknown ${what} "${name}". ${hint}`, { option: what });
}
