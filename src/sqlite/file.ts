import { WebhookError } from '../errors/index.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { withRetries } from '../utils/waiting.js';
import { type Database, openDatabase } from './database.js';
import { Disk } from './disk.js';
import { Events } from './events.js';
import { cleanError, isBusy, isDamage } from './failure.js';
import type { SqliteSettings } from './options.js';
import { loadRuntime } from './runtime.js';
import { Writer } from './writer.js';

/** How long a query is repeated, in ms. */
const READ_TIMEOUT_MS = 2_000;
/** How long a change waits for other processes that write, in ms. */
const WRITE_TIMEOUT_MS = 3_000;

/** The open file of an inbox. */
export class InboxFile {
  readonly events: Events;
  readonly disk: Disk;
  readonly #database: Database;
  readonly #writer: Writer;
  readonly #reporter: InboxReporter;
  #damage: string | undefined;
  #isClosed = false;

  /** @throws {ConfigurationError} The runtime has no safe SQLite, or the file cannot be opened. */
  constructor(settings: SqliteSettings, reporter: InboxReporter) {
    const runtime = loadRuntime();
    this.#database = openDatabase(runtime, settings.path);
    this.#writer = new Writer(this.#database);
    this.#reporter = reporter;
    this.events = new Events(this.#database);
    this.disk = new Disk(runtime, settings, this.#database);
  }

  /** What is damaged, as far as anything has met it; undefined if nothing has. */
  get damage(): string | undefined {
    return this.#damage;
  }

  /** Runs a query. Repeats it while another connection recovers the file after a crash. */
  async read<Value>(query: () => Value): Promise<Value> {
    return this.#watch(() => withRetries(async () => query(), READ_TIMEOUT_MS, isBusy));
  }

  /** Commits a change together with others: see `Writer.write`. */
  async write<Value>(change: () => Value, timeout = WRITE_TIMEOUT_MS): Promise<Value> {
    return this.#watch(() => this.#writer.write(change, timeout));
  }

  /** Commits what waits, and closes the file. */
  async close(): Promise<void> {
    await this.write(() => undefined).catch(() => undefined);
    this.#isClosed = true;
    this.#writer.end(closedError());
    this.#database.close();
  }

  /** Reports damage by itself: a damaged page concerns some events, and the others go on. */
  async #watch<Value>(use: () => Promise<Value>): Promise<Value> {
    if (this.#isClosed) throw closedError();
    try {
      return await use();
    } catch (error) {
      if (isDamage(error)) {
        const failure = cleanError(error);
        this.#damage = failure.message;
        this.#reporter.storageFailed(failure);
      }
      throw error;
    }
  }
}

function closedError(): WebhookError {
  return new WebhookError('The inbox is closed.');
}
