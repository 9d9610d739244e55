import { InboxFullError } from '../errors/inbox.js';
import type { Engine, Runner } from '../inbox/engine.js';
import { describeFull, describeRefusal, type InboxCounts, type InboxWarnings } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { PROBE_TIMEOUT_MS } from '../inbox/timing.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { RowConsumer } from './consumer.js';
import { DeadRows } from './dead-letters.js';
import type { Count } from './events.js';
import { cleanError, mayPass } from './failure.js';
import { InboxFile } from './file.js';
import type { SqliteSettings } from './options.js';

/** The kind of a warning of {@link InboxHealth}. */
export type SqliteWarning =
  /** The file cannot be read, or is closed. */
  | 'unreachable'
  /** The file cannot be written. */
  | 'refused'
  /** The disk has less than `minFree`. */
  | 'full'
  /**
   * A part of the file cannot be read: stop, and recover it.
   *
   * Events may be out of reach, and workers may take none, although others are stored.
   */
  | 'damaged'
  /** The file is where a restart, or the end of a container, deletes it. */
  | 'persistence'
  /** The file is on another machine's disk, where locks may not work. */
  | 'remote'
  /** The free space of the disk is not known. */
  | 'unmeasured'
  /** The inbox cannot notice if the file is deleted or replaced. */
  | 'unwatched';

const MAKE_ROOM = 'Make room on the disk, start more workers, or remove dead letters.';
/** A store gives up this much before its time limit, in ms, so that its own error is reported. */
const EARLIER_MS = 10;

/**
 * Events as rows of one file.
 *
 * `database.ts` opens the file, `tables.ts` has its tables, and `events.ts` changes the rows. `writer.ts`
 * commits changes in groups. `consumer.ts` takes events for a worker.
 */
export class SqliteEngine implements Engine<SqliteWarning> {
  readonly name = 'the file';
  readonly deadLetters: DeadRows;
  readonly mayPass = mayPass;
  readonly clean = cleanError;
  readonly #settings: SqliteSettings;
  readonly #reporter: InboxReporter;
  readonly #file: InboxFile;
  readonly #consumers = new Set<RowConsumer>();

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#file = new InboxFile(settings, reporter);
    this.deadLetters = new DeadRows(this.#file);
    reporter.warnOfAll(this.#file.disk.warnings());
  }

  async store(event: StoredWebhook, timeout: number, json: string): Promise<void> {
    const file = this.#file;
    const full = await file.read(() => file.disk.fullBy());
    if (full !== undefined) throw new InboxFullError(full, MAKE_ROOM);
    const add = () => file.events.store(event, json, Date.now());
    await file.write(add, Math.max(timeout - EARLIER_MS, 1));
    for (const consumer of this.#consumers) consumer.wake();
  }

  consume(runner: Runner): RowConsumer {
    const consumer: RowConsumer = new RowConsumer({
      file: this.#file,
      settings: this.#settings,
      reporter: this.#reporter,
      runner,
      onClosed: () => this.#consumers.delete(consumer),
    });
    this.#consumers.add(consumer);
    consumer.wake();
    return consumer;
  }

  async health(): Promise<{ readonly counts: InboxCounts; readonly warnings: InboxWarnings<SqliteWarning> }> {
    const { events, disk } = this.#file;
    const now = Date.now();
    const refused = await this.#findRefusal();
    const rows = await this.#file.read(() => events.count());
    const workers = await this.#file.read(() => events.countWorkers(now));
    const full = disk.fullBy();
    const warnings = {
      ...disk.warnings(),
      ...this.#file.warnings,
      ...(refused && { refused }),
      ...(full && { full: describeFull(full) }),
    };
    return { counts: { ...this.#summarize(rows, now), workers }, warnings };
  }

  #summarize(rows: readonly Count[], now: number): Omit<InboxCounts, 'workers'> {
    const sum = (some: readonly Count[]) => some.reduce((total, { count }) => total + count, 0);
    const inState = (...states: Count['state'][]) => rows.filter(({ state }) => states.includes(state));
    const waiting = inState('waiting', 'retrying');
    const consumers = [...this.#consumers];
    const unhandled = waiting.filter(({ type }) => !consumers.some((consumer) => consumer.handles(type)));
    return {
      waiting: sum(inState('waiting')),
      active: sum(inState('running')),
      retrying: sum(inState('retrying')),
      unhandled: consumers.length === 0 ? undefined : sum(unhandled),
      deadLetters: sum(inState('dead')),
      oldestMs: Math.max(now - Math.min(now, ...waiting.map(({ oldest }) => oldest)), 0),
    };
  }

  /** Returns why the file cannot be written; undefined if it can. */
  async #findRefusal(): Promise<string | undefined> {
    try {
      // A worker that has long been gone.
      await this.#file.write(() => this.#file.events.beat({ id: 'probe', lock: 0 }, 0), PROBE_TIMEOUT_MS);
      return undefined;
    } catch (error) {
      return describeRefusal(cleanError(error));
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
