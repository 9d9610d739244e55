import { WebhookError } from '../errors/index.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { sleep } from '../utils/waiting.js';
import { type Database, openDatabase } from './database.js';
import { Disk } from './disk.js';
import { Events } from './events.js';
import { fileFailure, isBusy, isDamage } from './failure.js';
import type { SqliteSettings } from './options.js';
import { loadRuntime } from './runtime.js';
import { Writer } from './writer.js';

/** How long a query waits while another connection recovers the file after a crash, in ms. */
const READ_TIMEOUT_MS = 2_000;
/** Milliseconds between two attempts of a query. */
const READ_RETRY_DELAY_MS = 10;
/** How long closing waits for another connection that writes, in ms. */
const CLOSE_TIMEOUT_MS = 2_000;

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

  /** Runs a query. */
  async read<Value>(query: () => Value): Promise<Value> {
    for (const end = performance.now() + READ_TIMEOUT_MS; ; ) {
      if (this.#isClosed) throw closedError();
      try {
        return query();
      } catch (error) {
        this.#watch(error);
        if (!isBusy(error) || performance.now() > end) throw error;
      }
      await sleep(READ_RETRY_DELAY_MS);
    }
  }

  /** Commits a change together with others: see `Writer.write`. */
  async write<Value>(change: () => Value, timeout: number): Promise<Value> {
    if (this.#isClosed) throw closedError();
    try {
      return await this.#writer.write(change, timeout);
    } catch (error) {
      this.#watch(error);
      throw error;
    }
  }

  /** Commits what waits, and closes the file. */
  async close(): Promise<void> {
    await this.write(() => undefined, CLOSE_TIMEOUT_MS).catch(() => undefined);
    this.#isClosed = true;
    this.#writer.end(closedError());
    this.#database.close();
  }

  /** A damaged page concerns some events, and the others go on: so it has to be reported by itself. */
  #watch(error: unknown): void {
    if (!isDamage(error)) return;
    const failure = fileFailure('Events cannot be read', error);
    this.#damage = failure.message;
    this.#reporter.storageFailed(failure);
  }
}

function closedError(): WebhookError {
  return new WebhookError('The inbox is closed.');
}
