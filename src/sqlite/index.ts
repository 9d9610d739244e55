/**
 * A durable inbox for webhooks in one file, on the SQLite of the runtime. It needs no server, and no other
 * package.
 *
 * Start with {@link createSqliteInbox}.
 *
 * @packageDocumentation
 */

export { FileGoneError, InboxFullError } from '../errors/inbox.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from '../inbox/dead-letters.js';
export type { InboxCounts, InboxHealth, InboxWarnings, SharedWarning } from '../inbox/health.js';
export type { InboxFailure, InboxHooks, InboxRun } from '../inbox/hooks.js';
export type { Inbox } from '../inbox/inbox.js';
export type { Backoff, CloseOptions, InboxOptions, WorkOptions } from '../inbox/options.js';
export type { EventHandlers, HandlersByType } from '../inbox/work-handlers.js';
export type { InboxWorker } from '../inbox/worker.js';
export type { SqliteWarning } from './engine.js';
export { createSqliteInbox, type SqliteInbox } from './inbox.js';
export type { SqliteInboxOptions } from './options.js';
