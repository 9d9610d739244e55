import { delayAfterStall } from '../inbox/delays.js';
import type { Consumer, Ending, Runner } from '../inbox/engine.js';
import { NoHandlerError, stalledError } from '../inbox/failure.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { PAUSE_MS, RECORD_MS } from '../inbox/timing.js';
import { ClockWatch } from '../utils/clock.js';
import { parseJson } from '../utils/json.js';
import { sleep, succeedsWithin } from '../utils/waiting.js';
import type { DeadEnd, EventRow } from './events.js';
import { cleanError, isBusy, isDamage } from './failure.js';
import type { InboxFile } from './file.js';
import { Living } from './living.js';
import type { SqliteSettings } from './options.js';

/** Milliseconds between two looks for events of other processes, and for retries that are due. */
const POLL_MS = 100;
/** Milliseconds between two looks for workers that have died. */
const UPKEEP_MS = 1_000;
/** A pause between two looks up to this long, in ms, is normal, however short the locks are. */
const LEAST_AWAY_MS = 250;
/**
 * How long nothing is deleted after a start or a jump of a clock, in ms: the clock may be wrong for a while.
 *
 * Tests shorten it.
 */
export const SWEEPING = { quiet: 60_000 };
/** The largest number of keys or dead letters that are deleted in one transaction. */
const SWEEP_SIZE = 500;

/** The parts of a consumer. */
export interface ConsumerParts {
  readonly file: InboxFile;
  readonly settings: SqliteSettings;
  readonly reporter: InboxReporter;
  readonly runner: Runner;
  /** Called when it has closed. */
  readonly onClosed: () => void;
}

