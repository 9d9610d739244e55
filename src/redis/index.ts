/**
 * Duplicates of webhooks, recognised across machines. It needs `ioredis`, an optional peer.
 *
 * Begin with {@link createRedisDedupe}.
 *
 * @packageDocumentation
 */

export type { RedisClient, RedisConnection } from './connection.js';
export { createRedisDedupe, type RedisDedupe, type RedisDedupeOptions } from './dedupe.js';
