import { InboxFullError } from '../errors/inbox.js';
import { ConfigurationError, WebhookError } from '../errors/index.js';
import type { Engine, FoundHealth, Runner } from '../inbox/engine.js';
import { describeFull, type InboxWarnings } from '../inbox/health.js';
import type { InboxReporter } from '../inbox/reporter.js';
import { RowConsumer } from '../inbox/rows/consumer.js';
import { summarize } from '../inbox/rows/counts.js';
import type { TakenRow } from '../inbox/rows/taken.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import { Batcher } from './batcher.js';
import { Database } from './database.js';
import { type End, type Ended, recordEnds } from './ends.js';
import { Events, type EventToStore, type ServerState } from './events.js';
import { cleanError, codeOf, isFull, mayPass } from './failure.js';
import type { PostgresClient, PostgresSettings } from './options.js';
import { PostgresRows } from './rows.js';
import { LOST } from './tables.js';

/** The kind of a warning of {@link InboxHealth}. */
export type PostgresWarning =
  /** A crash of the server can lose events: `fsync` or `synchronous_commit` is off. */
  | 'persistence'
  /** A standby follows that Postgres does not wait for: a failover loses the newest events. */
  | 'standby';

/** A statement that completes an event inside a transaction of yours. */
export interface Completion {
  readonly text: string;
  /** Empty: the text has all values, because some drivers cannot bind those of a text. */
  readonly values: unknown[];
}

interface PostgresRun {
  readonly event: TakenRow;
  readonly handlers: number;
}

const FULL = 'the disk of Postgres is full';
/** How long that is remembered, in ms, if no event is sent that could show otherwise: a small write may find room. */
const FULL_MS = 10_000;
/** Milliseconds between two looks for events of other processes, and for retries that are due. */
const POLL_MS = 250;

/**
 * Events as rows of a table.
 *
 * `database.ts` has the connections, and `tables.ts` the tables. `events.ts` stores events, counts them, and finds dead
 * letters. `rows.ts` is what a worker asks for, and `ends.ts` records how runs end: `inbox/rows/` has the loop.
 * `batcher.ts` sends what comes at the same time as one query.
 */
export class PostgresEngine implements Engine<PostgresWarning> {
  readonly mayPass = mayPass;
  readonly clean = cleanError;
  readonly deadLetters: Events;
  readonly #database: Database;
  /** The workers of this process that have not closed. */
  readonly #runners = new Set<Runner>();
  /** The last statements of the transactions that are open. */
  readonly #open = new Set<string>();
  readonly #settings: PostgresSettings;
  readonly #reporter: InboxReporter;
  readonly #events: Events;
  readonly #stores: Batcher<EventToStore, undefined>;
  readonly #ends: Batcher<End, Ended>;
  #fullUntil = 0;

  constructor(settings: PostgresSettings, reporter: InboxReporter) {
    this.#settings = settings;
    this.#reporter = reporter;
    this.#database = new Database(settings);
    const events = new Events(this.#database);
    this.#events = events;
    this.deadLetters = events;
    this.#stores = new Batcher(
      (items) => events.store(items),
      ({ json }) => json.length,
    );
    this.#ends = new Batcher(
      (ends) => recordEnds(this.#database, settings, ends),
      () => 1,
    );
  }

  async store(event: StoredWebhook, _timeout: number, json: string): Promise<void> {
    try {
      await this.#stores.add({ event, json });
      this.#fullUntil = 0;
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#fullUntil = performance.now() + FULL_MS;
      throw new InboxFullError(FULL, 'Make room there: workers need it too.');
    }
  }

  consume(runner: Runner): RowConsumer {
    this.#runners.add(runner);
    return new RowConsumer({
      rows: new PostgresRows({
        database: this.#database,
        ends: this.#ends,
        settings: this.#settings,
        runner,
        onLeave: () => this.#runners.delete(runner),
      }),
      runner,
      reporter: this.#reporter,
      pollInterval: POLL_MS,
      clean: cleanError,
    });
  }

  /** Returns the statement that completes an event which runs here. */
  completion(key: string): Completion {
    const runs = [...this.#runners].flatMap((runner) => runner.runsOf(key));
    // `take` has returned their events. An older run has lost its lock.
    const latest = (runs as PostgresRun[]).sort((one, other) => other.event.run - one.event.run)[0];
    if (latest === undefined) {
      throw new WebhookError(
        `The event ${key} does not run in this process. Pass the eventKey of a handler that has not ended.`,
      );
    }
    const { event, handlers } = latest;
    const { id, run, type } = event;
    const text = `SELECT ${this.#database.schema}.complete(${id}, ${run}, ${this.#settings.retention})`;
    if (handlers > 1)
      refuse(`${type} has ${handlers} handlers, and this would end it for all of them. Register one.`);
    if (this.#open.has(text)) refuse('A transaction is open that does. Write with its client.');
    return { text, values: [] };
  }

  /** Runs a function and completes the event, in one transaction. */
  async transaction<Value>(key: string, write: (client: PostgresClient) => Promise<Value>): Promise<Value> {
    const completion = this.completion(key);
    this.#open.add(completion.text);
    try {
      return await this.#database.transaction(async (client) => {
        const value = await write(client);
        // Last: the row stays locked until the commit.
        await client.query(completion);
        return value;
      });
    } catch (error) {
      if (codeOf(error) !== LOST) throw error;
      const text = 'Another run has the event, or it has ended: nothing was written.';
      throw new WebhookError(`${text} Let its handler await one transaction.`, { cause: error });
    } finally {
      this.#open.delete(completion.text);
    }
  }

  probe(): Promise<void> {
    return this.#events.probe();
  }

  async health(handles?: (type: string) => boolean): Promise<FoundHealth<PostgresWarning>> {
    const [counts, server] = await Promise.all([this.#events.count(), this.#events.server()]);
    const warnings = {
      ...(performance.now() < this.#fullUntil && { full: describeFull(FULL) }),
      ...(server && warningsOf(server)),
    };
    return { counts: { ...summarize(counts, handles), workers: server?.workers }, warnings };
  }

  async close(): Promise<void> {
    await this.#stores.flush();
    await this.#database.close();
  }
}

function refuse(problem: string): never {
  const text = `A transaction cannot complete the event: ${problem}`;
  throw new ConfigurationError(text, { option: 'eventKey' });
}

function warningsOf({ fsync, commit, standbys, synchronous }: ServerState): InboxWarnings<PostgresWarning> {
  const weak = fsync === 'off' ? 'fsync' : commit === 'off' && 'synchronous_commit';
  const waitsForNone = standbys > 0 && (synchronous === '' || commit === 'local');
  return {
    ...(weak && { persistence: `${weak} is off: a crash of Postgres loses the newest events. Turn it on.` }),
    ...(waitsForNone && {
      standby:
        `Postgres waits for none of its ${standbys} standbys: a failover loses the newest events. ` +
        'Set synchronous_standby_names.',
    }),
  };
}
