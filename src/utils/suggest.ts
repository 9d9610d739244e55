/** Returns what to try instead of an unknown name: `Did you mean "tools"?`, or the list of known names. */
export function hintFor(word: string, known: readonly string[], quote: '"' | '`' = '"'): string {
  return didYouMean(word, known, quote) ?? `Known: ${known.join(', ')}.`;
}

/** Returns `Did you mean "tools"?` for a name that is close to a known one, else undefined. */
export function didYouMean(
  word: string,
  known: readonly string[],
  quote: '"' | '`' = '`',
): string | undefined {
  const meant = closestName(word, known);
  return meant === undefined ? undefined : `Did you mean ${quote}${meant}${quote}?`;
}

/** Returns the known name that a wrong one was probably meant to be: `retries` gives `maxRetries`. */
export function closestName(word: string, known: readonly string[]): string | undefined {
  // A wrong name may be a whole document.
  if (word.length > 100) return undefined;
  const plain = plainName(word);
  const most = Math.ceil(plain.length * 0.4);
  const ranked = known
    .map((name) => ({ name, distance: editDistance(plain, plainName(name)) }))
    .sort((one, other) => one.distance - other.distance);
  // `webhookSecret` is `secret`, although `verifySecret` has fewer other letters.
  const found =
    ranked.find(({ name }) => containsOther(plain, plainName(name))) ??
    ranked.find(({ distance }) => distance <= most && distance < plain.length);
  return found?.name;
}

/** Without case and separators: `default_value` is `defaultValue`. */
export function plainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '');
}

/** Whether one name is a part of the other, and long enough to mean something. */
function containsOther(one: string, other: string): boolean {
  return Math.min(one.length, other.length) >= 4 && (one.includes(other) || other.includes(one));
}

/** The number of letters to insert, remove, replace or swap with a neighbour (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (from[index] === to[column - 1] ? 0 : 1);
      const inserted = (next[column - 1] ?? 0) + 1;
      const removed = (row[column] ?? 0) + 1;
      const isSwap = from[index] === to[column - 2] && from[index - 1] === to[column - 1];
      const swapped = isSwap && index > 0 && column > 1 ? (before[column - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, inserted, removed, swapped));
    }
    before = row;
    row = next;
  }
  return row.at(-1) ?? 0;
}
