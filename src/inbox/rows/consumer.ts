import { ClockWatch } from '../../utils/clock.js';
import { sleep, succeedsWithin } from '../../utils/waiting.js';
import { delayAfterStall } from '../delays.js';
import type { Consumer, InboxEvent, RecordedEnding, Runner } from '../engine.js';
import { stalledError, unhandledError } from '../failure.js';
import type { InboxReporter } from '../reporter.js';
import { PAUSE_MS, RECORD_MS } from '../timing.js';
import { Living } from './living.js';
import type { Rows, StallEnding } from './rows.js';

/** Milliseconds between two looks for workers that have died. */
const UPKEEP_MS = 1_000;
/** A pause of up to this many looks is normal, however short the locks are. */
const LOOKS_AWAY = 2.5;
/** Time limit for taking a worker off the list, in ms. */
const LEAVE_MS = 400;
/** A change of the storage's clock against ours up to this much, in ms, is the time that an answer took. */
const TOLERANCE_MS = 5_000;

/**
 * How long nothing is deleted after a start or a jump of a clock, in ms: the clock may be wrong for a while.
 *
 * Tests shorten it.
 */
export const SWEEPING = { quiet: 60_000 };

/** The parts of a consumer. */
export interface ConsumerParts<Event extends InboxEvent> {
  readonly rows: Rows<Event>;
  readonly runner: Runner;
  readonly reporter: InboxReporter;
  /** Milliseconds between two looks for events of other processes, and for retries that are due. */
  readonly pollInterval: number;
  /** Makes an error that is safe to log. */
  readonly clean: (error: unknown) => Error & { readonly code?: string };
}

/** Takes events for a worker, keeps their locks, and records the ends of their runs. */
export class RowConsumer<Event extends InboxEvent = InboxEvent> implements Consumer {
  readonly #parts: ConsumerParts<Event>;
  readonly #rows: Rows<Event>;
  /** The runs whose end is not recorded yet. */
  readonly #taken = new Set<Event>();
  /** The part of them that still runs, and has its lock. */
  readonly #running = new Set<Event>();
  /** Work that must end before it is closed. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #living = new Living();
  readonly #clock: ClockWatch;
  /** What is taken, but not here yet, must not be freed as unknown: takes and renewals go in turn. */
  #turn: Promise<void> = Promise.resolve();
  // Moments of `performance.now()`: the clock may be set while we run.
  #upkeepAt = 0;
  #renewAt = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #pausedUntil = 0;
  /** The time of the storage's clock less that of `performance`. */
  #offset: number | undefined;
  /** Nothing is freed before then, because the others may have been away too. */
  #quietUntil = 0;
  /** Nothing is deleted, or buried unhandled, before then. */
  #sweepFrom = 0;
  /** The others know that this worker lives. What it takes would be free at once otherwise. */
  #isListed = false;
  /** Why this worker takes nothing; undefined if the last look could have. */
  failure: string | undefined;
  #isKeeping = false;
  #isLooking = false;
  #mustLookAgain = false;
  #isClosing = false;
  #hasGivenUp = false;

  constructor(parts: ConsumerParts<Event>) {
    this.#parts = parts;
    this.#rows = parts.rows;
    const { lockDuration } = parts.runner.settings;
    const interval = Math.min(parts.pollInterval, lockDuration / 4);
    this.#clock = new ClockWatch(Math.max(lockDuration / 2, LOOKS_AWAY * parts.pollInterval));
    this.#timer = setInterval(() => this.wake(), interval);
    this.wake();
  }

