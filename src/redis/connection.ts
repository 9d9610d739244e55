import { type Cluster, Redis, type RedisOptions } from 'ioredis';
import { refuseOption } from '../validation/option-checks.js';
import { isReadOnly } from './failure.js';

/** A client of ioredis: of one Redis, of a Redis behind Sentinel, or of a Redis Cluster. */
export type RedisClient = Redis | Cluster;

/**
 * The address of Redis: a URL (`redis://…`, `rediss://…` with TLS), options of ioredis (Sentinel included), or an ioredis
 * client, a `Cluster` included. A client that is passed in is never closed here, and keeps its settings. Give it a
 * `reconnectOnError` that returns true for `READONLY`, as clients made here have: after a failover, its connection can stay
 * open to a Redis that takes no more writes. With Sentinel, give it `failoverDetector: true` as well; where ioredis ends it in a
 * failover, an inbox connects it again.
 */
export type RedisConnection = string | RedisOptions | RedisClient;

/** Refuses a value that is no connection. The message never repeats it, because a URL can hold a password. */
export function checkConnection(connection: RedisConnection): RedisConnection {
  if (typeof connection === 'string' && hasBarePercent(connection)) {
    refuseOption('connection', 'must have `%25` for a percent sign in its user name and password');
  }
  if (isUsable(connection)) return withoutUrl(connection);
  return refuseOption(
    'connection',
    'must be a URL that starts with redis:// or rediss://, options of ioredis, or an ioredis client',
  );
}

/** ioredis does not know the option, which BullMQ takes, and would connect to this machine. */
function withoutUrl(connection: RedisConnection): RedisConnection {
  if (typeof connection === 'string' || isClient(connection) || !('url' in connection)) return connection;
  return refuseOption('connection.url', 'is not an option of ioredis: pass the URL itself as `connection`');
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
  readonly client: RedisClient;
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
    if (!isReadOnly(error)) return false;
    tell(error);
    // Numbers that ioredis defines.
    return command === 'rejected' ? 1 : 2;
  };
}

/**
 * Connects a client again that has ended by itself, when it tells this error. ioredis ends one for ever where a Sentinel tells of a
 * failover just as the client asks for the Redis that takes writes. A client that was closed tells of no closed connection.
 */
export function outliveFailover(client: RedisClient, error: Error): void {
  if (error.message !== 'Connection is closed.') return;
  // It ends right after it has told.
  process.nextTick(() => {
    if (client.status === 'end') client.connect().catch(() => undefined);
  });
}

/** A client and every duplicate that BullMQ makes of it. */
export interface ClientFamily {
  readonly client: RedisClient;
  /** Closes the connections of all of them at once, without waiting for Redis. */
  disconnect(): void;
}

/** Settings that win over those of the user; one that is undefined takes the user's away. */
type RequiredSettings = { readonly [Name in keyof RedisOptions]: RedisOptions[Name] | undefined };

/**
 * Makes a new client for a BullMQ worker, which is always closed here: a duplicate where a client was passed in.
 *
 * @param reconnectOnError - Used where the user has set none.
 */
export function openFamily(
  connection: RedisConnection,
  required: RequiredSettings,
  reconnectOnError: ReconnectOnError,
): ClientFamily {
  const client = openOwnClient(connection, required, reconnectOnError);
  const members: RedisClient[] = [];
  const join = (member: RedisClient) => {
    members.push(member);
    letEndWhileReconnecting(member);
    return member.on('error', (error: Error) => outliveFailover(member, error));
  };
  join(client);
  const duplicate = client.duplicate.bind(client) as (...overrides: readonly unknown[]) => RedisClient;
  // Those of a `Redis` and of a `Cluster` differ in what they take, which is passed on as it is.
  client.duplicate = ((...overrides: readonly unknown[]) =>
    join(duplicate(...overrides))) as typeof client.duplicate;
  const disconnect = () => {
    for (const member of members) member.disconnect();
  };
  return { client, disconnect };
}

/**
 * Lets a client end also while it waits to connect again. ioredis would only stop waiting: it would tell no end, for which BullMQ
 * waits as it closes, and leave its commands unanswered.
 */
