import { type InboxHealth, type InboxWarnings, toHealth } from '../inbox/health.js';
import { cleanError, withinTime } from '../redis/failure.js';
import type { OpenQueue } from './open-queue.js';
import type { BullMQSettings } from './options.js';
import { type InboxWarning, readWarnings } from './warnings.js';

/** Time limit of the test write, and of the wait for its replicas. */
const PROBE_TIMEOUT_MS = 1_000;

/** Reads the state of the inbox from Redis. */
export async function readHealth(
  opened: OpenQueue,
  settings: BullMQSettings,
): Promise<InboxHealth<InboxWarning>> {
  const { queue } = opened;
  const [refused, counts, oldestMs, workers, found] = await Promise.all([
    findRefusal(opened),
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    readOldestMs(opened),
    queue.getWorkersCount().catch(() => undefined),
    readWarnings(opened, settings),
  ]);
  const { waiting = 0, active = 0, delayed: retrying = 0, failed: deadLetters = 0 } = counts;
  const warnings: InboxWarnings<InboxWarning> = refused === undefined ? found : { ...found, refused };
  return toHealth({ waiting, active, retrying, deadLetters, oldestMs, workers }, warnings);
}

/** Returns why Redis refuses a write; undefined if it takes one. */
async function findRefusal({ replicas }: OpenQueue): Promise<string | undefined> {
  try {
    await withinTime(replicas.probe(PROBE_TIMEOUT_MS), PROBE_TIMEOUT_MS, 'Test write timed out');
    return undefined;
  } catch (error) {
    return `No event can be stored: ${cleanError(error).message}`;
  }
}

/** Reads one field of these jobs, and not their payloads. */
async function readOldestMs({ queue, writer }: OpenQueue): Promise<number> {
  const [waiting, delayed] = await Promise.all([
    queue.getRanges(['waiting'], 0, 0, true),
    queue.getRanges(['delayed'], 0, 0, true),
  ]);
  const node = writer();
  const read = (id: string) => node.hget(queue.toKey(id), 'timestamp');
  const timestamps = await Promise.all([...waiting, ...delayed].map(read));
  const known = timestamps.flatMap((timestamp) => (timestamp === null ? [] : Number(timestamp)));
  return known.length === 0 ? 0 : Math.max(Date.now() - Math.min(...known), 0);
}