  /** Looks for events, if there is a place for one, and for locks to renew. */
  wake(): void {
    if (this.#hasGivenUp) return;
    if (this.#clock.hasJumped()) this.#startOver();
    const now = performance.now();
    if (!this.#isKeeping && now >= this.#upkeepAt) this.#track(this.#upkeep(now));
    this.#mustLookAgain = true;
    if (!this.#isLooking && now >= this.#pausedUntil && this.#mayTake) this.#track(this.#look());
  }

  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    await succeedsWithin(this.#finishTasks(), grace + RECORD_MS);
    this.#hasGivenUp = true;
    clearInterval(this.#timer);
    await succeedsWithin(this.#rows.leave(), LEAVE_MS);
  }

  async #finishTasks(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  /** This worker is new, or it was away: blocked, asleep, or without its storage. */
  #startOver(): void {
    const now = performance.now();
    const { lockDuration } = this.#parts.runner.settings;
    this.#living.reset();
    this.#isListed = false;
    this.#upkeepAt = 0;
    this.#renewAt = 0;
    this.#quietUntil = now + lockDuration;
    this.#sweepFrom = now + Math.max(lockDuration, SWEEPING.quiet);
  }

  get #places(): number {
    if (this.#isClosing) return 0;
    return Math.max(this.#parts.runner.settings.concurrency - this.#running.size, 0);
  }

  get #mayTake(): boolean {
    return this.#isListed && this.#places > 0;
  }

  #track(task: Promise<void>): void {
    const tracked = task.finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }

  #inTurn(act: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Renews locks, and frees what dead workers ran. Its own locks first: after a pause, no run has stalled here. */
  async #upkeep(now: number): Promise<void> {
    // The ends of its runs are recorded: its locks are needed no more.
    if (this.#isClosing && this.#taken.size === 0) return;
    const { lockDuration } = this.#parts.runner.settings;
    this.#isKeeping = true;
    this.#upkeepAt = now + Math.min(UPKEEP_MS, lockDuration / 2);
    try {
      if (now >= this.#renewAt) await this.#renew(now);
      await this.#free();
    } catch (error) {
      this.#upkeepAt = performance.now() + PAUSE_MS;
      const failure = this.#report(error);
      if (!this.#isListed) this.failure = failure;
    }
    this.#isKeeping = false;
    this.wake();
  }

  /** Renews the locks, twice in their duration: both moments are those of the start of an upkeep. */
  async #renew(now: number): Promise<void> {
    const { lockDuration } = this.#parts.runner.settings;
    if (now - this.#renewedAt > lockDuration) this.#startOver();
    const [time] = await Promise.all([this.#rows.beat(), this.#inTurn(() => this.#keep())]);
    this.#renewedAt = now;
    const offset = time - performance.now();
    const wasSet = Math.abs(offset - (this.#offset ?? offset)) > TOLERANCE_MS;
    this.#offset = offset;
    if (wasSet) return this.#startOver();
    this.#renewAt = now + lockDuration / 2;
    this.#isListed = true;
    this.#track(this.#sweep());
  }

  async #keep(): Promise<void> {
    for (const event of await this.#rows.keep([...this.#taken], !this.#isListed)) {
      if (this.#running.delete(event)) this.#parts.runner.lockLost(event.key);
    }
  }

  /** Frees the events of workers that have died. */
  async #free(): Promise<void> {
    const dead = this.#living.findDead(await this.#rows.others());
    if (performance.now() < this.#quietUntil) return;
    const { runner, reporter } = this.#parts;
    for (const event of await this.#rows.free(dead, (stalled) => this.#endingOf(stalled))) {
      reporter.stalled(event.key);
      const isDead = event.stalls > runner.settings.maxStalls;
      if (isDead) runner.failedByEngine(event, stalledError(event.stalls), 'dead');
    }
  }

  /** Decides what becomes of an event that stalls once more. */
  #endingOf(event: Event): StallEnding {
    const { maxStalls, lockDuration } = this.#parts.runner.settings;
    const stalls = event.stalls + 1;
    const reason = stalledError(stalls).message;
    if (stalls > maxStalls) return { kind: 'dead', reason };
    return { kind: 'retry', reason, delay: delayAfterStall(stalls, lockDuration) };
  }

  /** Takes events until there are none, or no place. */
  async #look(): Promise<void> {
    this.#isLooking = true;
    try {
      while (this.#mustLookAgain && this.#mayTake) {
        this.#mustLookAgain = false;
        await this.#inTurn(async () => {
          const taken = await this.#rows.take(() => this.#places);
          for (const event of taken) this.#track(this.#run(event));
          if (taken.length > 0) this.#mustLookAgain = true;
        });
        this.failure = undefined;
      }
    } catch (error) {
      this.#pausedUntil = performance.now() + PAUSE_MS;
      this.failure = this.#report(error);
    }
    this.#isLooking = false;
  }

  /** Runs the handlers of one event, and records the end. */
  async #run(event: Event): Promise<void> {
    this.#taken.add(event);
    this.#running.add(event);
    try {
      const { ending, report } = await this.#parts.runner.run(event);
      this.#running.delete(event);
      // There is a place again. An event that is taken now shares a commit with the end of this run.
      this.wake();
      if (ending.kind !== 'lost' && (await this.#record(event, ending))) report();
    } finally {
      this.#running.delete(event);
      this.#taken.delete(event);
    }
  }

  /**
   * Records the end of a run. Returns whether to report it.
   *
   * Tries until the storage takes it, because the handlers would run again otherwise.
   */
  async #record(event: Event, ending: RecordedEnding): Promise<boolean> {
    const { reporter } = this.#parts;
    for (;;) {
      try {
        const recorded = await this.#rows.end(event, ending);
        if (recorded === 'lost') reporter.lockLost(event.key);
        if (recorded !== 'completed') return recorded === 'recorded';
        // A handler that throws after it has completed its event fails nothing.
        if (ending.kind === 'retry' || ending.kind === 'dead') reporter.failedLate(event.key);
        return ending.kind === 'done';
      } catch (error) {
        this.#report(error);
        if (this.#hasGivenUp) return false;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** Deletes old keys and dead letters, some at a time, and buries events that nobody handles. */
  async #sweep(): Promise<void> {
    if (performance.now() < this.#sweepFrom) return;
    try {
      while (!this.#isClosing && (await this.#rows.sweep()));
      const unhandled = unhandledError();
      for (const event of await this.#rows.buryUnhandled(unhandled.message)) {
        this.#parts.runner.failedByEngine(event, unhandled, 'dead');
      }
    } catch (error) {
      this.#report(error);
    }
  }

  /** Logs a failure of the storage, and returns its message. */
  #report(error: unknown): string {
    const failure = this.#parts.clean(error);
    this.#parts.reporter.storageFailed(failure);
    return failure.message;
  }
}
