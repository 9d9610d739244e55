import type { Ending, Runner } from '../inbox/engine.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { SWEEPING } from '../inbox/rows/consumer.js';
import type { Recorded, Rows, StallEnding, WorkerBeat } from '../inbox/rows/rows.js';
import type { Batcher } from './batcher.js';
import type { End, Ended, Events, TakenRow } from './events.js';
import type { PostgresSettings } from './options.js';
import { ServerClock } from './server-clock.js';

/** The parts of the rows of a worker. */
export interface PostgresRowsParts {
  readonly events: Events;
  readonly ends: Batcher<End, Ended>;
  readonly settings: PostgresSettings;
  readonly reporter: InboxReporter;
  readonly runner: Runner;
  /** The runs of this process whose end is not recorded, for `completion`. */
  readonly runs: Map<TakenRow, Runner>;
}

/** What one worker asks of Postgres. */
export class PostgresRows implements Rows<TakenRow> {
  readonly #parts: PostgresRowsParts;
  readonly #worker = crypto.randomUUID();
  readonly #clock = new ServerClock();
  /** The server's clock may have been ahead: retries may be due too late. */
  #mustBringBack = true;
  /** Nothing is deleted before then, on the clock of `performance`: that of the server may be wrong for a while. */
  #sweepFrom = 0;

  constructor(parts: PostgresRowsParts) {
    this.#parts = parts;
  }

  async beat(): Promise<void> {
    const { events, runner } = this.#parts;
    const time = await events.beat({ id: this.#worker, lock: runner.settings.lockDuration });
    if (!this.#clock.wasSet(time)) return;
    this.#mustBringBack = true;
    this.#sweepFrom = performance.now() + Math.max(runner.settings.lockDuration, SWEEPING.quiet);
  }

  async others(): Promise<readonly WorkerBeat[]> {
    return (await this.#parts.events.workers()).filter(({ id }) => id !== this.#worker);
  }

  async keep(taken: readonly TakenRow[]): Promise<readonly TakenRow[]> {
    const { events, settings } = this.#parts;
    const kept = await events.keep(taken, this.#worker);
    if (this.#mustBringBack) await events.bringBack(settings.backoff);
    this.#mustBringBack = false;
    return taken.filter(({ id }) => !kept.has(id));
  }

  async take(places: () => number): Promise<readonly TakenRow[]> {
    const { events, runner, runs } = this.#parts;
    const types = (await events.types()).filter((type) => runner.handles(type));
    const count = places();
    if (types.length === 0 || count === 0) return [];
    const taken = await events.take(types, this.#worker, count);
    for (const event of taken) runs.set(event, runner);
    return taken;
  }

  async end(event: TakenRow, ending: Exclude<Ending, { readonly kind: 'lost' }>): Promise<Recorded> {
    const { ends, runs, reporter } = this.#parts;
    runs.delete(event);
    const ended = await ends.add({ event, ending });
    if (ended === 'locked') throw new Error('A transaction holds the row of an event that has ended');
    if (ended === 'completed' && ending.kind !== 'done' && ending.kind !== 'given back') {
      reporter.failedLate(event.key);
    }
    return ended ?? 'lost';
  }

  async free(
    dead: readonly WorkerBeat[],
    endingOf: (event: TakenRow) => StallEnding,
  ): Promise<readonly TakenRow[]> {
    const { events, settings } = this.#parts;
    if (dead.length > 0) await events.withdraw(dead);
    const freed = await events.freed();
    if (freed.length === 0) return [];
    const changed = await events.stall(
      freed.map((event) => ({ event, ending: endingOf(event) })),
      settings.deadLetterRetention,
    );
    return freed.filter(({ id }) => changed.has(id)).map((event) => ({ ...event, stalls: event.stalls + 1 }));
  }

  async sweep(): Promise<boolean> {
    return performance.now() >= this.#sweepFrom && this.#parts.events.sweep();
  }

  async buryUnhandled(reason: string): Promise<readonly TakenRow[]> {
    const { events, runner, settings } = this.#parts;
    if (performance.now() < this.#sweepFrom) return [];
    const types = (await events.types()).filter((type) => !runner.handles(type));
    return types.length === 0 ? [] : events.buryUnhandled(types, settings.deadLetterRetention, reason);
  }

  leave(): Promise<void> {
    return this.#parts.events.withdraw([{ id: this.#worker, beat: null }]);
  }
}
