/** The state of an inbox. */
export interface InboxHealth<Warning extends string = string> extends InboxCounts {
  /** Whether an event can be stored: the storage takes writes, and has room. */
  readonly ready: boolean;
  /** The number of events that are still to be handled: `waiting`, `active` and `retrying` together. */
  readonly depth: number | undefined;
  /**
   * Names each risk to stored events, and the reason if `ready` is false. Each kind is also logged once, at `warn`.
   */
  readonly warnings: InboxWarnings<Warning | SharedWarning>;
}

/** Counts the events and workers of an inbox. A count is undefined if it is not known. */
export interface InboxCounts {
  /** The number of events that wait for a worker. */
  readonly waiting: number | undefined;
  /** The number of events whose handlers run, or whose worker has just died. */
  readonly active: number | undefined;
  /** The number of events that wait until a certain time, for a retry. */
  readonly retrying: number | undefined;
  /**
   * The number of waiting events whose type has no handler. They are a part of `depth`.
   *
   * In a file or in Postgres: no handler in this process, and undefined if it has no worker. On Redis: no handler in
   * the workers that came to them, nor in this process, and undefined if none is connected.
   */
  readonly unhandled: number | undefined;
  /** The number of dead letters: events that could not be handled, and are kept. */
  readonly deadLetters: number | undefined;
  /**
   * Milliseconds since the oldest waiting event was received; 0 if none waits.
   *
   * On Redis, only the events that are next in line or due first are looked at.
   */
  readonly oldestMs: number | undefined;
  /** Workers in all processes. In a file or in Postgres, one that was killed counts until its lock has expired. */
  readonly workers: number | undefined;
}

/** The kind of a warning that every inbox may have, beside those of its storage. */
export type SharedWarning =
  /** The storage does not respond, or the inbox is closed. */
  | 'unreachable'
  /** The storage takes no write. */
  | 'refused'
  /** The storage has no room: events are stored again when there is some. */
  | 'full'
  /** A worker of this process cannot take events, and so handles nothing. */
  | 'worker'
  /** Events have waited for a minute, and no worker is connected. */
  | 'workers';

/** Milliseconds for which events may wait without a worker, as in a deploy. */
export const UNATTENDED_MS = 60_000;

/** Warnings by their kind. */
export type InboxWarnings<Warning extends string> = Readonly<Partial<Record<Warning, string>>>;

/** The counts of an inbox whose storage does not respond. */
export const UNKNOWN: InboxCounts = {
  waiting: undefined,
  active: undefined,
  retrying: undefined,
  unhandled: undefined,
  deadLetters: undefined,
  oldestMs: undefined,
  workers: undefined,
};

/** Describes the state of an inbox from what it counts and warns of. */
export function toHealth<Warning extends string>(
  counts: InboxCounts,
  warnings: InboxWarnings<string>,
): InboxHealth<Warning> {
  // The last one is of a file.
  const { unreachable, refused, full, gone } = warnings;
  const { waiting, active, retrying } = counts;
  const isKnown = waiting !== undefined && active !== undefined && retrying !== undefined;
  return {
    ready: (unreachable ?? refused ?? full ?? gone) === undefined,
    depth: isKnown ? waiting + active + retrying : undefined,
    ...counts,
    // Those of the engine, and shared ones: the compiler does not join records whose keys depend on a parameter.
    warnings: { ...warnings, ...findNobody(counts) } as InboxWarnings<Warning | SharedWarning>,
  };
}

/** Warns of events that nobody takes: no worker runs, or it looks at another path, schema or queue. */
function findNobody({ workers, waiting, retrying, oldestMs }: InboxCounts): InboxWarnings<SharedWarning> {
  const wait = (waiting ?? 0) + (retrying ?? 0);
  if (workers !== 0 || wait === 0 || (oldestMs ?? 0) < UNATTENDED_MS) return {};
  return {
    workers: `Events wait (${wait}), and no worker is connected. Call inbox.work with the same path, schema or queue.`,
  };
}

/** Describes a storage without room, by how full it is. */
export function describeFull(use: string): string {
  return `No event is stored until there is room: ${use}.`;
}
