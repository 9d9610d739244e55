import { Redis, type RedisOptions } from 'ioredis';
import { refuseOption } from '../option-checks.js';

/**
 * Where Redis is: a URL (`redis://…`, `rediss://…` with TLS), options of ioredis (Sentinel included), or an ioredis
 * client. A client that is passed in stays its owner's: it is never closed here.
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

/** A client that is duplicated by whom it is given to. */
export interface ClientFamily {
  readonly client: Redis;
  /** Cuts off the client and its duplicates, also those that wait for a Redis that is away. */
  disconnect(): void;
}

/** Makes a client like the one that was passed, with settings that it must have. It is closed here. */
export function openFamily(connection: RedisConnection, required: RedisOptions): ClientFamily {
  const client = openOwnClient(connection, required);
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

function openOwnClient(connection: RedisConnection, required: RedisOptions): Redis {
  if (isClient(connection)) return connection.duplicate(required);
  return typeof connection === 'string'
    ? newClient(connection, required)
    : newClient({ ...connection, ...required }, {});
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
  const isUsable =
    typeof connection === 'string'
      ? /^rediss?:$/.test(protocolOf(connection) ?? '')
      : typeof connection === 'object' && connection !== null;
  if (isUsable) return connection;
  return refuseOption(
    'connection',
    'must be a URL that starts with redis:// or rediss://, options of ioredis, or an ioredis client',
  );
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
  if (typeof connection === 'string') return passwordsOfUrl(connection);
  const { password, sentinelPassword } = isClient(connection) ? connection.options : connection;
  return [password, sentinelPassword].filter((secret) => typeof secret === 'string');
}

function passwordsOfUrl(url: string): string[] {
  const { password, searchParams } = new URL(url);
  return [password, decodeURIComponent(password), searchParams.get('password') ?? ''];
}