/** Takes events for a worker, keeps their locks, and records the ends of their runs. */
export class RowConsumer implements Consumer {
  readonly #parts: ConsumerParts;
  readonly #id = crypto.randomUUID();
  /** The runs whose end is not recorded yet. */
  readonly #taken = new Set<EventRow>();
  /** The part of them that still runs, and has its lock. */
  readonly #running = new Set<EventRow>();
  /** Work that must end before it is closed. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #upkeepInterval: number;
  readonly #living = new Living();
  readonly #clock: ClockWatch;
  // Moments of `performance.now()`: the clock may be set while we run.
  #upkeepAt = 0;
  #renewAt = 0;
  #pausedUntil = 0;
  /** Nothing is freed before then, because the others may have been away too. */
  #quietUntil = 0;
  /** Nothing is deleted, or buried unhandled, before then. */
  #sweepFrom = 0;
  /** How many damaged events are skipped, one more after each failure; undefined without damage. */
  #damaged: number | undefined;
  #isLooking = false;
  #isClosing = false;
  #hasGivenUp = false;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    const { lockDuration } = parts.runner.settings;
    this.#clock = new ClockWatch(Math.max(lockDuration / 2, LEAST_AWAY_MS));
    this.#upkeepInterval = Math.min(UPKEEP_MS, lockDuration / 2);
    this.#timer = setInterval(() => this.wake(), Math.min(POLL_MS, lockDuration / 4));
    this.#return();
  }

  /** Starts over: this worker is new, or it was away. */
  #return(): void {
    this.#living.reset();
    this.#upkeepAt = 0;
    this.#renewAt = 0;
    const { lockDuration } = this.#parts.runner.settings;
    this.#quietUntil = performance.now() + lockDuration;
    this.#sweepFrom = performance.now() + Math.max(lockDuration, SWEEPING.quiet);
  }

  /** The types of waiting events that have a handler here. */
  #types(): string[] {
    const { file, runner } = this.#parts;
    return file.events.types().filter((type) => runner.handles(type));
  }

  /** Whether events of a type have a handler here. */
  handles(type: string): boolean {
    return this.#parts.runner.handles(type);
  }

  /** Looks for events, if there is a place for one, and for locks to renew. */
  wake(): void {
    if (this.#clock.hasJumped()) this.#return();
    const now = performance.now();
    const isUpkeepDue = now >= this.#upkeepAt;
    if (this.#isLooking || now < this.#pausedUntil || (this.#places === 0 && !isUpkeepDue)) return;
    try {
      if (!isUpkeepDue && this.#next(1).length === 0) return;
      this.#isLooking = true;
      this.#track(this.#look(isUpkeepDue));
    } catch (error) {
      this.#pause(error);
    }
  }

  async close(grace: number): Promise<void> {
    this.#isClosing = true;
    await succeedsWithin(this.#settle(), grace + RECORD_MS);
    this.#hasGivenUp = true;
    clearInterval(this.#timer);
    this.#pausedUntil = Number.POSITIVE_INFINITY;
    const { file, onClosed } = this.#parts;
    await file.writeLast(() => file.events.withdraw(this.#id));
    onClosed();
  }

  async #settle(): Promise<void> {
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
  }

  get #places(): number {
    if (this.#isClosing) return 0;
    return Math.max(this.#parts.runner.settings.concurrency - this.#running.size, 0);
  }

  #next(limit: number, skip?: number): number[] {
    return this.#parts.file.events.next(this.#types(), Date.now(), limit, skip);
  }

  #track(task: Promise<void>): void {
    const tracked = task.finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }

  /** Renews locks and takes events. These steps are committed together, and none stops another. */
  async #look(isUpkeepDue: boolean): Promise<void> {
    const now = performance.now();
    if (isUpkeepDue) this.#upkeepAt = now + this.#upkeepInterval;
    // Its own locks first: what this worker still runs has not stalled, even if its event loop was blocked.
    const upkeep = isUpkeepDue ? [this.#renew(now), this.#release(now)] : [];
    const steps = [...upkeep, this.#take()];
    await Promise.all(steps.map((step) => step.catch((error: unknown) => this.#pause(error))));
    this.#isLooking = false;
    this.wake();
  }

  /** Renews the locks, twice in their duration: both moments are those of the start of a look. */
  async #renew(now: number): Promise<void> {
    if (now < this.#renewAt) return;
    const { file, runner, settings } = this.#parts;
    const { lockDuration } = runner.settings;
    const lost = await file.write(() => {
      const { events } = file;
      events.beat({ id: this.#id, lock: lockDuration }, Date.now());
      events.freeOthers(this.#taken, this.#id);
      events.bringBack(Date.now(), settings.backoff);
      return [...this.#running].filter((event) => !events.keep(event, this.#id));
    });
    this.#renewAt = now + lockDuration / 2;
    for (const event of lost) {
      this.#running.delete(event);
      runner.lockLost(event.key);
    }
    this.#track(this.#sweep());
  }

  /** Frees the events of workers that have died. */
  async #release(now: number): Promise<void> {
    const { file, runner, settings, reporter } = this.#parts;
    const { maxStalls, lockDuration } = runner.settings;
    const { events } = file;
    const dead = this.#living.findDead(events.workers().filter(({ id }) => id !== this.#id));
    const stalled = await file.write(() => {
      if (now < this.#quietUntil) return [];
      for (const { id, beat } of dead) events.withdraw(id, beat);
      return events.freed().map((event) => {
        const isLast = event.stalls >= maxStalls;
        if (isLast) events.buryStalled(event, deadEnd(event, settings, stalledError(maxStalls + 1).message));
        else events.stall(event, Date.now() + delayAfterStall(event.stalls + 1, lockDuration));
        return { ...event, stalls: event.stalls + 1, isLast };
      });
    });
    for (const { isLast, ...event } of stalled) {
      reporter.stalled(event.key);
      if (isLast) runner.failedByEngine(toTaken(event), stalledError(event.stalls), 'dead');
    }
  }

  /** Takes as many events as there are places when that is committed, and runs them. */
  async #take(): Promise<void> {
    if (this.#places === 0) return;
    const { file } = this.#parts;
    const take = () => {
      const next = this.#damaged === undefined ? this.#next(this.#places) : this.#next(1, this.#damaged);
      return file.events.take(next, this.#id);
    };
    const taken = await file.write(take).catch((error: unknown) => {
      if (isDamage(error)) this.#damaged = this.#damaged === undefined ? 0 : this.#damaged + 1;
      throw error;
    });
    for (const event of taken) this.#track(this.#run(event));
  }

  /** Runs the handlers of one event, and records the end. */
  async #run(event: EventRow): Promise<void> {
    this.#taken.add(event);
    this.#running.add(event);
    try {
      const { ending, report } = await this.#parts.runner.run(toTaken(event));
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
   * Records the end of a run.
   *
   * Tries until the file takes it, because the handlers would run again otherwise.
   */
  async #record(event: EventRow, ending: Ending): Promise<boolean> {
    const { file, settings, reporter } = this.#parts;
    for (;;) {
      try {
        const isRecorded = await file.write(() => this.#apply(event, ending, settings));
        if (!isRecorded) reporter.lockLost(event.key);
        return isRecorded;
      } catch (error) {
        this.#report(error);
        if (this.#hasGivenUp) return false;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** Changes the row as the ending says. Returns false if the run has lost its lock. */
  #apply(event: EventRow, ending: Ending, settings: SqliteSettings): boolean {
    const { events } = this.#parts.file;
    switch (ending.kind) {
      case 'done':
        return events.finish(event, event.received + settings.retention);
      case 'retry':
        return events.retry(event, Date.now() + ending.delay, ending.reason);
      case 'dead':
        return events.bury(event, deadEnd(event, settings, ending.reason));
      case 'given back':
        return events.giveBack(event);
      case 'lost':
        return false;
    }
  }

  /** Deletes old keys and dead letters, some at a time, and buries events that nobody handles. */
  async #sweep(): Promise<void> {
    const { file, runner, settings } = this.#parts;
    const { events } = file;
    if (performance.now() < this.#sweepFrom) return;
    try {
      while ((await file.write(() => events.sweep(Date.now(), SWEEP_SIZE))) === SWEEP_SIZE);
      const unhandled = new NoHandlerError();
      for (const type of events.types().filter((name) => !runner.handles(name))) {
        const before = Date.now() - settings.deadLetterRetention;
        const end = deadEnd({ received: before }, settings, unhandled.message);
        const bury = () => events.buryUnhandled(type, before, SWEEP_SIZE, end);
        for (const event of await file.write(bury)) runner.failedByEngine(toTaken(event), unhandled, 'dead');
      }
    } catch (error) {
      this.#report(error);
    }
  }

  /** Pauses polling: an immediate retry would fail too. */
  #pause(error: unknown): void {
    this.#pausedUntil = performance.now() + PAUSE_MS;
    this.#report(error);
  }

  #report(error: unknown): void {
    // Busy: another process recovers the file. The file reports damage itself.
    if (isBusy(error) || isDamage(error)) return;
    this.#parts.reporter.storageFailed(cleanError(error));
  }
}

function toTaken({ key, type, data, received, failures, stalls }: EventRow) {
  return { key, type, data: parseJson(data), receivedAt: received, failures, stalls };
}

/** Describes an event that becomes a dead letter now. A clock that is behind must not shorten its time. */
function deadEnd(
  { received }: Pick<EventRow, 'received'>,
  { deadLetterRetention }: SqliteSettings,
  reason: string,
): DeadEnd {
  const now = Math.max(Date.now(), received);
  return { now, keptUntil: now + deadLetterRetention, reason };
}
