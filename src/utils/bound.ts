/** Makes the methods of an object work without it: `const { store } = inbox`. */
export function bindMethods(object: object): void {
  for (
    let owner = Object.getPrototypeOf(object);
    owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (typeof value !== 'function' || name === 'constructor' || Object.hasOwn(object, name)) continue;
      Object.defineProperty(object, name, { value: value.bind(object), configurable: true, writable: true });
    }
  }
}
