import { WebhookError } from '../errors/index.js';
import { within } from '../utils/waiting.js';

/** Makes a {@link WebhookError} that describes what could not be done in Redis, and why. */
export function redisFailure(what: string, error: unknown): WebhookError {
  if (error instanceof WebhookError) return error;
  const cause = cleanError(error);
  return new WebhookError(`${what}: ${cause.message}`, { cause });
}

/** Rejects with a {@link WebhookError} about `what` if the promise has not settled within `ms` milliseconds. */
export function withinTime<Value>(promise: Promise<Value>, ms: number, what: string): Promise<Value> {
  return within(promise, ms, () => new WebhookError(`${what}: no response from Redis within ${ms} ms`));
}

/** The connection was lost during a command, which may have taken effect. */
export class ConnectionChangedError extends Error {
  constructor() {
    super('The connection changed during the command');
  }
}

const IS_A_CLUSTER = 'This Redis is a cluster: pass a `Cluster` of ioredis as `connection`.';

/** Advice for refusals that no retry resolves. */
const HINTS: Readonly<Record<string, string>> = {
  NOPERM: 'The Redis user lacks a permission: see its ACL (INFO needs +info).',
  WRONGPASS: 'The user name or the password of `connection` is wrong.',
  NOAUTH: 'Redis requires a password: set it in `connection`.',
  OOM: 'Redis is full: see its `maxmemory`.',
  CROSSSLOT: IS_A_CLUSTER,
  MOVED: IS_A_CLUSTER,
};

/**
 * Makes an error that is safe to log from one of Redis or the network, with name, code and message alone.
 *
 * ioredis 6.0.0 attaches the command with all its arguments to its errors, passwords and payloads included
 * (`built/DataHandler.js:61`). Redis itself quotes arguments of a command that it does not have (`unknown
 * command` in `src/server.c` of 7.0).
 */
export function cleanError(error: unknown): Error & { readonly code?: string } {
  const message = messageOf(error).replace(/,? with args beginning with:[\s\S]*/, '');
  const code = codeOf(error);
  const hint = Object.hasOwn(HINTS, code ?? '') ? HINTS[code ?? ''] : undefined;
  const clean = new Error(hint === undefined ? message : `${message.trimEnd().replace(/\.$/, '')}. ${hint}`);
  if (error instanceof Error) clean.name = error.name;
  return code === undefined ? clean : Object.assign(clean, { code });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (!(error instanceof AggregateError)) return error.message;
  // If each of several addresses refuses the connection, Node throws an AggregateError without a message:
  // https://github.com/nodejs/node/pull/44731
  return [error.message, ...error.errors.map(messageOf)].filter((text) => text !== '').join('; ');
}

/** Returns the code of a network error, or the word with which Redis names a refusal, such as `NOPERM`. */
function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return code;
  const message = messageOf(error);
  // Inside a script, Redis 7.0 says this instead of NOPERM and CROSSSLOT (`src/script.c`, `scriptVerifyACL`
  // and `scriptVerifyClusterState`).
  if (message.startsWith('ERR The user executing the script')) return 'NOPERM';
  if (/^ERR Script attempted to access (?:a non local key|keys that do not hash)/.test(message)) {
    return 'CROSSSLOT';
  }
  // Before Redis 7, the refusal stands at the end: `ERR Error running script (…): @user_script:1: -READONLY
  // …` (`src/scripting.c`, `evalGenericCommand`).
  const word = (/: -([A-Z]{3,}) /.exec(message) ?? /^([A-Z]{3,}) /.exec(message))?.[1];
  return word === 'ERR' ? undefined : word;
}

/** Whether Redis has responded with an error, by the name that ioredis 6.0.0 gives it (`built/resp/errors.js:7`). */
export function isReplyError(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError';
}

/** Whether Redis is a replica, and takes no writes. */
export function isReadOnly(error: unknown): boolean {
  return codeOf(error) === 'READONLY';
}

/** Whether Redis has no memory left. */
export function isOutOfMemory(error: unknown): boolean {
  return codeOf(error) === 'OOM';
}

/** Refusals that pass by themselves: after a failover or a restart, or once a replica or the disk is back. */
const PASSING_REFUSALS = [
  'READONLY',
  'LOADING',
  'MASTERDOWN',
  'NOREPLICAS',
  'MISCONF',
  'BUSY',
  'CLUSTERDOWN',
  'TRYAGAIN',
  // For a `WAIT` in progress when Redis becomes a replica.
  'UNBLOCKED',
];

/** How the messages of ioredis 6.0.0 begin if a command got no response. These errors have no code. */
const NO_RESPONSE_MESSAGES = [
  'Connection is closed', // built/utils/index.js:375
  'Reached the max retries per request limit', // built/errors/MaxRetriesPerRequestError.js:6
  'Command aborted due to connection close', // built/redis/event_handler.js:242
  'Command timed out', // built/Command.js:207
  'None of startup nodes', // built/cluster/index.js:771
  'Too many Cluster redirections', // built/cluster/index.js:661
];

/** Whether the same command may soon succeed: the connection was lost, or Redis refused for now. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionChangedError) return true;
  const message = messageOf(error);
  return (
    PASSING_REFUSALS.includes(codeOf(error) ?? '') ||
    NO_RESPONSE_MESSAGES.some((beginning) => message.startsWith(beginning))
  );
}
