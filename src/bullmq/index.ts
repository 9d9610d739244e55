/**
 * A durable inbox for webhooks, on BullMQ and Redis. It needs the optional peers `bullmq` and `ioredis`.
 *
 * Start with {@link createBullMQInbox}.
 *
 * @packageDocumentation
 */

export { InboxFullError, InboxReplicasError } from '../errors/inbox.js';
export type { DeadLetter, DeadLetters, ListDeadLettersOptions } from '../inbox/dead-letters.js';
export type { EventHandlers, HandlersByType } from '../inbox/handlers.js';
export type { InboxHealth, InboxWarnings } from '../inbox/health.js';
export type { InboxFailure, InboxHooks, InboxRun } from '../inbox/hooks.js';
export type { Backoff, CloseOptions, InboxOptions, WorkOptions } from '../inbox/options.js';
export type { RedisClient, RedisConnection } from '../redis/connection.js';
export { type BullMQInbox, createBullMQInbox } from './inbox.js';
export type { BullMQInboxOptions } from './options.js';
export type { InboxWarning } from './warnings.js';
export type { InboxWorker } from './worker.js';
