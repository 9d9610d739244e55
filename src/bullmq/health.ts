import type { Redis } from 'ioredis';
import type { InboxFailures } from './inbox-hooks.js';
import type { OpenQueue } from './inbox-queue.js';

/** The state of an inbox. */
export interface InboxHealth {
  /** True if Redis is there and takes writes, so that events can be stored. */
  readonly ready: boolean;
  /** Events that are still to be handled: `waiting`, `active` and `retrying` together. */
  readonly depth: number;
  /** Events that wait for a worker. */
  readonly waiting: number;
  /** Events whose handlers run, or whose worker has died a moment ago. */
  readonly active: number;
  /** Events that have failed and wait for their next attempt. */
  readonly retrying: number;
  /** Events that could not be handled, and are kept. */
  readonly deadLetters: number;
  /** Milliseconds since the receipt of the event that is next in line; 0 when none waits. */
  readonly oldestMs: number;
  /** Counts of failures in this process since it began. */
  readonly failures: InboxFailures;
  /** Settings of Redis with which an event that was answered 200 can be lost. Empty when there is none. */
  readonly warnings: readonly string[];
}

const NOTHING = { depth: 0, waiting: 0, active: 0, retrying: 0, deadLetters: 0, oldestMs: 0 };

/** The health that is returned when Redis does not answer. */
export function unreachable(failures: InboxFailures): InboxHealth {
  return { ready: false, ...NOTHING, failures: { ...failures }, warnings: ['Redis does not answer'] };
}

export async function readHealth(
  { queue, client, isOwned }: OpenQueue,
  failures: InboxFailures,
): Promise<InboxHealth> {
  const [counts, oldestMs, info, fsync] = await Promise.all([
    queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
    ageOfNext({ queue, client }),
    readInfo(client),
    readFsync(client),
  ]);
  const isReplica = info.get('role') === 'slave';
  // Only a refused write makes a client reconnect, and a receiver that is not ready gets no deliveries to write.
  if (isReplica && isOwned) client.disconnect(true);
  const { waiting = 0, active = 0, delayed: retrying = 0, failed: deadLetters = 0 } = counts;
  return {
    ready: !isReplica && info.get('aof_last_write_status') !== 'err',
    depth: waiting + active + retrying,
    waiting,
    active,
    retrying,
    deadLetters,
    oldestMs,
    failures: { ...failures },
    warnings: warningsOf(info, fsync),
  };
}

/** Reads one field of one job, and not its payload. */
async function ageOfNext({ queue, client }: Pick<OpenQueue, 'queue' | 'client'>): Promise<number> {
  const [id] = await queue.getRanges(['waiting'], 0, 0, true);
  const timestamp = id === undefined ? null : await client.hget(queue.toKey(id), 'timestamp');
  return timestamp === null ? 0 : Math.max(Date.now() - Number(timestamp), 0);
}

async function readInfo(client: Redis): Promise<ReadonlyMap<string, string>> {
  const text = await client.info();
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** Undefined where the provider of Redis forbids the command. */
async function readFsync(client: Redis): Promise<string | undefined> {
  try {
    const [, value] = (await client.config('GET', 'appendfsync')) as [string, string];
    return value;
  } catch {
    return undefined;
  }
}

function warningsOf(info: ReadonlyMap<string, string>, fsync: string | undefined): string[] {
  const warnings: string[] = [];
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy !== 'noeviction') {
    warnings.push(`maxmemory-policy is ${policy}: a full Redis drops stored events. Set noeviction.`);
  }
  if (info.get('aof_enabled') === '0') {
    warnings.push('appendonly is no: a Redis that restarts forgets stored events. Set appendonly yes.');
  } else if (fsync !== undefined && fsync !== 'always') {
    warnings.push(`appendfsync is ${fsync}: a crash loses what was stored last. Set appendfsync always.`);
  }
  if (info.get('aof_last_write_status') === 'err') warnings.push('The append-only file cannot be written.');
  return warnings;
}
