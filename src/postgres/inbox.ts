import { Inbox } from '../inbox/inbox.js';
import { InboxReporter } from '../inbox/reporter.js';
import { InboxWorker } from '../inbox/worker.js';
import { type Completion, PostgresEngine, type PostgresWarning } from './engine.js';
import { type PostgresClient, type PostgresInboxOptions, resolvePostgres } from './options.js';

/** Keeps events in a table of Postgres, for any number of machines. */
export class PostgresInbox extends Inbox<PostgresWarning> {
  readonly #engine: PostgresEngine;

  /** Use {@link createPostgresInbox}. */
  constructor(options: PostgresInboxOptions) {
    const settings = resolvePostgres(options);
    const reporter = new InboxReporter(settings, 'Postgres');
    const engine = new PostgresEngine(settings, reporter);
    super({ settings, reporter, engine, Worker: InboxWorker });
    this.#engine = engine;
  }

  /**
   * Runs your writes and the end of the event as one transaction: both happen, or neither does.
   *
   * So they happen exactly once, even if a process dies in between. Call it at the end of a handler: do what takes
   * long before it, because a transaction holds a connection. If the handler throws afterwards, that goes to the
   * log and to `onError`, and the event does not run again.
   *
   * @param eventKey - The `eventKey` of the handler's context.
   * @param write - Gets a connection inside a transaction. If it throws, nothing is written, and the event is retried.
   * @throws {WebhookError} Another run has the event, or it does not run in this process. Nothing was written.
   * @throws {ConfigurationError} The event has several handlers, and this would end it for all of them, or `write` of
   * the same event calls it.
   *
   * @example
   * ```ts
   * import { createPostgresInbox } from 'agent-platform-sdk/postgres';
   * import { Pool } from 'pg';
   *
   * const inbox = createPostgresInbox({ pool: new Pool({ connectionString: process.env.DATABASE_URL }) });
   * inbox.work({
   *   lead_captured: ({ payload }, { eventKey }) =>
   *     inbox.transaction(eventKey, (client) =>
   *       client.query('INSERT INTO leads (email) VALUES ($1)', [payload.leadEmail]),
   *     ),
   * });
   * ```
   */
  transaction<Value>(eventKey: string, write: (client: PostgresClient) => Promise<Value>): Promise<Value> {
    return this.#engine.transaction(eventKey, write);
  }

  /**
   * Returns the statement with which `transaction` ends, for a transaction of another driver or of an ORM.
   *
   * Run it last in your transaction. It fails with SQLSTATE `AP001` if another run has the event: let that roll back.
   *
   * @param eventKey - The `eventKey` of the handler's context.
   * @throws {WebhookError} The event does not run in this process.
   * @throws {ConfigurationError} The event has several handlers, and this would end it for all of them.
   *
   * @example
   * ```ts
   * import { createPostgresInbox } from 'agent-platform-sdk/postgres';
   *
   * // Of postgres.js: `sql.begin`.
   * declare const begin: (write: (sql: { unsafe(text: string): Promise<unknown> }) => Promise<unknown>) => Promise<unknown>;
   *
   * const inbox = createPostgresInbox({ connectionString: 'postgres://app@localhost/app' });
   * inbox.work({
   *   lead_captured: (event, { eventKey }) =>
   *     begin(async (sql) => {
   *       await sql.unsafe("INSERT INTO leads (email) VALUES ('kim@acme.example')");
   *       await sql.unsafe(inbox.completion(eventKey).text);
   *     }),
   * });
   * ```
   */
  completion(eventKey: string): Completion {
    return this.#engine.completion(eventKey);
  }
}

/**
 * Creates a durable inbox in a table of Postgres, for receivers and workers on any number of machines.
 *
 * With it, a receiver responds with 200 when the event is committed. Workers run the handlers until they succeed, and
 * keep an event that fails for good as a dead letter. It needs Postgres 13 or later, and the package `pg`.
 *
 * The inbox creates its tables at first use. With `transaction`, what a handler writes to the same database is written
 * exactly once.
 *
 * @throws {ConfigurationError} An option is wrong. The message never contains the connection.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createPostgresInbox } from 'agent-platform-sdk/postgres';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL });
 * const inbox = createPostgresInbox({ pool });
 * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox });
 * createServer(receiver.node).listen(3000);
 *
 * inbox.work({
 *   lead_captured: ({ payload }, { eventKey }) =>
 *     inbox.transaction(eventKey, (client) =>
 *       client.query('INSERT INTO leads (email) VALUES ($1)', [payload.leadEmail]),
 *     ),
 * });
 * ```
 */
export function createPostgresInbox(options: PostgresInboxOptions): PostgresInbox {
  return new PostgresInbox(options);
}
