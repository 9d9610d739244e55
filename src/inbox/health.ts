/** The state of an inbox. */
export interface InboxHealth<Warning extends string = string> {
  /** Whether an event can be stored: the storage takes writes, and has room. */
  readonly ready: boolean;
  /** The number of events that are still to be handled: `waiting`, `active` and `retrying` together. */
  readonly depth: number;
  /** The number of events that wait for a worker. */
  readonly waiting: number;
  /** The number of events whose handlers run, or whose worker has just died. */
  readonly active: number;
  /** The number of events that wait until a certain time: for a retry, or for a worker that has a handler. */
  readonly retrying: number;
  /** The number of dead letters: events that could not be handled, and are kept. */
  readonly deadLetters: number;
  /**
   * Milliseconds since the receipt of the oldest event that waits; 0 if there is none. On Redis, of those that
   * are next in line or due first.
   */
  readonly oldestMs: number;
  /** Connected workers in all processes; undefined if that is not known. */
  readonly workers: number | undefined;
  /** What endangers stored events, and why `ready` is false. Each kind is also logged once, at `warn`. */
  readonly warnings: InboxWarnings<Warning>;
}

/** Warnings by their kind. */
export type InboxWarnings<Warning extends string> = Readonly<Partial<Record<Warning, string>>>;

/** What an inbox counts. */
export type InboxCounts = Omit<InboxHealth, 'ready' | 'depth' | 'warnings'>;

/** Warnings that keep an inbox from storing events. */
type Obstacle = 'unreachable' | 'refused' | 'full';

const NOTHING: InboxCounts = {
  waiting: 0,
  active: 0,
  retrying: 0,
  deadLetters: 0,
  oldestMs: 0,
  workers: undefined,
};

/** Describes the state of an inbox from what it counts and warns of. */
export function toHealth<Warning extends string>(
  counts: InboxCounts,
  warnings: InboxWarnings<Warning | Obstacle>,
): InboxHealth<Warning | Obstacle> {
  const { unreachable, refused, full } = warnings as InboxWarnings<Obstacle>;
  return {
    ready: (unreachable ?? refused ?? full) === undefined,
    depth: counts.waiting + counts.active + counts.retrying,
    ...counts,
    warnings,
  };
}

/** Returns the state of an inbox whose storage does not respond. */
export function unreachableHealth(warning: string): InboxHealth<Obstacle> {
  return toHealth(NOTHING, { unreachable: warning });
}
