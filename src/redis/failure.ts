import { WebhookError } from '../errors/index.js';
import { withoutSecrets } from '../ground/redact.js';

/** Says in a {@link WebhookError} what could not be done, and why. */
export function redisFailure(what: string, error: unknown, passwords: readonly string[]): WebhookError {
  if (error instanceof WebhookError) return error;
  const cause = cleanError(error, passwords);
  return new WebhookError(`${what}: ${cause.message}`, { cause });
}

/**
 * Makes an error that can be logged from one of Redis or of the network. ioredis attaches the command with all its
 * arguments to its errors, the password of an `AUTH` and the payload of a job included, so only name, code and message
 * are kept.
 */
export function cleanError(error: unknown, passwords: readonly string[]): Error {
  const clean = new Error(withoutSecrets(withoutArguments(messageOf(error)), passwords));
  if (!(error instanceof Error)) return clean;
  clean.name = error.name;
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? clean : Object.assign(clean, { code });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  if (!(error instanceof AggregateError)) return error.message;
  // When each of several addresses refuses the connection, Node throws an AggregateError without a message.
  return [error.message, ...error.errors.map(messageOf)].filter((text) => text !== '').join('; ');
}

/** Redis quotes the arguments of a command that it does not know. */
function withoutArguments(message: string): string {
  return message.replace(/,? with args beginning with:[\s\S]*$/, '');
}

/** Redis is a replica, and takes no writes. Before Redis 7, a script's error message only ends with this reply. */
export function isReadOnly(message: string): boolean {
  return /(?:^|: -)READONLY /.test(message);
}

/** Redis refused the command, and may soon accept it: after a failover, a restart or the return of a replica. */
export function isRefusedForNow(error: unknown): boolean {
  const message = messageOf(error);
  return isReadOnly(message) || /^(?:LOADING|MASTERDOWN|NOREPLICAS|BUSY) /.test(message);
}

/** The connection was lost before the command was sent, or before it was answered. */
export function isConnectionLost(error: unknown): boolean {
  return /^(?:Connection is closed|Reached the max retries per request limit)/.test(messageOf(error));
}
