import type { Database } from './database.js';
import type { Identity } from './identity.js';
import type { Runtime } from './runtime.js';

/** A complete copy of a file that was deleted or replaced. */
export interface Leftover {
  readonly path: string;
  /** Whether the next process finds it at the path of the inbox. */
  readonly isInPlace: boolean;
}

/**
 * Copies all that a process sees of a file that was deleted or replaced. The copy is on the disk.
 *
 * Processes that shared the file each make one, and the first one stays: each has every acknowledged event.
 *
 * @param since - Milliseconds since the epoch, when the file was last seen in its place. An older copy is of
 * another accident.
 * @throws There is no room, or no folder.
 */
export function copyLeftover(
  { fs, path: paths }: Runtime,
  database: Database,
  identity: Identity,
  since: number,
): Leftover {
  const name = `${identity.path}-left-${identity.inode}`;
  const own = `${name}-${crypto.randomUUID().slice(0, 8)}`;
  const statOf = (path: string) => fs.statSync(path, { throwIfNoEntry: false });
  const sync = (path: string, flags: string) => {
    const descriptor = fs.openSync(path, flags);
    try {
      fs.fsyncSync(descriptor);
    } finally {
      fs.closeSync(descriptor);
    }
  };
  try {
    // SQLite would create it for everybody to read.
    fs.closeSync(fs.openSync(own, 'wx', 0o600));
    database.run('VACUUM INTO ?', own);
    sync(own, 'r+');
  } catch (error) {
    fs.rmSync(own, { force: true });
    throw error;
  }
  const link = (from: string, to: string) => {
    try {
      fs.linkSync(from, to);
      return true;
    } catch {
      // Another process was faster, or the file system has no links.
      return false;
    }
  };
  const isCopy = () => {
    const there = statOf(name);
    // A copy that was put in the place of the file has kept this name too: it is the file itself then.
    return there !== undefined && String(there.ino) !== identity.inode && there.mtimeMs >= since;
  };
  const copy = link(own, name) || isCopy() ? name : own;
  if (copy === name) fs.rmSync(own, { force: true });
  if (identity.isFree) link(copy, identity.path);
  try {
    sync(paths.dirname(copy), 'r');
  } catch {
    // Windows syncs no folder.
  }
  const [there, ours] = [statOf(identity.path), statOf(copy)];
  return { path: copy, isInPlace: there?.ino === ours?.ino && there?.dev === ours?.dev };
}
