import { stalledError, unhandledError } from '../inbox/failure.js';
import { type CloseOptions, resolveGrace } from '../inbox/options.js';
import { MAX_TIMER_MS, sleep } from '../utils/waiting.js';
import type { EventRow } from './events.js';
import { fileFailure, isBusy, isDamage } from './failure.js';
import type { InboxFile } from './file.js';
import { deadEnd, type Ending, EventRun, type RunParts, toRun } from './run.js';

/** Milliseconds between two looks for events that another process has stored, or that are due again. */
const POLL_MS = 100;
/** Milliseconds between two looks for expired locks, and for events that no worker has a handler for. */
const UPKEEP_MS = 1_000;
/** Milliseconds until what could not be read or written is tried again. */
const PAUSE_MS = 1_000;
/** The largest number of keys or dead letters that are deleted in one transaction. */
const SWEEP_SIZE = 500;

/** What a worker is made of. */
export interface WorkerParts extends RunParts {
  readonly file: InboxFile;
  /** Called when the worker has closed. */
  readonly onClosed: () => void;
}

/**
 * Processes the events of an inbox, in this process.
 *
 * @example
 * ```ts
 * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
 *
 * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
 * const worker = inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) });
 * process.on('SIGTERM', () => void worker.close({ grace: 10_000 }));
 * ```
 */
export class InboxWorker {
  readonly #parts: WorkerParts;
  readonly #id = crypto.randomUUID();
  /** The runs whose end is not recorded yet. */
  readonly #runs = new Set<EventRun>();
  /** What must settle before the worker is closed. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #upkeepInterval: number;
  /** The types of parked events that this worker has a handler for, as JSON. */
  #types = '[]';
  /** When it may give up parked events: after an outage, workers with a handler may start a little later. */
  readonly #buryParkedAt: number;
  #upkeepAt = 0;
  #renewAt = 0;
  #pausedUntil = 0;
  #isLooking = false;
  /** Runs that begin now are given back. */
  #isOver = false;
  #closing: Promise<void> | undefined;

