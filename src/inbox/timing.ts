// Times that every engine keeps to.

/** Milliseconds for which a worker takes nothing after its storage failed. An immediate retry would fail too. */
export const PAUSE_MS = 1_000;
/** Milliseconds after the grace in which an engine records the ends of runs. */
export const RECORD_MS = 2_000;
