/**
 * Duplicates of webhooks, recognised across machines. It needs the optional peer `ioredis`.
 *
 * Start with {@link createRedisDedupe}.
 *
 * @packageDocumentation
 */

export type { RedisClient, RedisConnection } from './connection.js';
export { createRedisDedupe, type RedisDedupe, type RedisDedupeOptions } from './dedupe.js';
