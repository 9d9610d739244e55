/** The caller's signal, as one call follows it. */
export interface FollowedSignal {
  /** Aborted with the caller's signal, for `fetch` and the delays of ky; undefined if the caller gave none. */
  readonly signal: AbortSignal | undefined;
  /** Stops following the signal. */
  release(): void;
}

interface Followers {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

const followersOf = /* @__PURE__ */ new WeakMap<AbortSignal, Followers>();

/**
 * Follows the signal of a call until it is released.
 *
 * All calls with one signal share one listener: a runtime warns of a leak at eleven, and a program may end a thousand
 * calls by one signal. It is not handed to ky, whose `AbortSignal.any` leaks on a signal that lives long.
 */
export function followSignal(signal: AbortSignal | undefined): FollowedSignal {
  if (signal === undefined) return { signal, release: () => undefined };
  const controller = new AbortController();
  const callback = () => controller.abort();
  const followers = followersOf.get(signal) ?? follow(signal);
  followers.callbacks.add(callback);
  // Has no effect if it listens already.
  signal.addEventListener('abort', followers.notify);
  if (signal.aborted) callback();
  return {
    signal: controller.signal,
    release: () => {
      followers.callbacks.delete(callback);
      if (followers.callbacks.size === 0) signal.removeEventListener('abort', followers.notify);
    },
  };
}

function follow(signal: AbortSignal): Followers {
  const callbacks = new Set<() => void>();
  const followers = { callbacks, notify: () => callbacks.forEach((callback) => callback()) };
  followersOf.set(signal, followers);
  return followers;
}
