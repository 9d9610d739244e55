import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { decodeText } from '../testing/sending/recording.js';
import { UsageError } from './command.js';

/** Returns what a function returns. Its error becomes one of the command line. */
export function orUsageError<Result>(about: string, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new UsageError(about + (error as Error).message, { cause: error });
  }
}

/** Reads the JSON in the file of an option, and passes it on. Errors name the file. */
export function withJson<Result>(option: string, file: string, use: (json: unknown) => Result): Result {
  return orUsageError(`${option}: ${file}: `, () => use(JSON.parse(decodeText(readFileSync(file)))));
}

/** Errors of a rename that do not forbid writing: a bind mount, a folder of another user. */
const NOT_REPLACEABLE = /^(EACCES|EBUSY|EPERM|EROFS|EXDEV)$/;

/** Replaces a file, so that a crash leaves the old one or the new one. Follows symbolic links. */
export function replaceFile(file: string, text: string): void {
  // Created through the link, whose target may not be there yet.
  if (!existsSync(file)) writeFileSync(file, '', { mode: 0o600 });
  const target = realpathSync(file);
  const draft = `${target}.new`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, target);
  } catch (error) {
    if (!NOT_REPLACEABLE.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    writeFileSync(target, text);
    rmSync(draft, { force: true });
  }
}
