import type { Runtime } from './runtime.js';

/** The longest chain of links. */
const MAX_LINKS = 40;

/**
 * Returns the path at which the file is, or will be: behind links, even if nothing is there yet.
 *
 * SQLite puts `-wal` and `-shm` there, beside the file itself.
 *
 * @throws What the file system says of a folder that is missing, or of a loop of links.
 */
export function realPath({ fs, path: paths }: Runtime, path: string): string {
  let place = paths.resolve(path);
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const folder = fs.realpathSync(paths.dirname(place));
    place = paths.join(folder, paths.basename(place));
    if (fs.lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return place;
    place = paths.resolve(folder, fs.readlinkSync(place));
  }
  throw Object.assign(new Error('ELOOP: too many symbolic links'), { code: 'ELOOP' });
}
