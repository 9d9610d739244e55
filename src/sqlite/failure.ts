import { FileGoneError, InboxFullError } from '../errors/inbox.js';
import type { Runtime } from './runtime.js';

/** The result codes of SQLite that are handled differently: https://sqlite.org/rescode.html */
const CODES = { busy: 5, ioError: 10, corrupt: 11, full: 13, notADatabase: 26 } as const;
/** The longest path of SQLite on Unix, with `-journal` behind it: https://sqlite.org/src/file/src/os_unix.c, MAX_PATHNAME */
const MAX_PATH_BYTES = 504;
/** The codes of a file that permissions or the file system forbid to open or write. */
const DENIED: readonly unknown[] = [3, 8, 14, 23, 'EACCES', 'EPERM', 'EROFS'];

/** Another connection writes, or recovers the file after a crash. Opening wraps the error. */
export function isBusy(error: unknown): boolean {
  const { cause } = (error ?? {}) as { readonly cause?: unknown };
  return codeOf(error) === CODES.busy || codeOf(cause) === CODES.busy;
}

/** A page of the file cannot be read. */
export function isDamage(error: unknown): boolean {
  const code = codeOf(error);
  return code === CODES.corrupt || code === CODES.notADatabase;
}

/** Whether storing may succeed soon: any error of SQLite or the file system may pass, except damage. */
export function mayPass(error: unknown): boolean {
  if (error instanceof FileGoneError) return false;
  if (error instanceof InboxFullError || codeOfSystem(error) !== undefined) return true;
  return codeOf(error) !== undefined && !isDamage(error);
}

/** Returns the code of an error of the file system, such as `ENOENT`. */
export function codeOfSystem(error: unknown): string | undefined {
  const { code, syscall } = (error ?? {}) as { readonly code?: unknown; readonly syscall?: unknown };
  return typeof code === 'string' && syscall !== undefined ? code : undefined;
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

/** Says how to mend an error of opening the file: SQLite has one message for several causes. */
export function openingAdvice(error: unknown, { fs, path: paths }: Runtime, path: string): string {
  const { code } = error as { readonly code?: unknown };
  const folder = paths.dirname(paths.resolve(path));
  // The inbox does not create it: a missing folder often means that a volume is not mounted.
  if (code === 'ENOENT') return '. Create its folder, or mount the volume';
  if (code === 'ELOOP') return '. It is a link that leads back to itself';
  if (new TextEncoder().encode(path).length > MAX_PATH_BYTES)
    return `. Its path is longer than ${MAX_PATH_BYTES} bytes, more than SQLite opens`;
  if (isFolder(fs, path)) return '. It is a folder: add the name of a file';
  if (code === 'ENOSPC' || isFull(fs, folder, error)) return `. There is no room on the disk of ${folder}`;
  if (!DENIED.includes(codeOf(error) ?? code)) return '';
  return `. This process needs permission to write it, ${path}-wal, ${path}-shm and their folder: check their owner and mode`;
}

function isFolder(fs: Runtime['fs'], path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}

function isFull(fs: Runtime['fs'], folder: string, error: unknown): boolean {
  const code = codeOf(error);
  try {
    return code === CODES.full || (code === CODES.ioError && fs.statfsSync(folder).bavail === 0);
  } catch {
    return false;
  }
}
