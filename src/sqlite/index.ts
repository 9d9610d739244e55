/**
 * A durable inbox for webhooks in one file, on the SQLite of the runtime. It needs no server, and no other
 * package.
 *
 * Start with {@link createSqliteInbox}.
 *
 * @packageDocumentation
 */

export { InboxFullError } from '../errors/inbox.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from '../inbox/dead-letters.js';
export type { EventHandlers, HandlersByType } from '../inbox/handlers.js';
export type { InboxHealth, InboxWarnings } from '../inbox/health.js';
export type { InboxFailure, InboxHooks, InboxRun } from '../inbox/hooks.js';
export type { Backoff, CloseOptions, InboxOptions, WorkOptions } from '../inbox/options.js';
export type { InboxWarning } from './health.js';
export { createSqliteInbox, type SqliteInbox } from './inbox.js';
export type { SqliteInboxOptions } from './options.js';
export type { InboxWorker } from './worker.js';
