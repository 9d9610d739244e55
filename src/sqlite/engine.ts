import { InboxFullError } from '../errors/inbox.js';
import type { Engine, FoundHealth, Runner } from '../inbox/engine.js';
import { describeFull } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { RowConsumer } from '../inbox/rows/consumer.js';
import { summarize } from '../inbox/rows/counts.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { Events } from './events.js';
import { cleanError, mayPass } from './failure.js';
import { InboxFile } from './file.js';
import type { SqliteSettings } from './options.js';
import { FileRows } from './rows.js';

/** The kind of a warning of {@link InboxHealth}. */
export type SqliteWarning =
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

/**
 * Events as rows of one file.
 *
 * `file.ts` is the open file, and notices when it is gone. `database.ts` opens its connection, `tables.ts` has its
 * tables, and `writer.ts` commits changes in groups.
 * `events.ts` is the SQL of receivers, health and dead letters, `rows.ts` that of a worker: `inbox/rows/` has
 * its loop.
 */
export class SqliteEngine implements Engine<SqliteWarning> {
  readonly deadLetters: Events;
  readonly mayPass = mayPass;
  readonly clean = cleanError;
  readonly #settings: SqliteSettings;
  readonly #reporter: InboxReporter;
  readonly #file: InboxFile;
  readonly #events: Events;

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#file = new InboxFile(settings, reporter);
    this.#events = new Events(this.#file);
    this.deadLetters = this.#events;
    reporter.warnOfAll(this.#file.disk.warnings());
  }

  async store(event: StoredWebhook, timeout: number, json: string): Promise<void> {
    const file = this.#file;
    const full = await file.read(() => file.disk.fullBy());
    if (full !== undefined) throw new InboxFullError(full, MAKE_ROOM);
    await this.#events.store(event, json, timeout);
  }

  consume(runner: Runner): RowConsumer {
    return new RowConsumer({
      rows: new FileRows(this.#file, this.#settings, runner),
      runner,
      reporter: this.#reporter,
      pollInterval: POLL_MS,
      clean: cleanError,
    });
  }

  async probe(timeout: number): Promise<void> {
    // The warning says what to do.
    if (this.#file.warnings.gone === undefined) await this.#events.probe(timeout);
  }

  async health(handles?: (type: string) => boolean): Promise<FoundHealth<SqliteWarning>> {
    const { disk, warnings } = this.#file;
    const counts = summarize(await this.#events.count(), handles);
    const workers = await this.#events.countWorkers();
    const full = disk.fullBy();
    return {
      counts: { ...counts, workers },
      warnings: { ...disk.warnings(), ...warnings, ...(full && { full: describeFull(full) }) },
    };
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
