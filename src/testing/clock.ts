import type { Clock } from '../webhooks/clock.js';

/** The runtime's own clock. Its timers keep a process alive: somebody is waiting for the answer. */
export const realClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  // The cast undoes what `Clock` widened.
  clearTimeout: (handle) => clearTimeout(handle as ReturnType<typeof setTimeout>),
};
