import { FileGoneError } from '../errors/inbox.js';
import type { Ending, Runner } from '../inbox/engine.js';
import type { Recorded, Rows, StallEnding, WorkerBeat } from '../inbox/rows/rows.js';
import { parseJson } from '../utils/json.js';
import type { DeadEnd, EventRow, TakenRow, WaitingType } from './events.js';
import { isDamage } from './failure.js';
import type { InboxFile } from './file.js';
import type { SqliteSettings } from './options.js';

/** The largest number of rows that are deleted or buried in one transaction. */
const SWEEP_SIZE = 500;
/** Time limit for taking a worker off the list, in ms: closing ends whatever another process does. */
const LEAVE_MS = 300;

/** What one worker asks of the file. Changes of one turn of the event loop share a commit: see `writer.ts`. */
export class FileRows implements Rows<TakenRow> {
  readonly #file: InboxFile;
  readonly #settings: SqliteSettings;
  readonly #runner: Runner;
  readonly #worker = crypto.randomUUID();
  /** How many damaged events are skipped, one more after each failure; undefined without damage. */
  #damaged: number | undefined;

  constructor(file: InboxFile, settings: SqliteSettings, runner: Runner) {
    this.#file = file;
    this.#settings = settings;
    this.#runner = runner;
  }

  beat(): Promise<void> {
    const { lockDuration: lock } = this.#runner.settings;
    return this.#file.write(() => this.#file.events.beat({ id: this.#worker, lock }, Date.now()));
  }

  others(): Promise<readonly WorkerBeat[]> {
    return this.#file.read(() => this.#file.events.workers().filter(({ id }) => id !== this.#worker));
  }

  keep(taken: readonly TakenRow[]): Promise<readonly TakenRow[]> {
    const { events } = this.#file;
    return this.#file.write(() => {
      events.freeOthers(taken, this.#worker);
      events.bringBack(Date.now(), this.#settings.backoff);
      return taken.filter((event) => !events.keep(event, this.#worker));
    });
  }

  async take(places: () => number): Promise<readonly TakenRow[]> {
    const { events } = this.#file;
    // Most looks find nothing. A transaction would wait for other processes that write.
    const isThere = () => this.#types().some((type) => events.next([type], Date.now(), 1).length > 0);
    if (!(await this.#file.read(isThere))) return [];
    try {
      const take = () => events.take(this.#next(places()), this.#worker);
      return (await this.#file.write(take)).map(toEvent);
    } catch (error) {
      if (isDamage(error)) this.#damaged = this.#damaged === undefined ? 0 : this.#damaged + 1;
      throw error;
    }
  }

  /** Returns the next events to take: a single one, once there is damage. */
  #next(places: number): number[] {
    const limit = this.#damaged === undefined ? places : Math.min(places, 1);
    return this.#file.events.next(this.#types(), Date.now(), limit, this.#damaged);
  }

  /** Returns the types of waiting events that have a handler here. */
  #types(): WaitingType[] {
    return this.#file.events.types().filter(({ name }) => this.#runner.handles(name));
  }

  async end(event: TakenRow, ending: Exclude<Ending, { readonly kind: 'lost' }>): Promise<Recorded> {
    try {
      return (await this.#file.write(() => this.#apply(event, ending))) ? 'recorded' : 'lost';
    } catch (error) {
      // The event runs again after the restart.
      if (error instanceof FileGoneError) return 'lost';
      throw error;
    }
  }

  #apply(event: TakenRow, ending: Exclude<Ending, { readonly kind: 'lost' }>): boolean {
    const { events } = this.#file;
    switch (ending.kind) {
      case 'done':
        return events.finish(event, event.receivedAt + this.#settings.retention);
      case 'retry':
        return events.retry(event, Date.now() + ending.delay, ending.reason);
      case 'dead':
        return events.bury(event, this.#deadEnd(event, ending.reason));
      case 'given back':
        return events.giveBack(event);
    }
  }

  async free(
    dead: readonly WorkerBeat[],
    endingOf: (event: TakenRow) => StallEnding,
  ): Promise<readonly TakenRow[]> {
    const { events } = this.#file;
    if (dead.length === 0 && (await this.#file.read(() => events.freed())).length === 0) return [];
    const freed = await this.#file.write(() => {
      for (const { id, beat } of dead) events.withdraw(id, beat);
      return events.freed().map((event) => {
        const ending = endingOf(event);
        if (ending.kind === 'dead') events.buryStalled(event, this.#deadEnd(event, ending.reason));
        else events.stall(event, Date.now() + ending.delay);
        return { ...event, stalls: event.stalls + 1 };
      });
    });
    return freed.map(toEvent);
  }

  async sweep(): Promise<boolean> {
    const deleted = await this.#file.write(() => this.#file.events.sweep(Date.now(), SWEEP_SIZE));
    return deleted === SWEEP_SIZE;
  }

  async buryUnhandled(reason: string): Promise<readonly TakenRow[]> {
    const { events } = this.#file;
    const receivedAt = Date.now() - this.#settings.deadLetterRetention;
    const types = await this.#file.read(() =>
      events.types().filter(({ name }) => !this.#runner.handles(name)),
    );
    const bury = (type: WaitingType) => () =>
      events.buryUnhandled(type, receivedAt, SWEEP_SIZE, this.#deadEnd({ receivedAt }, reason));
    const buried = await Promise.all(types.map((type) => this.#file.write(bury(type))));
    return buried.flat().map(toEvent);
  }

  leave(): Promise<void> {
    return this.#file.write(() => this.#file.events.withdraw(this.#worker), LEAVE_MS);
  }

  /** Describes an event that becomes a dead letter now. A clock that is behind must not shorten its time. */
  #deadEnd({ receivedAt }: Pick<TakenRow, 'receivedAt'>, reason: string): DeadEnd {
    const now = Math.max(Date.now(), receivedAt);
    return { now, keptUntil: now + this.#settings.deadLetterRetention, reason };
  }
}

function toEvent(row: EventRow): TakenRow {
  return { ...row, data: parseJson(row.data) };
}
