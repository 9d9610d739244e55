/**
 * Binds the methods of an object to it, so that they can be taken off it (stripe-node#273), and called on a Proxy
 * around it, such as Vue's `reactive` or a lazy singleton, which has no private fields (vuejs/core#8245,
 * langchainjs#8537).
 */
export function bindMethods(object: object): void {
  for (
    let at = Object.getPrototypeOf(object) as object;
    at !== Object.prototype;
    at = Object.getPrototypeOf(at) as object
  ) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      // That of a subclass comes first.
      if (typeof value !== 'function' || name === 'constructor' || Object.hasOwn(object, name)) continue;
      const bound: unknown = (value as () => unknown).bind(object);
      Object.defineProperty(object, name, { value: bound, writable: true, configurable: true });
    }
  }
}
