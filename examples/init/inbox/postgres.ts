// Keeps the events in a table of Postgres until a handler has finished with them.
import {
  createPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
} from 'agent-platform-sdk/postgres';

export type Inbox = PostgresInbox;

export function createInbox(options: Pick<PostgresInboxOptions, 'logger'> = {}): Inbox {
  // `postgres://user:password@host:5432/database`. The inbox makes its tables there, in a schema of their own.
  return createPostgresInbox({ connectionString: process.env.DATABASE_URL, ...options });
}
