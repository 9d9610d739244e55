import { Redis, type RedisOptions } from 'ioredis';
import { refuseOption } from '../validation/option-checks.js';
import { isReadOnly } from './failure.js';

/**
 * Where Redis is: a URL (`redis://…`, `rediss://…` with TLS), options of ioredis (Sentinel included), or an ioredis
 * client. A client that is passed in stays its owner's: it is never closed here, and its settings stay as they are. It
 * should have a `reconnectOnError` for `READONLY`, as clients made here have: a failover can leave its connection open to a
 * Redis that takes no writes any more.
 */
export type RedisConnection = string | RedisOptions | Redis;

/** A client, and whether it was made here and is to be closed here. */
export interface OpenedClient {
  readonly client: Redis;
  readonly isOwned: boolean;
}

/** Makes a client, or takes the one that was passed. `defaults` give way to what the user has set. */
export function openClient(connection: RedisConnection, defaults: RedisOptions): OpenedClient {
  if (isClient(connection)) return { client: connection, isOwned: false };
  return { client: newClient(connection, defaults), isOwned: true };
}

type ReconnectOnError = RedisOptions['reconnectOnError'] & {};

/**
 * A failover can leave the connection open, to a Redis that has become a replica and refuses every write: only a new
 * connection finds the one that takes them. The command that was refused is rejected, or sent again.
 */
export function leaveReplica(
  command: 'rejected' | 'resent',
  tell: (error: Error) => void = () => undefined,
): ReconnectOnError {
  return (error) => {
    if (!isReadOnly(error.message)) return false;
    tell(error);
    // The numbers are those of ioredis.
    return command === 'rejected' ? 1 : 2;
  };
}

/** A client, together with every duplicate that BullMQ makes of it. */
export interface ClientFamily {
  readonly client: Redis;
  /** Cuts off the client and its duplicates, also those that wait for a Redis that is away. */
  disconnect(): void;
}

/**
 * Makes a client like the one that was passed, with settings that it must have. It is closed here.
 *
 * @param reconnectOnError - Gives way to what the user has set.
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
  // Replies of the shape that scripts and BullMQ were written for, whatever the application uses elsewhere.
  const replies = { replyMapping: 'legacy' } as const;
  return typeof connection === 'string'
    ? new Redis(connection, { ...defaults, ...replies })
    : new Redis({ ...defaults, ...connection, ...replies });
}

/** Refuses what is no connection. The message never repeats it: a URL holds a password. */
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
  if (typeof connection === 'string') return /^rediss?:$/.test(protocolOf(connection) ?? '');
  // `isOpen` is what clients of node-redis have: their options would be taken for those of ioredis.
  return typeof connection === 'object' && connection !== null && !('isOpen' in connection);
}

/** ioredis would fail while it decodes them, with an error that says nothing. */
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

function protocolOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).protocol : undefined;
}

/** By shape, because the application may have another copy of ioredis. */
function isClient(connection: RedisConnection): connection is Redis {
  return typeof connection === 'object' && typeof (connection as Partial<Redis>).duplicate === 'function';
}

/** Every password that a connection holds, so that none can appear in an error. */
export function secretsOf(connection: RedisConnection): readonly string[] {
  // An empty one stands between any two characters of a text.
  return passwordsOf(connection).flatMap((secret) => secret || []);
}

function passwordsOf(connection: RedisConnection): (string | null | undefined)[] {
  if (typeof connection === 'string') return passwordsOfUrl(connection);
  const { password, sentinelPassword } = isClient(connection) ? connection.options : connection;
  return [password, sentinelPassword];
}

function passwordsOfUrl(url: string): string[] {
  const { password, searchParams } = new URL(url);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''];
}
