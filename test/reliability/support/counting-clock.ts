import type { Clock } from 'agent-platform-sdk';

/**
 * The runtime's clock, with a count of the timers that are set: those of the receiver do not keep a process alive.
 *
 * @param slowdown - The milliseconds that pass while one of the clock's does.
 */
export function countingClock(slowdown = 1): { readonly clock: Clock; readonly pending: () => number } {
  const timers = new Set<NodeJS.Timeout>();
  const clock: Clock = {
    now: () => Date.now() / slowdown,
    setTimeout: (callback, ms) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        callback();
      }, ms * slowdown);
      timers.add(timer.unref());
      return timer;
    },
    clearTimeout: (handle) => {
      // The handles are those that were made above.
      const timer = handle as NodeJS.Timeout;
      timers.delete(timer);
      clearTimeout(timer);
    },
  };
  return { clock, pending: () => timers.size };
}
