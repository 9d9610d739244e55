/**
 * A durable inbox for webhooks, on BullMQ and Redis. It needs the optional peers `bullmq` and `ioredis`.
 *
 * Start with {@link createBullMQInbox}.
 *
 * @packageDocumentation
 */

export { InboxFullError, InboxReplicasError } from '../errors/inbox.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from '../inbox/dead-letters.js';
export type { InboxCounts, InboxHealth, InboxWarnings, SharedWarning } from '../inbox/health.js';
export type { InboxFailure, InboxHooks, InboxRun } from '../inbox/hooks.js';
export type { Inbox } from '../inbox/inbox.js';
export type { Backoff, CloseOptions, InboxOptions, WorkOptions } from '../inbox/options.js';
export type { EventHandlers, HandlersByType } from '../inbox/work-handlers.js';
export type { InboxWorker } from '../inbox/worker.js';
export type { RedisClient, RedisConnection } from '../redis/connection.js';
export type { BullMQWarning } from './checks.js';
export { type BullMQInbox, type BullMQInboxWorker, createBullMQInbox } from './inbox.js';
export type { BullMQInboxOptions } from './options.js';
