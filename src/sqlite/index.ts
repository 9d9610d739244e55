/**
 * A durable inbox for webhooks in one file, on the SQLite of the runtime. It needs no server, and no other
 * package.
 *
 * Start with {@link createSqliteInbox}.
 *
 * @packageDocumentation
 */

export { FileGoneError } from '../errors/inbox.js';
export * from '../inbox/index.js';
export type { SqliteWarning } from './engine.js';
export { createSqliteInbox, type SqliteInbox } from './inbox.js';
export type { SqliteInboxOptions } from './options.js';
