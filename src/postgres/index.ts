/**
 * A durable inbox for webhooks in a table of Postgres. Start with {@link createPostgresInbox}.
 *
 * @packageDocumentation
 */

export * from '../inbox/index.js';
export type { Completion, PostgresWarning } from './engine.js';
export { createPostgresInbox, type PostgresInbox } from './inbox.js';
export type { PostgresClient, PostgresInboxOptions, PostgresPool } from './options.js';
