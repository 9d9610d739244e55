import type { StoredWebhook } from '../webhooks/inbox.js';
import type { DeadLetterStorage } from './dead-letters.js';
import type { InboxCounts, InboxWarnings, SharedWarning } from './health.js';
import type { WorkSettings } from './options.js';

// An engine keeps the events of an inbox. `src/sqlite`, `src/postgres` and `src/bullmq` are engines.

/** An event that a worker runs. */
export interface InboxEvent {
  readonly key: string;
  /** The type under which it was stored. */
  readonly type: string;
  /** The event as it was stored. Another application may have written it. */
  readonly data: unknown;
  /** The time at which it was received, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /** The number of its runs that failed. */
  readonly failures: number;
  /** The number of its runs that lost their worker or their lock. */
  readonly stalls: number;
}

/** The end of a run, for the engine to record. */
export type Ending =
  /** No further run is needed. */
  | { readonly kind: 'done' }
  /** The run failed, and the event runs again after a delay, in ms. */
  | { readonly kind: 'retry'; readonly reason: string; readonly delay: number }
  /** The run failed for good: the event becomes a dead letter. */
  | { readonly kind: 'dead'; readonly reason: string }
  /** The worker closed first: the event goes back to the front of the queue, and keeps its attempts. */
  | { readonly kind: 'given back' }
  /** Another run has taken the event over, and records the end. */
  | { readonly kind: 'lost' };

/** An end that is recorded. */
export type RecordedEnding = Exclude<Ending, { readonly kind: 'lost' }>;

/** A run that has ended. */
export interface EndedRun {
  readonly ending: Ending;
  /** Call it once the ending is recorded: logs it, and calls the hooks. */
  readonly report: () => void;
}

/** Runs the events that an engine takes. */
export interface Runner {
  readonly settings: WorkSettings;
  /**
   * Whether the worker runs events of this type. Logs a type without a handler once.
   *
   * Events of other types wait for a worker that does, and keep their attempts. If nobody has run one within
   * `deadLetterRetention` of its receipt, the engine makes it a dead letter: `failedByEngine`,
   * `unhandledError`.
   */
  handles(type: string): boolean;
  /** Runs the handlers of an event. Never rejects. An older run of it in this worker has lost its lock. */
  run(event: InboxEvent): Promise<EndedRun>;
  /** Returns the runs of an event here, with their handlers: one that has lost its lock may go on. */
  runsOf(key: string): readonly { readonly event: InboxEvent; readonly handlers: number }[];
  /** Aborts the run of an event, because its lock could not be renewed. */
  lockLost(key: string): void;
  /**
   * Reports an event that the engine has failed itself.
   *
   * Its locks were lost too often, no worker had a handler for it, or BullMQ has failed its job.
   */
  failedByEngine(event: InboxEvent, error: Error, becomes: 'retry' | 'dead'): void;
}

/** A worker's side of an engine. It has started. */
export interface Consumer {
  /** Why it takes no events; undefined if it may. */
  readonly failure: string | undefined;
  /** Looks for events: one was stored in this process. */
  wake?(): void;
  /**
   * Takes no more events. Resolves when the end of each run is recorded, or cannot be.
   *
   * @param grace - Milliseconds after which the runner ends all runs.
   */
  close(grace: number): Promise<void>;
}

/** The counts and warnings that an engine finds. */
export interface FoundHealth<Warning extends string> {
  readonly counts: InboxCounts;
  readonly warnings: InboxWarnings<Warning | SharedWarning>;
}

/** Where an inbox keeps its events. */
export interface Engine<Warning extends string, Worker extends Consumer = Consumer> {
  readonly deadLetters: DeadLetterStorage;
  /**
   * Stores an event, unless its key is there already. Tried once.
   *
   * @param timeout - Milliseconds until nobody waits for it any more.
   * @param json - The event as JSON.
   */
  store(event: StoredWebhook, timeout: number, json: string): Promise<void>;
  /** Whether storing may soon succeed: the storage is away, or full. */
  mayPass(error: unknown): boolean;
  /** Starts to give events to a worker. */
  consume(runner: Runner): Worker;
  /** Writes as `store` does, and leaves nothing behind. Rejects if the storage takes no event. */
  probe(timeout: number): Promise<unknown>;
  /**
   * Counts the events, and looks for what endangers them. Rejects if the storage does not respond.
   *
   * @param handles - Whether a worker of this process handles a type; undefined without a worker.
   */
  health(handles?: (type: string) => boolean): Promise<FoundHealth<Warning>>;
  /** Makes an error that is safe to log from one of the storage. */
  clean(error: unknown): Error & { readonly code?: string };
  close(): Promise<void>;
}
