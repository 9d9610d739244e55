/**
 * A durable inbox for webhooks, on BullMQ and Redis. It needs the optional peers `bullmq` and `ioredis`.
 *
 * Start with {@link createBullMQInbox}.
 *
 * @packageDocumentation
 */

export { InboxFullError, InboxReplicasError } from '../errors/inbox.js';
export type { RedisClient, RedisConnection } from '../redis/connection.js';
export type { DeadLetter, ListDeadLettersOptions } from './core/dead-letters.js';
export type { HandlersByType } from './core/handlers.js';
export type { InboxFailure, InboxHooks, InboxRun } from './core/hooks.js';
export type { CloseOptions, WorkOptions } from './core/options.js';
export type { DeadLetters } from './dead-letters.js';
export type { InboxHealth } from './health.js';
export { type BullMQInbox, createBullMQInbox } from './inbox.js';
export type { BullMQInboxOptions } from './options.js';
export type { InboxWarning, InboxWarnings } from './warnings.js';
export type { InboxWorker } from './worker.js';
