import { Redis, type RedisOptions } from 'ioredis';
import { refuseOption } from '../validation/option-checks.js';
import { isReadOnly } from './failure.js';

/**
 * The address of Redis: a URL (`redis://…`, `rediss://…` with TLS), options of ioredis (Sentinel included), or an ioredis
 * client. A client that is passed in is never closed here, and keeps its settings. Give it a `reconnectOnError` that
 * returns true for `READONLY`, as clients made here have: after a failover, its connection can stay open to a Redis that
 * takes no more writes.
 */
export type RedisConnection = string | RedisOptions | Redis;

/** Refuses a value that is no connection. The message never repeats it, because a URL can hold a password. */
export function checkConnection(connection: RedisConnection): RedisConnection {
  if (typeof connection === 'string' && hasBarePercent(connection)) {
    refuseOption('connection', 'must have `%25` for a percent sign in its user name and password');
  }
  if (isUsable(connection)) return connection;
  return refuseOption(
    'connection',
    'must be a URL that starts with redis:// or rediss://, options of ioredis, or an ioredis client',
  );
}

function isUsable(connection: RedisConnection | null): boolean {
  if (typeof connection === 'string') {
    return URL.canParse(connection) && /^rediss?:$/.test(new URL(connection).protocol);
  }
  // Clients of node-redis have `isOpen`; their options would be taken for those of ioredis.
  return typeof connection === 'object' && connection !== null && !('isOpen' in connection);
}

/** ioredis would fail to decode such a name or password, with an error that does not say why. */
function hasBarePercent(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  try {
    decodeURIComponent(`${username}:${password}`);
    return false;
  } catch {
    return true;
  }
}

/** A client. One that is owned was made here, and is to be closed here. */
export interface OpenedClient {
  readonly client: Redis;
  readonly isOwned: boolean;
}

/** Makes a client, or takes the one that was passed in. Settings of the user win over `defaults`. */
export function openClient(connection: RedisConnection, defaults: RedisOptions): OpenedClient {
  if (isClient(connection)) return { client: connection, isOwned: false };
  return { client: newClient(connection, defaults), isOwned: true };
}

type ReconnectOnError = RedisOptions['reconnectOnError'] & {};

/**
 * Reconnects when Redis refuses a write because it is a replica now. After a failover the connection can stay open, and
 * only a new one reaches the Redis that takes writes. The refused command is rejected, or sent again.
 */
export function leaveReplica(
  command: 'rejected' | 'resent',
  tell: (error: Error) => void = () => undefined,
): ReconnectOnError {
  return (error) => {
    if (!isReadOnly(error.message)) return false;
    tell(error);
    // Numbers that ioredis defines.
    return command === 'rejected' ? 1 : 2;
  };
}

/** A client and every duplicate that BullMQ makes of it. */
export interface ClientFamily {
  readonly client: Redis;
  /** Closes the connections of all of them at once, without waiting for Redis. */
  disconnect(): void;
}

/**
 * Makes a new client for a BullMQ worker, which is always closed here: a duplicate where a client was passed in.
 *
 * @param required - Settings that win over those of the user.
 * @param reconnectOnError - Used where the user has set none.
 */
export function openFamily(
  connection: RedisConnection,
  required: RedisOptions,
  reconnectOnError: ReconnectOnError,
): ClientFamily {
  const client = openOwnClient(connection, required, reconnectOnError);
  const members = [client];
  const duplicate = client.duplicate.bind(client);
  client.duplicate = (override) => {
    const member = duplicate(override);
    members.push(member);
    return member;
  };
  const disconnect = () => {
    for (const member of members) member.disconnect();
  };
  return { client, disconnect };
}

function openOwnClient(
  connection: RedisConnection,
  required: RedisOptions,
  reconnectOnError: ReconnectOnError,
): Redis {
  if (typeof connection === 'string') return newClient(connection, { ...required, reconnectOnError });
  const set = isClient(connection) ? connection.options : connection;
  const settings = { ...required, reconnectOnError: set.reconnectOnError ?? reconnectOnError };
  return isClient(connection) ? connection.duplicate(settings) : newClient({ ...set, ...settings }, {});
}

function newClient(connection: string | RedisOptions, defaults: RedisOptions): Redis {
  // The scripts here and BullMQ are written for replies of this form.
  const replies = { replyMapping: 'legacy' } as const;
  return typeof connection === 'string'
    ? new Redis(connection, { ...defaults, ...replies })
    : new Redis({ ...defaults, ...connection, ...replies });
}

/** Looks at the shape and not at the class, because the application may have another copy of ioredis. */
function isClient(connection: RedisConnection): connection is Redis {
  return typeof connection === 'object' && typeof (connection as Partial<Redis>).duplicate === 'function';
}

/** Returns every password that a connection holds, so that none can appear in an error. */
export function passwordsOf(connection: RedisConnection): readonly string[] {
  // An empty password would be found between any two characters of a text.
  return allPasswords(connection).flatMap((password) => password || []);
}

function allPasswords(connection: RedisConnection): (string | null | undefined)[] {
  if (typeof connection === 'string') {
    const { password, searchParams } = new URL(connection);
    return [password, decodeURIComponent(password), searchParams.get('password')];
  }
  const { password, sentinelPassword } = isClient(connection) ? connection.options : connection;
  return [password, sentinelPassword];
}
