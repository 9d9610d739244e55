export type { RedisConnection } from './connection.js';
export { createRedisDedupe, type RedisDedupe, type RedisDedupeOptions } from './dedupe.js';
