import * as fs from 'node:fs';
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
  return orUsageError(`${option}: ${file}: `, () => use(JSON.parse(decodeText(fs.readFileSync(file)))));
}

/** Errors of a rename that do not forbid writing: a bind mount, a folder of another user. */
const NOT_REPLACEABLE = /^(EACCES|EBUSY|EPERM|EROFS|EXDEV)$/;

/** Replaces a file, so that a crash leaves the old one or the new one. Follows symbolic links. */
export function replaceFile(file: string, text: string): void {
  // Created through the link, whose target may not be there yet.
  if (!fs.existsSync(file)) fs.writeFileSync(file, '', { mode: 0o600 });
  const target = fs.realpathSync(file);
  const draft = `${target}.new`;
  try {
    fs.writeFileSync(draft, text, { mode: 0o600 });
    fs.renameSync(draft, target);
  } catch (error) {
    if (!NOT_REPLACEABLE.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    fs.writeFileSync(target, text);
    fs.rmSync(draft, { force: true });
  }
}

/** Appends lines to a file that only its owner can read. A line that a killed process left unfinished is ended. */
export function appendPrivately(file: string, lines: string): void {
  // The mode of a device or a pipe is not ours to change.
  if (fs.statSync(file, { throwIfNoEntry: false })?.isFile() === false) return fs.appendFileSync(file, lines);
  const descriptor = fs.openSync(file, 'a+', 0o600);
  try {
    fs.fchmodSync(descriptor, 0o600);
    const last = new Uint8Array(1);
    const { size } = fs.fstatSync(descriptor);
    const isTorn = size > 0 && fs.readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
    fs.appendFileSync(descriptor, `${isTorn && lines !== '' ? '\n' : ''}${lines}`);
  } finally {
    fs.closeSync(descriptor);
  }
}
