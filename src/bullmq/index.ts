/**
 * A durable inbox for webhooks, on BullMQ and Redis. It needs the optional peers `bullmq` and `ioredis`.
 *
 * Start with {@link createBullMQInbox}.
 *
 * @packageDocumentation
 */

export { InboxReplicasError } from '../errors/inbox.js';
export * from '../inbox/index.js';
export type { RedisClient, RedisConnection } from '../redis/connection.js';
export type { BullMQWarning } from './checks.js';
export { type BullMQInbox, type BullMQInboxWorker, createBullMQInbox } from './inbox.js';
export type { BullMQInboxOptions } from './options.js';
