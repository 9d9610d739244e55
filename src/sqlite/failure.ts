import { InboxFullError } from '../errors/inbox.js';

/** The result codes of SQLite that are handled differently: https://sqlite.org/rescode.html */
const CODES = { busy: 5, corrupt: 11, notADatabase: 26 } as const;

/** Another connection writes, or recovers the file after a crash. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === CODES.busy;
}

/** A page of the file cannot be read. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === CODES.corrupt || code === CODES.notADatabase;
}

/**
 * Whether storing may soon succeed: the disk is full, or SQLite has refused for another reason than damage.
 */
export function mayPass(error: unknown): boolean {
  return error instanceof InboxFullError || (codeOf(error) !== undefined && !isDamage(error));
}

/** Returns the primary result code, which is the lowest byte. */
function codeOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Describes an error of SQLite or of the file system, with advice for a damaged file. */
export function cleanError(error: unknown): Error & { readonly code?: string } {
  const message = error instanceof Error ? error.message : typeof error;
  const advice = isDamage(error) ? ': see "A damaged file" in the guide of the inbox' : '';
  return new Error(message + advice, { cause: error });
}
