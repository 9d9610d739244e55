import type { InboxWarnings } from '../inbox/health.js';
import { isCluster, settingsOf } from '../redis/connection.js';
import { type MemoryUse, memoryUse } from './memory.js';
import type { OpenQueue } from './open-queue.js';
import type { BullMQSettings } from './options.js';
import { numberIn, readFsync, readInfo, type ServerInfo } from './redis-info.js';

/** The kind of a warning of {@link InboxHealth}. */
export type BullMQWarning =
  /** Redis does not respond. */
  | 'unreachable'
  /** Redis refuses writes, or the replicas do not get them. */
  | 'refused'
  /** Redis refuses what a worker of this process needs: its events are not handled. */
  | 'worker'
  /** Redis is above `highWater`. */
  | 'full'
  /** `maxmemory-policy` is not `noeviction`: a full Redis drops stored events. */
  | 'eviction'
  /** There is no `maxmemory`. */
  | 'unlimited'
  /** Redis may lose stored events when it restarts or crashes. */
  | 'persistence'
  /** Replicas are connected, and none is waited for. */
  | 'replicas'
  /** The client that was passed in has Sentinels, and no `failoverDetector`. */
  | 'failover';

/** Reads what can lose stored events or stop them: the settings of Redis, its memory, its replicas. */
export async function readWarnings(
  opened: OpenQueue,
  settings: BullMQSettings,
): Promise<InboxWarnings<BullMQWarning>> {
  const node = opened.writer();
  const [info, fsync] = await Promise.all([readInfo(node), readFsync(node)]);
  const use = memoryUse(info);
  const warnings: Record<BullMQWarning, string | undefined | false> = {
    unreachable: undefined,
    refused: undefined,
    worker: undefined,
    full: use !== undefined && fullWarning(use, settings),
    eviction: evictionWarning(info),
    unlimited:
      use === undefined &&
      'maxmemory is 0: Redis grows until the system kills it. Set maxmemory for highWater.',
    persistence: persistenceWarning(info, fsync),
    replicas: replicasWarning(info, settings),
    failover: failoverWarning(settings),
  };
  return Object.fromEntries(Object.entries(warnings).filter(([, warning]) => warning));
}

function fullWarning({ used, maxmemory }: MemoryUse, { highWater }: BullMQSettings): string | false {
  if (used < maxmemory * highWater) return false;
  const share = `${Math.round(highWater * 100)} % of maxmemory`;
  return `More than ${share} is in use: no event is stored until there is room.`;
}

function evictionWarning(info: ServerInfo): string | false {
  const policy = info.get('maxmemory_policy') ?? 'noeviction';
  if (policy === 'noeviction') return false;
  return `maxmemory-policy is ${policy}: a full Redis drops stored events. Set noeviction.`;
}

function persistenceWarning(info: ServerInfo, fsync: string | undefined): string | false {
  if (info.get('aof_enabled') === '0') {
    return 'appendonly is no: a Redis that restarts loses stored events. Set appendonly yes.';
  }
  if (info.get('aof_last_write_status') === 'err') return 'The append-only file cannot be written.';
  if (fsync === undefined || fsync === 'always') return false;
  return `appendfsync is ${fsync}: a crash loses what was stored last. Set appendfsync always.`;
}

function replicasWarning(info: ServerInfo, { replicas }: BullMQSettings): string | false {
  const connected = numberIn(info, 'connected_slaves');
  if (connected === 0 || replicas > 0) return false;
  return (
    `${connected} replicas are connected, and none is waited for: a failover loses what was stored last. ` +
    'Set the option replicas.'
  );
}

/** Clients made here have the detector. */
function failoverWarning({ connection }: BullMQSettings): string | false {
  if (typeof connection === 'string' || isCluster(connection) || !('duplicate' in connection)) return false;
  const { sentinels, failoverDetector } = settingsOf(connection);
  if (!sentinels || failoverDetector === true) return false;
  return (
    'The client has no failoverDetector: after a failover it can write to a Redis that is no longer in use. ' +
    'Set it to true.'
  );
}
