import { WebhookError } from '../errors/index.js';
import { withoutSecrets } from '../ground/echoes.js';
import { onOneLine } from '../ground/printable.js';

/** Says in a {@link WebhookError} what could not be done, and why. */
export function redisFailure(what: string, error: unknown, passwords: readonly string[]): WebhookError {
  if (error instanceof WebhookError) return error;
  const cause = cleanError(error, passwords);
  return new WebhookError(`${what}: ${explained(cause)}`, { cause });
}

/** The message of a clean error, with advice for whoever set up Redis. */
export function explained({ message, code }: NodeJS.ErrnoException): string {
  const hint = hintOf(code ?? '');
  return hint === undefined ? message : `${message.replace(/[.\s]+$/, '')}. ${hint}.`;
}

const IS_A_CLUSTER = 'This Redis is a cluster: pass a `Cluster` of ioredis as `connection`';

/** Replies that are a matter of how Redis is set up: no retry mends them. */
const HINTS: Readonly<Record<string, string>> = {
  NOPERM: 'The user of Redis lacks a permission: see its ACL',
  WRONGPASS: 'The user name or the password of `connection` is wrong',
  NOAUTH: 'Redis wants a password: set it in `connection`',
  CROSSSLOT: IS_A_CLUSTER,
  MOVED: IS_A_CLUSTER,
  CLUSTERDOWN: 'The Redis cluster has no node for these keys at present',
  OOM: 'Redis is full: see its `maxmemory`',
  MISCONF: 'Redis cannot write to its disk',
  NOREPLICAS: 'Fewer replicas are connected than `min-replicas-to-write` asks for',
};

const WRITE_REFUSALS = ['READONLY', 'OOM', 'MISCONF', 'NOREPLICAS'];

const CONNECTING_REFUSALS = ['WRONGPASS', 'NOAUTH', 'LOADING'];

/** The success after which a failure is over: a connection, a write, or a run of a worker, which takes other commands as well. */
export type Success = 'connection' | 'write' | 'run';

/** Returns what must succeed before this failure is over. */
export function overAfter({ name, code }: NodeJS.ErrnoException): Success {
  if (code === undefined || CONNECTING_REFUSALS.includes(code)) return 'connection';
  if (WRITE_REFUSALS.includes(code)) return 'write';
  // The class that ioredis gives to the refusals of Redis.
  return name === 'ReplyError' ? 'run' : 'connection';
}

function hintOf(code: string): string | undefined {
  if (Object.hasOwn(HINTS, code)) return HINTS[code];
  // The names that OpenSSL and Node give to failures of TLS, of certificates and of their names.
  return /^(?:ERR_(?:TLS|SSL)_|EPROTO$|.*(?:CERT|ISSUER|SIGNATURE))/.test(code)
    ? 'TLS failed: see `tls` of `connection`, and the certificate of Redis'
    : undefined;
}

/**
 * Makes an error that can be logged from one of Redis or of the network. ioredis attaches the command with all its
 * arguments to its errors, the password of an `AUTH` and the payload of a job included, so only name, code and message
 * are kept.
 */
export function cleanError(error: unknown, passwords: readonly string[]): Error {
  const clean = new Error(onOneLine(withoutSecrets(withoutArguments(messageOf(error)), passwords)));
  if (!(error instanceof Error)) return clean;
  clean.name = error.name;
  const code = (error as NodeJS.ErrnoException).code ?? replyCode(messageOf(error));
  return code === undefined ? clean : Object.assign(clean, { code });
}

/** The word with which Redis names an error, such as `NOPERM`; undefined for the general `ERR`, and for other errors. */
function replyCode(message: string): string | undefined {
  // Within a script, Redis says this instead of NOPERM and CROSSSLOT.
  if (message.startsWith('ERR The user executing the script')) return 'NOPERM';
  if (/^ERR Script attempted to access (?:a non local key|keys that do not hash)/.test(message))
    return 'CROSSSLOT';
  // Before Redis 7, the error of a script only ends with the reply.
  const code = (/: -([A-Z]{3,}) /.exec(message) ?? /^([A-Z]{3,}) /.exec(message))?.[1];
  return code === 'ERR' ? undefined : code;
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (!(error instanceof AggregateError)) return error.message;
  // When each of several addresses refuses the connection, Node throws an AggregateError without a message.
  return [error.message, ...error.errors.map(messageOf)].filter((text) => text !== '').join('; ');
}

/** Redis quotes the arguments of a command that it does not know, and names the line of a script, each time another. */
function withoutArguments(message: string): string {
  return message
    .replace(/,? with args beginning with:[\s\S]*/, '')
    .replace(/ script: [0-9a-f]{40}, on @user_script:\d+\.?/, '');
}

/** Redis is a replica, and takes no writes. */
export function isReadOnly(error: unknown): boolean {
  return replyCode(messageOf(error)) === 'READONLY';
}

const PASSING = [
  'READONLY',
  'LOADING',
  'MASTERDOWN',
  'NOREPLICAS',
  'BUSY',
  'CLUSTERDOWN',
  'TRYAGAIN',
  // Of a `WAIT` that is under way when Redis becomes a replica.
  'UNBLOCKED',
];

/** Redis refused the command, and may soon accept it: after a failover, a restart or the return of a replica. */
export function isRefusedForNow(error: unknown): boolean {
  return PASSING.includes(replyCode(messageOf(error)) ?? '');
}

/** The beginnings of the errors with which ioredis gives up a command that has no answer. */
const UNANSWERED = [
  'Connection is closed',
  'Reached the max retries per request limit',
  'Command aborted due to connection close',
  'Command timed out',
  'Failed to refresh slots cache',
  'None of startup nodes',
  'Too many Cluster redirections',
];

/** The connection was lost before the command was sent, or before it was answered; or the client waits no longer. */
export function isConnectionLost(error: unknown): boolean {
  const message = messageOf(error);
  return UNANSWERED.some((beginning) => message.startsWith(beginning));
}

/** The user of Redis may not run the command, or nobody may. */
export function isForbidden(error: unknown): boolean {
  const message = messageOf(error);
  return replyCode(message) === 'NOPERM' || message.startsWith('ERR unknown command');
}
