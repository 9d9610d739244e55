/**
 * A durable inbox for webhooks in a table of Postgres. Start with {@link createPostgresInbox}.
 *
 * @packageDocumentation
 */

export { InboxFullError } from '../errors/inbox.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from '../inbox/dead-letters.js';
export type { InboxCounts, InboxHealth, InboxWarnings, SharedWarning } from '../inbox/health.js';
export type { InboxFailure, InboxHooks, InboxRun } from '../inbox/hooks.js';
export type { Inbox } from '../inbox/inbox.js';
export type { Backoff, CloseOptions, InboxOptions, WorkOptions } from '../inbox/options.js';
export type { EventHandlers, HandlersByType } from '../inbox/work-handlers.js';
export type { InboxWorker } from '../inbox/worker.js';
export type { Completion, PostgresWarning } from './engine.js';
export { createPostgresInbox, type PostgresInbox } from './inbox.js';
export type { PostgresClient, PostgresInboxOptions, PostgresPool } from './options.js';
