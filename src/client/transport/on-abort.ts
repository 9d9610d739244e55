interface Group {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

const groups = /* @__PURE__ */ new WeakMap<AbortSignal, Group>();

/**
 * Calls back when a signal is aborted, until the returned function is called. All who wait for one signal share one
 * listener: a runtime that finds more than ten warns of a leak, and a program may end a thousand calls by one signal.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, notify } = groupOf(signal);
  callbacks.add(callback);
  // Does nothing where it listens already.
  signal.addEventListener('abort', notify);
  return () => {
    callbacks.delete(callback);
    if (callbacks.size === 0) signal.removeEventListener('abort', notify);
  };
}

function groupOf(signal: AbortSignal): Group {
  const known = groups.get(signal);
  if (known !== undefined) return known;
  const callbacks = new Set<() => void>();
  const notify = () => {
    for (const callback of callbacks) callback();
  };
  const group = { callbacks, notify };
  groups.set(signal, group);
  return group;
}
