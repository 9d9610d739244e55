import type { Region } from '../ground/regions.js';

/** The id of a record that is there: the given one, or else the first. */
export function existingId(
  region: Region,
  kind: string,
  records: ReadonlyMap<string, unknown>,
  given: string | undefined,
): string {
  const id = given ?? records.keys().next().value;
  if (id === undefined) throw new TypeError(`Region ${region} has no ${kind} yet: add one first.`);
  if (!records.has(id)) throw new TypeError(`Region ${region} has no ${kind} with the id "${id}".`);
  return id;
}
