interface Followers {
  readonly callbacks: Set<() => void>;
  readonly notify: () => void;
}

const followersOf = /* @__PURE__ */ new WeakMap<AbortSignal, Followers>();

/**
 * Follows the signal of a caller until it is released. Returns a signal that is aborted with it, for `fetch` and ky's
 * delays.
 *
 * A program may end a thousand calls by one signal, so they share one listener: Node warns at eleven
 * (https://github.com/nodejs/node/issues/46525). ky does not get the signal itself, because its
 * `AbortSignal.any` (2.1.0, core/Ky.js, `#createManagedSignal`) leaks on one that lives long
 * (https://github.com/nodejs/node/issues/55351, https://github.com/denoland/deno/issues/24842).
 */
export function followSignal(signal: AbortSignal) {
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
