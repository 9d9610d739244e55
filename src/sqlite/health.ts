import { type InboxHealth, toHealth, unreachableHealth } from '../inbox/health.js';
import { describeFailure } from './failure.js';
import type { InboxFile } from './file.js';

/** The kind of a warning of {@link InboxHealth}. */
export type InboxWarning =
  /** The file cannot be read, or is closed. */
  | 'unreachable'
  /** The file cannot be written. */
  | 'refused'
  /** The disk has less than `minFree`. */
  | 'full'
  /**
   * A part of the file cannot be read.
   *
   * Events may be out of reach, although others are stored and handled.
   */
  | 'damaged'
  /** The file is where a restart, or the end of a container, deletes it. */
  | 'persistence'
  /** The file is on another machine's disk, where locks may not work. */
  | 'remote'
  /** The free space of the disk is not known. */
  | 'unmeasured';

/** Time limit of the test write, in ms. */
const PROBE_TIMEOUT_MS = 1_000;

/** Reads the state of the inbox. Never rejects. */
export async function readHealth(file: InboxFile): Promise<InboxHealth<InboxWarning>> {
  try {
    const { events, disk } = file;
    const now = Date.now();
    const refused = await findRefusal(file);
    const { oldest, ...counts } = await file.read(() => events.count(now));
    const full = disk.fullBy();
    const { damage: damaged } = file;
    const oldestMs = Math.max(now - (oldest ?? now), 0);
    return toHealth<InboxWarning>(
      { ...counts, oldestMs },
      {
        ...disk.warnings(),
        ...(refused && { refused }),
        ...(full && { full: `No event is stored until there is room: ${full}.` }),
        ...(damaged && { damaged }),
      },
    );
  } catch (error) {
    return unreachableHealth(`The file cannot be read: ${describeFailure(error)}`);
  }
}

/** Returns why the file cannot be written; undefined if it can. */
async function findRefusal(file: InboxFile): Promise<string | undefined> {
  try {
    // A worker that has long been gone.
    await file.write(() => file.events.announce('probe', 0, '[]'), PROBE_TIMEOUT_MS);
    return undefined;
  } catch (error) {
    return `No event can be stored: ${describeFailure(error)}`;
  }
}