function letEndWhileReconnecting(client: RedisClient): void {
  const disconnect = client.disconnect.bind(client);
  client.disconnect = (reconnect = false) => {
    const isWaiting = client.status === 'reconnecting';
    disconnect(reconnect);
    if (!isWaiting || reconnect) return;
    client.connect().then(
      () => disconnect(),
      () => undefined,
    );
    // A cluster that is given up before it has looked for its nodes tells no end either.
    if (!isCluster(client)) disconnect();
  };
}

/** Makes a new client of the same address: a duplicate where a client was passed in. */
export function openOwnClient(
  connection: RedisConnection,
  required: RequiredSettings,
  reconnectOnError: ReconnectOnError,
): RedisClient {
  const set = typeof connection === 'string' ? {} : optionsOf(connection);
  // The types of ioredis know no setting that is undefined; ioredis itself takes it for one that is not there.
  const settings = {
    ...required,
    reconnectOnError: set.reconnectOnError ?? reconnectOnError,
  } as RedisOptions;
  if (typeof connection === 'string') return newClient(connection, settings);
  if (!isClient(connection)) return newClient({ ...set, ...settings }, {});
  if (!isCluster(connection)) return connection.duplicate({ ...settings, ...REPLIES, ...failoverOf(set) });
  return connection.duplicate([], { redisOptions: { ...settings, ...REPLIES } });
}

/** The scripts here and BullMQ are written for replies of this form. */
const REPLIES = { replyMapping: 'legacy' } as const;

function newClient(connection: string | RedisOptions, defaults: RedisOptions): Redis {
  return typeof connection === 'string'
    ? new Redis(connection, { ...defaults, ...REPLIES })
    : new Redis({ ...defaults, ...failoverOf(connection), ...connection, ...REPLIES });
}

/**
 * Lets the Sentinels tell of a failover. Without, a client can go on for seconds with a Redis that was away and returned,
 * and what it writes there is lost when that Redis becomes a replica.
 */
function failoverOf({ sentinels }: RedisOptions): RedisOptions {
  return sentinels === undefined || sentinels === null ? {} : { failoverDetector: true };
}

/** Looks at the shape and not at the class, because the application may have another copy of ioredis. */
function isClient(connection: RedisConnection): connection is RedisClient {
  return typeof connection === 'object' && typeof (connection as Partial<Redis>).duplicate === 'function';
}

/** Tells whether a connection is a client of a Redis Cluster. */
export function isCluster(connection: RedisConnection): connection is Cluster {
  return isClient(connection) && connection.isCluster;
}

/** Bytes after which what was written so far is sent, so that Redis works while more is being made. */
const MAX_TOGETHER = 12 * 1024;

/**
 * Sends what is written to Redis in this turn of the event loop together, at its end or when it has grown to
 * {@link MAX_TOGETHER}. Else each event takes a call of the system, which costs more than the rest of storing it.
 */
export function writeTogether({ stream }: Redis): void {
  if (stream.writableCorked === 0) setImmediate(() => stream.uncork());
  else if (stream.writableLength < MAX_TOGETHER) return;
  else stream.uncork();
  stream.cork();
}

/** Returns the settings of the connections that a client makes: of a cluster, those to its nodes. */
export function optionsOf(connection: RedisOptions | RedisClient): RedisOptions {
  if (isCluster(connection)) return connection.options.redisOptions ?? {};
  return isClient(connection) ? connection.options : connection;
}

/** Returns every password that a connection holds, so that none can appear in an error. */
export function passwordsOf(connection: RedisConnection): readonly string[] {
  return allPasswords(connection).flatMap((password) => password ?? []);
}

function allPasswords(connection: RedisConnection): (string | null | undefined)[] {
  if (typeof connection === 'string') {
    const { password, searchParams } = new URL(connection);
    // As it is encoded there, it is recognised too.
    return [decodeURIComponent(password), searchParams.get('password')];
  }
  const { password, sentinelPassword } = optionsOf(connection);
  return [password, sentinelPassword, ...passwordsOfNodes(connection)];
}

/** Each node that a cluster is first reached by can be a URL, or have a password of its own. */
function passwordsOfNodes(connection: RedisConnection): (string | null | undefined)[] {
  // Only a cluster has them. Declared as private; before the client is connected, they are nowhere else.
  const { startupNodes = [] } = connection as unknown as {
    startupNodes?: (string | number | RedisOptions)[];
  };
  return startupNodes.flatMap((node) => {
    if (typeof node === 'object') return node.password;
    return typeof node === 'string' && URL.canParse(node) ? allPasswords(node) : undefined;
  });
}
