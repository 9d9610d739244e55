import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { decodeText } from '../testing/sending/recording.js';
import { UsageError } from './command.js';

/** Reads the JSON in the file of an option, and passes it on. An error of either names the file. */
export function withJson<Result>(option: string, file: string, use: (json: unknown) => Result): Result {
  try {
    return use(JSON.parse(decodeText(readFileSync(file))));
  } catch (error) {
    throw new UsageError(`${option}: ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** Why a file cannot be replaced that can be written all the same: a bind mount, a folder of somebody else. */
const NOT_REPLACEABLE = /^(EACCES|EBUSY|EPERM|EROFS|EXDEV)$/;

/** Writes a file of which a crash must not leave half, and which may be a symbolic link or a bind mount. */
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
