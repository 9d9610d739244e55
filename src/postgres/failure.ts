import { InboxFullError } from '../errors/inbox.js';
import { AgentPlatformError } from '../errors/index.js';

/** Classes of SQLSTATE that no retry mends, because the server refuses the values. */
const REFUSED = /^(22|23|54)/;

/** Whether storing may succeed soon: the server is away, read-only or full, or the operator is changing something. */
export function mayPass(error: unknown): boolean {
  if (error instanceof AgentPlatformError) return error instanceof InboxFullError;
  return !isRefusal(error);
}

/** Whether Postgres refuses the values of a query, so that other values may pass. */
export function isRefusal(error: unknown): boolean {
  return REFUSED.test(codeOf(error) ?? '');
}

/** Whether the disk of the server is full. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === '53100';
}

/** Returns the SQLSTATE, or the code of a system error: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export function codeOf(error: unknown): string | undefined {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
}

/** Makes an error of Postgres safe to log: its message may quote a value that was refused, and its detail a row. */
export function cleanError(error: unknown): Error & { readonly code?: string } {
  if (error instanceof AgentPlatformError) return error;
  const code = codeOf(error);
  const own = error instanceof Error ? error.message : typeof error;
  // An `AggregateError` of Node, for several addresses, has no message.
  const message = isRefusal(error) ? 'Postgres refused a value' : own || 'no connection';
  return code === undefined ? new Error(message) : Object.assign(new Error(`${message} (${code})`), { code });
}
