/**
 * A durable inbox for webhooks, on BullMQ and Redis. It needs `bullmq` and `ioredis`, optional peers.
 *
 * Begin with {@link createBullMQInbox}.
 *
 * @packageDocumentation
 */

export { InboxFullError, InboxReplicasError } from '../errors/inbox.js';
export type { RedisClient, RedisConnection } from '../redis/connection.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from './dead-letters.js';
export type { InboxHealth, InboxWarning, InboxWarnings } from './health.js';
export type { InboxFailure, InboxHooks, InboxRun } from './hooks.js';
export { type BullMQInbox, createBullMQInbox, type HandlersByType } from './inbox.js';
export type { BullMQInboxOptions, CloseOptions, WorkOptions } from './options.js';
export type { InboxWorker } from './worker.js';
