import { WebhookError } from '../errors/index.js';
import { within } from '../utils/waiting.js';

/** A {@link WebhookError} that describes what could not be done in Redis, and why. */
export function redisFailure(what: string, error: unknown): WebhookError {
  if (error instanceof WebhookError) return error;
  const cause = cleanError(error);
  return new WebhookError(`${what}: ${cause.message}`, { cause });
}

/** Rejects with a {@link WebhookError} that begins with `what` if Redis has not responded within `ms` milliseconds. */
export function withinTime<Value>(promise: Promise<Value>, ms: number, what: string): Promise<Value> {
  return within(promise, ms, () => new WebhookError(`${what}: no response from Redis within ${ms} ms`));
}

const IS_A_CLUSTER = 'This Redis is a cluster: pass a `Cluster` of ioredis as `connection`.';

/** Advice for refusals that no retry mends. */
const HINTS: Readonly<Record<string, string>> = {
  NOPERM: 'The Redis user lacks a permission: see its ACL (INFO needs +info).',
  WRONGPASS: 'The user name or the password of `connection` is wrong.',
  NOAUTH: 'Redis requires a password: set it in `connection`.',
  OOM: 'Redis is full: see its `maxmemory`.',
  CROSSSLOT: IS_A_CLUSTER,
  MOVED: IS_A_CLUSTER,
};

/**
 * An error that is safe to log, from one of Redis or of the network.
 *
 * ioredis attaches the command with all its arguments to its errors, passwords and payloads included. Only name, code
 * and message are kept.
 */
export function cleanError(error: unknown): Error {
  const message = messageOf(error).replace(/,? with args beginning with:[\s\S]*/, '');
  const code = codeOf(error);
  const hint = Object.hasOwn(HINTS, code ?? '') ? HINTS[code ?? ''] : undefined;
  const clean = new Error(hint === undefined ? message : `${message.replace(/[.\s]+$/, '')}. ${hint}`);
  if (error instanceof Error) clean.name = error.name;
  return code === undefined ? clean : Object.assign(clean, { code });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (!(error instanceof AggregateError)) return error.message;
  // If each of several addresses refuses the connection, Node throws an AggregateError without a message.
  return [error.message, ...error.errors.map(messageOf)].filter((text) => text !== '').join('; ');
}

/** The code of an error of the network, or the word with which Redis names a refusal, such as `NOPERM`. */
function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  const message = messageOf(error);
  // Inside a script, Redis says this instead of NOPERM and CROSSSLOT.
  if (message.startsWith('ERR The user executing the script')) return 'NOPERM';
  if (/^ERR Script attempted to access (?:a non local key|keys that do not hash)/.test(message)) {
    return 'CROSSSLOT';
  }
  // Before Redis 7, the error of a script only ends with the refusal.
  const word = (/: -([A-Z]{3,}) /.exec(message) ?? /^([A-Z]{3,}) /.exec(message))?.[1];
  return word === 'ERR' ? undefined : word;
}

/** Whether Redis is a replica, and takes no writes. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === 'READONLY';
}

/** Whether Redis has no memory left. */
export function isOutOfMemory(error: unknown): boolean {
  return codeOf(error) === 'OOM';
}

/** Refusals that pass by themselves: after a failover, a restart or the return of a replica. */
const PASSING = [
  'READONLY',
  'LOADING',
  'MASTERDOWN',
  'NOREPLICAS',
  'BUSY',
  'CLUSTERDOWN',
  'TRYAGAIN',
  // Of a `WAIT` in progress when Redis becomes a replica.
  'UNBLOCKED',
];

/** The beginnings of ioredis' messages for a command that got no response. */
const UNANSWERED = [
  'Connection is closed',
  'Reached the max retries per request limit',
  'Command aborted due to connection close',
  'Command timed out',
  'Failed to refresh slots cache',
  'None of startup nodes',
  'Too many Cluster redirections',
];

/** Whether the same command may soon succeed: the connection was lost, or Redis refused for now. */
export function isTransient(error: unknown): boolean {
  const message = messageOf(error);
  return (
    PASSING.includes(codeOf(error) ?? '') || UNANSWERED.some((beginning) => message.startsWith(beginning))
  );
}
