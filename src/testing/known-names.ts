/** Refuses a name that is not one of those that are known: what is misspelt would do nothing, silently. */
export function refuseUnknown(what: string, given: object, known: object): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known).join(', ');
    throw new TypeError(`${what} "${name}" is not known. Known: ${names}.`);
  }
}
