// What every inbox exports beside its own.

export { InboxFullError } from '../errors/inbox.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from './dead-letters.js';
export type { InboxCounts, InboxHealth, InboxWarnings, SharedWarning } from './health.js';
export type { InboxFailure, InboxHooks, InboxRun } from './hooks.js';
export type { Inbox } from './inbox.js';
export type { Backoff, CloseOptions, InboxOptions, WorkOptions } from './options.js';
export type { EventHandlers, HandlersByType } from './work-handlers.js';
export type { InboxWorker } from './worker.js';
