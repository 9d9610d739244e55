import { Inbox } from '../inbox/inbox.js';
import { InboxReporter } from '../inbox/reporter.js';
import { InboxWorker } from '../inbox/worker.js';
import { SqliteEngine, type SqliteWarning } from './engine.js';
import { resolveSqlite, type SqliteInboxOptions } from './options.js';

/** Keeps events in one file, for all processes of one machine. */
export class SqliteInbox extends Inbox<SqliteWarning> {
  /** Use {@link createSqliteInbox}. */
  constructor(options: SqliteInboxOptions) {
    const settings = resolveSqlite(options);
    const reporter = new InboxReporter(settings, 'the file');
    super({ settings, reporter, engine: new SqliteEngine(settings, reporter), Worker: InboxWorker });
  }
}

/**
 * Creates a durable inbox in one file, for receivers and workers on one machine.
 *
 * With it, a receiver responds with 200 when the event is on the disk. Workers run the handlers until they
 * succeed, and keep an event that fails for good as a dead letter. It needs no server, and no other
 * package.
 *
 * It needs Node 22.22.3+ or 24.15+, Bun, or Deno, and a disk that outlives the process: in a container,
 * a volume. An event is as safe as that disk. On several machines, use `createPostgresInbox` or
 * `createBullMQInbox`.
 *
 * @throws {ConfigurationError} An option is wrong, the file cannot be opened, or this runtime has no safe
 * SQLite.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { createWebhookReceiver } from 'agent-platform-sdk';
 * import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
 *
 * const inbox = createSqliteInbox({ path: '/data/webhooks.db' });
 * const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox });
 * createServer(receiver.node).listen(3000);
 *
 * inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) }, { concurrency: 20 });
 * ```
 */
export function createSqliteInbox(options: SqliteInboxOptions): SqliteInbox {
  return new SqliteInbox(options);
}
