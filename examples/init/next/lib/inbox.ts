// Keeps the events in a file until a handler has finished with them.
import { createSqliteInbox, type SqliteInbox, type SqliteInboxOptions } from 'agent-platform-sdk/sqlite';

export type Inbox = SqliteInbox;

export function createInbox(options: Pick<SqliteInboxOptions, 'logger'> = {}): Inbox {
  // In production, set INBOX to a path on a disk that outlives the process. Its folder must exist.
  return createSqliteInbox({ path: process.env.INBOX ?? 'webhooks.db', ...options });
}
