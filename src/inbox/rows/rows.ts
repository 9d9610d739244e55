import type { Ending, InboxEvent, RecordedEnding } from '../engine.js';

/*
 * An engine of rows keeps each event in a row with a state: a file does, and so does a table of Postgres. Both share
 * the loop of `consumer.ts`, which polls, and asks the engine for nine things: `Rows`.
 *
 * | state | until |
 * |---|---|
 * | waiting | `take`: due at once, whatever a clock says |
 * | retrying | `take`: due at a time, after a failure or a stall |
 * | running | `end` by its run, `free` when its worker has died, `keep` when no run of it is known |
 * | dead | it is replayed or removed, or `sweep` deletes it |
 *
 * A handled event leaves only its key: in a file in a table of its own, in Postgres in a row with the state `done`.
 *
 * A row counts how often it was taken. That number distinguishes a late run from the present one.
 *
 * Each method may reject: the loop reports that, waits for a second, and asks again. All times are of one clock, the
 * storage's own: the loop only hands out delays. The changes that the loop asks for in one turn of the event loop may
 * share a transaction, as in a file; none needs another one of its turn.
 */

/** A worker, as its own process has last shown it. */
export interface WorkerBeat {
  readonly id: string;
  /** Counts up, as long as it lives. */
  readonly beat: number;
  /** Milliseconds without a beat after which it has died. */
  readonly lock: number;
}

/** What becomes of an event whose worker has died. */
export type StallEnding = Extract<Ending, { readonly kind: 'retry' | 'dead' }>;

/** What has become of the end of a run. */
export type Recorded =
  | 'recorded'
  /** The handler has completed the event in a transaction of its own. */
  | 'completed'
  /** Another run has the event, or it has ended otherwise. */
  | 'lost';

/** What one worker asks of the storage. It knows the worker's id and lock, and the types that it handles. */
export interface Rows<Event extends InboxEvent> {
  /**
   * Shows the other workers that this one lives. Must not wait for a connection that handlers use up.
   *
   * @returns The time of the storage's clock, in milliseconds since the Unix epoch.
   */
  beat(): Promise<number>;
  /** Returns the other workers of all processes. */
  others(): Promise<readonly WorkerBeat[]>;
  /**
   * Keeps the locks of runs, or takes them back if nobody else has them. Frees what else is marked as running here.
   *
   * Never called while `take` is under way.
   *
   * Makes retries due that are further ahead than their delay, because a clock was ahead when they were written.
   *
   * @param taken - All runs of this worker whose end is not recorded.
   * @param isAnew - The worker is new, or a clock was set.
   * @returns Those that are lost.
   */
  keep(taken: readonly Event[], isAnew: boolean): Promise<readonly Event[]>;
  /**
   * Takes events of the handled types, in the order in which they became runnable.
   *
   * @param places - Returns how many. Called as late as possible, because runs end all the time.
   */
  take(places: () => number): Promise<readonly Event[]>;
  /** Records the end of a run. */
  end(event: Event, ending: RecordedEnding): Promise<Recorded>;
  /**
   * Takes workers off the list, unless they have beaten since, and ends the runs of all that are not on it.
   *
   * @returns The events, with this stall.
   */
  free(dead: readonly WorkerBeat[], endingOf: (event: Event) => StallEnding): Promise<readonly Event[]>;
  /** Deletes some dead letters and remembered keys that are due. Returns whether there may be more. */
  sweep(): Promise<boolean>;
  /** Makes dead letters of events that nobody has handled within `deadLetterRetention`, and returns them. */
  buryUnhandled(reason: string): Promise<readonly Event[]>;
  /** Takes this worker off the list, before it closes. */
  leave(): Promise<unknown>;
}
