/** A value that is there, or will be. */
export type Later<Value> = Value | Promise<Value>;

/**
 * Goes on with a value: at once if it is there. What has nothing to wait for then costs no promise and no turn of the event
 * loop, which for a small webhook take longer than all else.
 */
export function after<Value, Next>(value: Later<Value>, goOn: (value: Value) => Later<Next>): Later<Next> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}

/** Makes a promise of anything else that can be awaited, such as the query of a database library. */
export function settling<Value>(value: Value): Later<Awaited<Value>> {
  const { then } = (value ?? {}) as { readonly then?: unknown };
  // Awaiting a value without `then` gives that value.
  return typeof then === 'function' ? Promise.resolve(value) : (value as Awaited<Value>);
}
