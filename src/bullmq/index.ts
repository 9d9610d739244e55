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
export type { InboxHealth } from './health.js';
export { type BullMQInbox, createBullMQInbox } from './inbox.js';
export type {
  InboxEvent,
  InboxFailure,
  InboxFailures,
  InboxHooks,
  InboxLockLoss,
  InboxRun,
  InboxStall,
  InboxStored,
  InboxUnhandled,
} from './inbox-hooks.js';
export type { BullMQInboxOptions, InboxBackoff } from './inbox-options.js';
export type { InboxWorker } from './inbox-worker.js';
export type { WebhookHandlers, WebhookProcessor } from './run.js';
export type { CloseOptions, WorkOptions } from './work-options.js';
