import { FileGoneError, InboxFullError } from '../errors/inbox.js';
import type { Runtime } from './runtime.js';

/** The result codes of SQLite that are handled differently: https://sqlite.org/rescode.html */
const CODES = {
  permission: 3,
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  authorization: 23,
  notADatabase: 26,
} as const;
/** The longest path of SQLite on Unix, with `-journal` behind it: https://sqlite.org/src/file/src/os_unix.c, MAX_PATHNAME */
const MAX_PATH_BYTES = 504;

/** Another connection writes, or recovers the file after a crash. */
export function isBusy(error: unknown): boolean {
  return codeOf(error) === CODES.busy;
}

/** A page of the file cannot be read. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === CODES.corrupt || code === CODES.notADatabase;
}

/** Whether storing may succeed soon: any error of SQLite or the file system may pass, except damage. */
export function mayPass(error: unknown): boolean {
  if (error instanceof FileGoneError) return false;
  const { syscall } = (error ?? {}) as { readonly syscall?: unknown };
  if (error instanceof InboxFullError || syscall !== undefined) return true;
  return codeOf(error) !== undefined && !isDamage(error);
}

/** Returns the primary result code, which is the lowest byte. */
function codeOf(error: unknown): number | undefined {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' ? errcode & 0xff : undefined;
}

/** Makes an error of SQLite or the file system safe to log, with advice for a damaged file. */
export function cleanError(error: unknown): Error & { readonly code?: string } {
  const message = error instanceof Error ? error.message : typeof error;
  const advice = isDamage(error) ? ': see "A damaged file" in the guide inbox-file.md' : '';
  return new Error(message + advice, { cause: error });
}

const NO_ROOM = 'There is no room on its disk';
const DENIED =
  'This process needs permission to write it, the files beside it and their folder: check their owner and mode';

/** Advice by the code of the file system or of SQLite, which has one message for several causes. */
const ADVICE: Readonly<Record<string | number, string>> = {
  // The inbox does not create it: a missing folder often means that a volume is not mounted.
  ENOENT: 'Create its folder, or mount the volume',
  ELOOP: 'It is a link that leads back to itself',
  ENOSPC: NO_ROOM,
  [CODES.full]: NO_ROOM,
  [CODES.ioError]: 'Its disk may be full, or failing',
  EACCES: DENIED,
  EPERM: DENIED,
  EROFS: DENIED,
  [CODES.permission]: DENIED,
  [CODES.readOnly]: DENIED,
  [CODES.cannotOpen]: DENIED,
  [CODES.authorization]: DENIED,
};

/** Says how to mend an error of opening the file. */
export function openingAdvice(error: unknown, { fs, path: paths }: Runtime, path: string): string {
  const file = paths.resolve(path);
  if (new TextEncoder().encode(file).length > MAX_PATH_BYTES) {
    return `Its path is longer than ${MAX_PATH_BYTES} bytes, more than SQLite opens`;
  }
  if (fs.existsSync(`${file}/.`)) return 'It is a folder: add the name of a file';
  const { code = '' } = error as { readonly code?: string };
  return ADVICE[codeOf(error) ?? code] ?? '';
}
