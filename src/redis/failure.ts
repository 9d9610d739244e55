import { WebhookError } from '../errors/index.js';
import { withoutSecrets } from '../ground/redact.js';

/**
 * What Redis, or the way to it, reported, as an error that can be logged. ioredis attaches the command with all its
 * arguments to its errors, the password of an `AUTH` and the payload of a job included: only name, code and message are
 * taken over.
 */
export function cleanError(error: unknown, secrets: readonly string[]): Error {
  const { name, message, code } = partsOf(error);
  const clean = new Error(withoutSecrets(withoutArguments(message), secrets));
  clean.name = name;
  return code === undefined ? clean : Object.assign(clean, { code });
}

interface ErrorParts {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
}

function partsOf(error: unknown): ErrorParts {
  if (!(error instanceof Error)) return { name: 'Error', message: typeof error };
  const { code } = error as NodeJS.ErrnoException;
  // Refused by each of several addresses: Node gives an AggregateError without a message.
  const message = error instanceof AggregateError ? messagesOf(error) : error.message;
  return { name: error.name, message, code };
}

function messagesOf({ message, errors }: AggregateError): string {
  const messages = errors.map((error) => (error instanceof Error ? error.message : typeof error));
  return [message, ...messages].filter((text) => text !== '').join('; ');
}

/** Redis quotes the arguments of a command that it does not know. */
function withoutArguments(message: string): string {
  return message.replace(/,? with args beginning with:[\s\S]*$/, '');
}

/** Redis is a replica, and takes no writes. Before version 7 the reply stands at the end of that of the script. */
export function isReadOnly(message: string): boolean {
  return /(?:^|: -)READONLY /.test(message);
}

/** Redis has refused, and may take the same soon: after a failover, a restart, the return of a replica. */
export function isRefusedForNow(error: unknown): boolean {
  const { message } = partsOf(error);
  return isReadOnly(message) || /^(?:LOADING|MASTERDOWN|NOREPLICAS|BUSY) /.test(message);
}

/** The connection has gone while a command was under way, or before it could be sent. */
export function isConnectionLost(error: unknown): boolean {
  return /^(?:Connection is closed|Reached the max retries per request limit)/.test(partsOf(error).message);
}

/** A {@link WebhookError} that says what could not be done, and why. */
export function redisFailure(what: string, error: unknown, secrets: readonly string[]): WebhookError {
  if (error instanceof WebhookError) return error;
  const cause = cleanError(error, secrets);
  return new WebhookError(`${what}: ${cause.message}`, { cause });
}
