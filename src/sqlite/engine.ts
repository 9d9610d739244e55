import { InboxFullError } from '../errors/inbox.js';
import type { DeadLetterStorage } from '../inbox/dead-letters.js';
import type { Engine, Runner } from '../inbox/engine.js';
import { describeFull, describeRefusal, type InboxCounts, type InboxWarnings } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { RowConsumer } from '../inbox/rows/consumer.js';
import { summarize } from '../inbox/rows/counts.js';
import { deadLettersOf } from '../inbox/rows/dead-rows.js';
import type { TakenRow } from '../inbox/rows/taken.js';
import { PROBE_TIMEOUT_MS } from '../inbox/timing.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { Events } from './events.js';
import { cleanError, mayPass } from './failure.js';
import { InboxFile } from './file.js';
import type { SqliteSettings } from './options.js';
import { FileRows } from './rows.js';

/** The kind of a warning of {@link InboxHealth}. */
export type SqliteWarning =
  /** The file cannot be read, or is closed. */
  | 'unreachable'
  /** The file cannot be written. */
  | 'refused'
  /** A worker of this process cannot take events, and so handles nothing. */
  | 'worker'
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
  /** The file was deleted or replaced while it was open. Says where a copy is: restart the process. */
  | 'gone';

const MAKE_ROOM = 'Make room on the disk, start more workers, or remove dead letters.';
/** Milliseconds between two looks for events of other processes, and for retries that are due. */
const POLL_MS = 100;
/** A store gives up this much before its time limit, in ms, so that its own error is reported. */
const EARLIER_MS = 10;

/**
 * Events as rows of one file.
 *
 * `database.ts` opens the file, `tables.ts` has its tables, and `writer.ts` commits changes in groups.
 * `events.ts` is the SQL of receivers, health and dead letters, `rows.ts` that of a worker: `inbox/rows/` has
 * its loop.
 */
export class SqliteEngine implements Engine<SqliteWarning> {
  readonly name = 'the file';
  readonly deadLetters: DeadLetterStorage;
  readonly mayPass = mayPass;
  readonly clean = cleanError;
  readonly #settings: SqliteSettings;
  readonly #reporter: InboxReporter;
  readonly #file: InboxFile;
  readonly #events: Events;
  readonly #consumers = new Set<RowConsumer<TakenRow>>();

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#file = new InboxFile(settings, reporter);
    this.#events = new Events(this.#file);
    this.deadLetters = deadLettersOf(this.#events);
    reporter.warnOfAll(this.#file.disk.warnings());
  }

  async store(event: StoredWebhook, timeout: number, json: string): Promise<void> {
    const file = this.#file;
    const full = await file.read(() => file.disk.fullBy());
    if (full !== undefined) throw new InboxFullError(full, MAKE_ROOM);
    await this.#events.store(event, json, Math.max(timeout - EARLIER_MS, 1));
    for (const consumer of this.#consumers) consumer.wake();
  }

  consume(runner: Runner): RowConsumer<TakenRow> {
    const consumer: RowConsumer<TakenRow> = new RowConsumer({
      rows: new FileRows(this.#file, this.#settings, runner),
      runner,
      reporter: this.#reporter,
      pollInterval: POLL_MS,
      clean: cleanError,
      onClosed: () => this.#consumers.delete(consumer),
    });
    this.#consumers.add(consumer);
    consumer.wake();
    return consumer;
  }

  async health(): Promise<{ readonly counts: InboxCounts; readonly warnings: InboxWarnings<SqliteWarning> }> {
    const { disk } = this.#file;
    const refused = this.#file.warnings.gone ? undefined : await this.#findRefusal();
    const rows = await this.#events.count();
    const workers = await this.#events.countWorkers();
    const full = disk.fullBy();
    const failure = [...this.#consumers].find((consumer) => consumer.failure)?.failure;
    const warnings = {
      ...disk.warnings(),
      ...this.#file.warnings,
      ...(refused && { refused }),
      ...(failure && { worker: `A worker of this process takes no events: ${failure.message}` }),
      ...(full && { full: describeFull(full) }),
    };
    return { counts: { ...summarize(rows, this.#consumers), workers }, warnings };
  }

  /** Returns why the file cannot be written; undefined if it can. */
  async #findRefusal(): Promise<string | undefined> {
    try {
      await this.#events.probe(PROBE_TIMEOUT_MS);
      return undefined;
    } catch (error) {
      return describeRefusal(cleanError(error));
    }
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
