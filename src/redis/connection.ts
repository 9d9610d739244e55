import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { isOpaque } from '../utils/json.js';
import { isReadOnly } from './failure.js';

/** An ioredis client for one Redis, a Redis behind Sentinel, or a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/**
 * The address of Redis: a URL (`redis://…`, `rediss://…` with TLS), options of ioredis, or an ioredis client.
 *
 * Options may name Sentinels. A client, which may be a `Cluster`, is never closed here and keeps its
 * settings. Give it a `reconnectOnError` that returns true for `READONLY`, as clients made here have: after a
 * failover, its connection can stay open to a Redis that takes no more writes. With Sentinel, give it
 * `failoverDetector: true` as well.
 */
export type RedisConnection = string | RedisOptions | RedisClient;

/** Describes a connection that is accepted. An error never repeats the value: a URL can hold a password. */
export const CONNECTION_RULE =
  'must be a URL that starts with redis:// or rediss://, options of ioredis without `url`, or an ioredis client';

/** Whether a value can be a connection. */
export function isConnection(value: unknown): value is RedisConnection {
  if (typeof value === 'string') return URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol);
  if (typeof value !== 'object' || value === null) return false;
  // ioredis would find no options in the others, and connect to localhost.
  if (Array.isArray(value) || (isOpaque(value) && !isClient(value))) return false;
  // Clients of node-redis have `isOpen`. `url` belongs to the options of BullMQ and node-redis: ioredis 6.0.0
  // ignores it, and connects to localhost.
  return !('isOpen' in value) && !('url' in value);
}

/** A client, and whether it was made here and is closed here. */
export interface OpenedClient {
  readonly client: RedisClient;
  readonly isOwned: boolean;
}

/** Makes a client, or takes the one that was passed in. User-supplied settings win over `defaults`. */
export function openClient(connection: RedisConnection, defaults: RedisOptions): OpenedClient {
  if (isClient(connection)) return { client: connection, isOwned: false };
  return { client: newClient(connection, defaults), isOwned: true };
}

/**
 * Time in ms after which a client asks a Redis that reads its files whether it has finished.
 *
 * ioredis 6.0.0 waits for as long as Redis expects that to take, up to ten seconds (`built/Redis.js:812`).
 */
const LOADING_CHECK_INTERVAL_MS = 500;

/**
 * Makes a client of its own, a duplicate if a client was passed in.
 *
 * User-supplied settings win over `defaults`, and `required` wins over both.
 */
export function newClient(
  connection: RedisConnection,
  defaults: RedisOptions,
  required: RedisOptions = {},
): RedisClient {
  const set = settingsOf(connection);
  const reconnectOnError = set.reconnectOnError ?? defaults.reconnectOnError ?? null;
  // BullMQ and the scripts here expect replies of this shape, whatever the application sets for ioredis 6.
  const last = { ...required, ...failoverOf(set), reconnectOnError, replyMapping: 'legacy' } as const;
  const first = { maxLoadingRetryTime: LOADING_CHECK_INTERVAL_MS, ...defaults };
  if (typeof connection === 'string') return new Redis(connection, { ...first, ...last });
  if (!isClient(connection)) return new Redis({ ...first, ...connection, ...last });
  if (isCluster(connection)) return connection.duplicate([], { redisOptions: { ...set, ...last } });
  return connection.duplicate(last);
}

/**
 * Makes Sentinels report a failover. Without it, ioredis notices one only if Redis closes the connection:
 * https://github.com/redis/ioredis/issues/1314
 *
 * A client could stay for seconds with a Redis that was away and returned, and what it writes there is lost
 * when that Redis becomes a replica.
 */
function failoverOf({ sentinels }: RedisOptions): RedisOptions {
  return sentinels ? { failoverDetector: true } : {};
}

/**
 * Reconnects when Redis refuses a write because it is a replica now.
 *
 * After a failover the connection can stay open, and only a new one reaches the Redis that takes writes. The
 * refused command is rejected: https://github.com/redis/ioredis#reconnect-on-error
 */
export function leaveReplica(onRefused: (error: Error) => void = () => undefined): (error: Error) => boolean {
  return (error) => {
    const isRefused = isReadOnly(error);
    if (isRefused) onRefused(error);
    return isRefused;
  };
}

/**
 * Reconnects a client that ended by itself. Call it with each error of the client.
 *
 * ioredis 6.0.0 ends a client forever if a Sentinel reports a failover just as the client asks for the Redis
 * that takes writes: `built/connectors/SentinelConnector/index.js:83` throws, and `built/Redis.js:150` does
 * not retry. A client that was closed on purpose emits no such error (`built/Redis.js:568`).
 */
export function outliveFailover(client: RedisClient, error: Error): void {
  if (error.message !== 'Connection is closed.') return;
  // It ends right after the error.
  process.nextTick(() => {
    if (client.status === 'end') client.connect().catch(() => undefined);
  });
}

/**
 * Whether a connection is a client. By its shape: the application may have another installation of ioredis.
 */
function isClient(connection: RedisConnection): connection is RedisClient {
  return typeof connection === 'object' && typeof (connection as Partial<Redis>).duplicate === 'function';
}

/** Whether a connection is a client of a Redis Cluster. */
export function isCluster(connection: RedisConnection): connection is Cluster {
  return isClient(connection) && connection.isCluster;
}

/** The settings of the connections that a client makes; in a cluster, of those to its nodes. */
export function settingsOf(connection: RedisConnection): RedisOptions {
  if (typeof connection === 'string') return {};
  if (isCluster(connection)) return connection.options.redisOptions ?? {};
  return isClient(connection) ? connection.options : connection;
}
