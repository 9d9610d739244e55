import type { EventRow } from './events.js';
import { isDamage } from './failure.js';
import type { InboxFile } from './file.js';

/**
 * Takes events that wait from a damaged file: one by one, without those in damaged pages.
 *
 * @param unreadable - The ids of those in damaged pages that are known. Others are added.
 */
export async function takeReadable(
  file: InboxFile,
  limit: number,
  lockDuration: number,
  unreadable: Set<number>,
): Promise<EventRow[]> {
  const taken: EventRow[] = [];
  for (const id of findDue(file, limit, unreadable)) {
    try {
      taken.push(...(await file.write(() => file.events.takeOne(id, Date.now() + lockDuration))));
    } catch (error) {
      if (!isDamage(error)) throw error;
      unreadable.add(id);
    }
  }
  return taken;
}

/** Returns the ids of due events, from both ends of the index up to its damage. */
function findDue({ events }: InboxFile, limit: number, unreadable: ReadonlySet<number>): Set<number> {
  const found = new Set<number>();
  for (const order of ['ASC', 'DESC'] as const) {
    try {
      for (const { id } of events.dueIds(Date.now(), order)) {
        if (found.size >= limit) break;
        if (!unreadable.has(Number(id))) found.add(Number(id));
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  }
  return found;
}
