import type { Consumer, Ending, Runner } from '../inbox/engine.js';
import { stalledError } from '../inbox/failure.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { parseJson } from '../utils/json.js';
import { sleep } from '../utils/waiting.js';
import type { DeadEnd, EventRow, RunId } from './events.js';
import { cleanError, isBusy, isDamage } from './failure.js';
import type { InboxFile } from './file.js';
import type { SqliteSettings } from './options.js';

/** Milliseconds between two looks for events that another process has stored, or that are due again. */
const POLL_MS = 100;
/** Milliseconds between two looks for expired locks. */
const UPKEEP_MS = 1_000;
/** Milliseconds until what could not be read or written is tried again. */
const PAUSE_MS = 1_000;
/** The largest number of keys or dead letters that are deleted in one transaction. */
const SWEEP_SIZE = 500;

/** What a consumer is made of. */
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
  /** How many of them have not ended. */
  #running = 0;
  /** What must settle before it is closed. */
  readonly #tasks = new Set<Promise<void>>();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #upkeepInterval: number;
  #upkeepAt = 0;
  #renewAt = 0;
  #pausedUntil = 0;
  /** The number of events in damaged pages, which are skipped one by one; undefined while there are none. */
  #damaged: number | undefined;
  #isLooking = false;
  #isClosing = false;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    const { lockDuration } = parts.runner.settings;
    this.#upkeepInterval = Math.min(UPKEEP_MS, lockDuration / 2);
    this.#timer = setInterval(() => this.wake(), Math.min(POLL_MS, lockDuration / 4));
    this.wake();
  }

  /** Looks for events, if there is a place for one, and for locks to renew. */
  wake(): void {
    const now = Date.now();
    const isUpkeepDue = now >= this.#upkeepAt;
    if (this.#isLooking || now < this.#pausedUntil || (this.#places === 0 && !isUpkeepDue)) return;
    try {
      if (!isUpkeepDue && !this.#parts.file.events.hasDue(now)) return;
      this.#isLooking = true;
      this.#track(this.#look(isUpkeepDue));
    } catch (error) {
      this.#pause(error);
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    while (this.#tasks.size > 0) await Promise.all(this.#tasks);
    clearInterval(this.#timer);
    this.#pausedUntil = Number.POSITIVE_INFINITY;
    const { file, onClosed } = this.#parts;
    await file.write(() => file.events.withdraw(this.#id)).catch(() => undefined);
    onClosed();
  }

  get #places(): number {
    if (this.#isClosing) return 0;
    return Math.max(this.#parts.runner.settings.concurrency - this.#running, 0);
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

  /** Renews the locks, twice in their duration. */
  async #renew(): Promise<void> {
    if (Date.now() < this.#renewAt) return;
    const { file, runner } = this.#parts;
    const { lockDuration } = runner.settings;
    const lost = await file.write(() => {
      const lockedUntil = Date.now() + lockDuration;
      file.events.announce(this.#id, lockedUntil);
      return [...this.#taken].filter((event) => !file.events.renew(event, lockedUntil));
    });
    this.#renewAt = Date.now() + lockDuration / 2;
    for (const { key } of lost) runner.lockLost(key);
    this.#track(this.#sweep());
  }

  /** Frees the events of workers that have died. */
  async #release(): Promise<void> {
    const { file, runner, settings, reporter } = this.#parts;
    const { maxStalls } = runner.settings;
    const stalled = stalledError(maxStalls + 1);
    const [freed, buried] = await file.write(() => [
      file.events.free(Date.now(), maxStalls),
      file.events.buryStalled(deadEnd(settings, stalled.message)),
    ]);
    for (const event of [...freed, ...buried]) reporter.stalled(event.key);
    for (const event of buried) runner.failedByEngine(toTaken(event), stalled, 'dead');
  }

  /** Takes as many events as there are places when that is committed, and runs them. */
  async #take(): Promise<void> {
    if (this.#places === 0) return;
    const { file, runner } = this.#parts;
    const take = () => {
      const now = Date.now();
      const limit = this.#damaged === undefined ? this.#places : 1;
      return file.events.take(now, limit, this.#damaged ?? 0, now + runner.settings.lockDuration);
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
    this.#running += 1;
    const { ending, report } = await this.#parts.runner.run(toTaken(event));
    this.#running -= 1;
    // There is a place again. What is taken now is committed together with the end of this run.
    this.wake();
    if (ending.kind !== 'lost' && (await this.#record(event, ending))) report();
    this.#taken.delete(event);
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
        if (this.#isClosing) return false;
        await sleep(PAUSE_MS);
      }
    }
  }

  /** What each ending changes. Returns false if the run has lost its lock. */
  #apply(event: EventRow, ending: Ending, settings: SqliteSettings): boolean {
    const { events } = this.#parts.file;
    switch (ending.kind) {
      case 'done':
        return events.finish(event, event.received + settings.retention);
      case 'retry':
        return events.retry(event, Date.now() + ending.delay, ending.reason);
      case 'dead':
        return events.bury(event, deadEnd(settings, ending.reason));
      case 'given back':
        return events.giveBack(event);
      case 'lost':
        return false;
    }
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
    this.#parts.reporter.storageFailed(cleanError(error));
  }
}

function toTaken({ key, type, data, received, failures, stalls }: EventRow & RunId) {
  return { key, type, data: parseJson(data), receivedAt: received, failures, stalls };
}

/** Describes an event that becomes a dead letter now. */
function deadEnd({ deadLetterRetention }: SqliteSettings, reason: string): DeadEnd {
  const now = Date.now();
  return { now, keptUntil: now + deadLetterRetention, reason };
}