  /** Use `inbox.work`. */
  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const { lockDuration, unhandledTimeout } = parts.work;
    this.#buryParkedAt = Date.now() + Math.min(lockDuration, unhandledTimeout);
    this.#upkeepInterval = Math.min(UPKEEP_MS, lockDuration / 2);
    this.#timer = setInterval(() => this.wake(), Math.min(POLL_MS, lockDuration / 4));
    this.wake();
  }

  /** @internal Looks for events, if there is a place for one, and for locks to renew. */
  wake(): void {
    const now = Date.now();
    const isUpkeepDue = now >= this.#upkeepAt;
    if (this.#isLooking || now < this.#pausedUntil || (this.#places === 0 && !isUpkeepDue)) return;
    try {
      if (!isUpkeepDue && !this.#parts.file.events.hasDue(now, this.#types)) return;
      this.#isLooking = true;
      this.#track(this.#look(isUpkeepDue));
    } catch (error) {
      this.#pause(error);
    }
  }

  /** Takes no more events, and resolves when those in progress have finished or gone back to the queue. */
  async close(options: CloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(resolveGrace(options));
    return this.#closing;
  }

  get #places(): number {
    if (this.#closing !== undefined) return 0;
    const running = [...this.#runs].filter(({ hasEnded }) => !hasEnded);
    return Math.max(this.#parts.work.concurrency - running.length, 0);
  }

  #track(task: Promise<void>): void {
    const tracked = task.finally(() => this.#tasks.delete(tracked));
    this.#tasks.add(tracked);
  }

  /** Renews locks and takes events. What these steps change is committed together, and none stops another. */
  async #look(isUpkeepDue: boolean): Promise<void> {
    if (isUpkeepDue) this.#upkeepAt = Date.now() + this.#upkeepInterval;
    // Its own locks first: what this worker still runs has not stalled, even if its event loop was blocked.
    const upkeep = isUpkeepDue ? [this.#renew(), this.#release()] : [];
    const steps = [...upkeep, this.#take()];
    await Promise.all(steps.map((step) => step.catch((error: unknown) => this.#pause(error))));
    this.#isLooking = false;
    this.wake();
  }

  /** Renews the locks, twice in their duration, and when there are parked events of other types. */
  async #renew(): Promise<void> {
    const { file, work, handlers } = this.#parts;
    const types = JSON.stringify(file.events.parkedTypes().filter((type) => handlers.handles(type)));
    const isSame = types === this.#types;
    this.#types = types;
    if (Date.now() < this.#renewAt && isSame) return;
    const lost = await file.write(() => {
      const lockedUntil = Date.now() + work.lockDuration;
      file.events.announce(this.#id, lockedUntil, types);
      return [...this.#runs].filter(({ event }) => !file.events.renew(event, lockedUntil));
    });
    this.#renewAt = Date.now() + work.lockDuration / 2;
    for (const run of lost) if (!run.hasEnded) this.#abandon(run);
    this.#track(this.#sweep());
  }

  /** Frees the events of workers that have died, and gives up those that no worker can handle. */
  async #release(): Promise<void> {
    const { file, work, settings, reporter } = this.#parts;
    const [stalled, unhandled] = [stalledError(work.maxStalls + 1), unhandledError(work.unhandledTimeout)];
    const [freed, buried, parked] = await file.write(() => [
      file.events.free(Date.now(), work.maxStalls),
      file.events.buryStalled(deadEnd(settings, stalled.message)),
      Date.now() < this.#buryParkedAt ? [] : file.events.buryParked(deadEnd(settings, unhandled.message)),
    ]);
    for (const event of [...freed, ...buried]) reporter.stalled(event.key);
    for (const event of buried) reporter.deadLetter({ ...withoutRun(event), error: stalled });
    for (const event of parked) reporter.deadLetter({ ...withoutRun(event), error: unhandled });
  }

  /** Takes as many events as there are places, and runs them. */
  async #take(): Promise<void> {
    const places = this.#places;
    if (places === 0) return;
    const { file, work } = this.#parts;
    let taken: readonly EventRow[];
    try {
      taken = await file.write(() => {
        const now = Date.now();
        return file.events.take(now, this.#types, places, now + work.lockDuration);
      });
    } catch (error) {
      if (!isDamage(error)) throw error;
      taken = await file.takeReadable(places, work.lockDuration);
      if (taken.length === 0) this.#pause(error);
    }
    const ids = new Set(taken.map(({ id }) => id));
    for (const run of this.#runs) if (ids.has(run.event.id)) this.#abandon(run);
    for (const event of taken) this.#track(this.#run(event));
  }

  /** Runs the handlers of one event, and records the end. */
  async #run(event: EventRow): Promise<void> {
    const run = new EventRun(event, this.#parts);
    this.#runs.add(run);
    // The grace may have ended while the event was taken.
    const ending = this.#isOver ? run.giveBack() : await run.handle();
    // There is a place again. What is taken now is committed together with the end of this run.
    this.wake();
    if (ending !== undefined && (await this.#record(run, ending))) ending.report();
    this.#runs.delete(run);
  }

  /**
   * Records the end of a run.
   *
   * Tries until the file takes it, because the handlers would run again otherwise.
   */
  async #record({ event }: EventRun, { record }: Ending): Promise<boolean> {
    const { file, reporter } = this.#parts;
    for (;;) {
      try {
        const isRecorded = await file.write(() => record(file.events));
        if (!isRecorded) reporter.lockLost(event.key);
        return isRecorded;
      } catch (error) {
        this.#report(error);
        if (this.#closing !== undefined) return false;
        await sleep(PAUSE_MS);
      }
    }
  }

  #abandon(run: EventRun): void {
    this.#parts.reporter.lockLost(run.event.key);
    run.interrupt('lost');
  }

  /** Deletes what is old enough, some at a time. */
  async #sweep(): Promise<void> {
    const { events } = this.#parts.file;
    try {
      while ((await this.#parts.file.write(() => events.sweep(Date.now(), SWEEP_SIZE))) === SWEEP_SIZE);
    } catch (error) {
      this.#report(error);
    }
  }

  /** Looks for nothing for a moment: what has failed would fail again. */
  #pause(error: unknown): void {
    this.#pausedUntil = Date.now() + PAUSE_MS;
    this.#report(error);
  }

  #report(error: unknown): void {
    // A query met another process that recovers the file. The file reports damage itself.
    if (isBusy(error) || isDamage(error)) return;
    this.#parts.reporter.storageFailed(fileFailure('Events cannot be processed', error));
  }

  async #close(grace: number): Promise<void> {
    const timer = setTimeout(
      () => {
        this.#isOver = true;
        for (const run of this.#runs) run.interrupt('closed');
      },
      Math.min(grace, MAX_TIMER_MS),
    );
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    clearTimeout(timer);
    clearInterval(this.#timer);
    this.#pausedUntil = Number.POSITIVE_INFINITY;
    await this.#parts.file.write(() => this.#parts.file.events.withdraw(this.#id)).catch(() => undefined);
    this.#parts.onClosed();
  }
}

/** Describes an event that became a dead letter without a run. */
function withoutRun(event: EventRow) {
  return { ...toRun(event, Date.now()), attempt: event.failures + event.stalls };
}
