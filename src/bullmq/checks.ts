import { describeFull, type InboxWarnings } from '../inbox/health.js';
import { isCluster, settingsOf } from '../redis/connection.js';
import { findFull } from './memory.js';
import type { OpenQueue } from './open-queue.js';
import type { BullMQSettings } from './options.js';
import { numberIn, readFsync, readInfo, type ServerInfo } from './redis-info.js';

/** The kind of a warning of {@link InboxHealth}. */
export type BullMQWarning =
  /** Redis does not respond, or the inbox is closed. */
  | 'unreachable'
  /** Redis refuses writes, or the replicas do not get them. */
  | 'refused'
  /** Redis refuses commands of a worker in this process, which therefore handles nothing. */
  | 'worker'
  /** Redis is above `highWater`. */
  | 'full'
  /** `maxmemory-policy` is not `noeviction`: a full Redis drops stored events. */
  | 'eviction'
  /** There is no `maxmemory`, so Redis grows until the system kills it. */
  | 'unlimited'
  /** Redis may lose stored events when it restarts or crashes. */
  | 'persistence'
  /** Replicas are connected, but the inbox waits for none of them. */
  | 'replicas'
  /** Your client has Sentinels, but no `failoverDetector`. */
  | 'failover';

/** Looks for what can lose or stop stored events: settings of Redis, its memory, its replicas. */
export async function readWarnings(
  opened: OpenQueue,
  settings: BullMQSettings,
): Promise<InboxWarnings<BullMQWarning>> {
  const node = opened.writer();
  const [info, fsync] = await Promise.all([readInfo(node), readFsync(node)]);
  const full = findFull(info, settings.highWater);
  const warnings: Partial<Record<BullMQWarning, string | undefined | false>> = {
    full: full && describeFull(full),
    eviction: evictionWarning(info),
    unlimited:
      numberIn(info, 'maxmemory') === 0 &&
      'maxmemory is 0: Redis grows until the system kills it. Set maxmemory for highWater.',
    persistence: persistenceWarning(info, fsync),
    replicas: replicasWarning(info, settings),
    failover: failoverWarning(settings),
  };
  return Object.fromEntries(Object.entries(warnings).filter(([, warning]) => warning));
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
  return `appendfsync is ${fsync}: a crash loses the newest events. Set appendfsync always.`;
}

function replicasWarning(info: ServerInfo, { replicas }: BullMQSettings): string | false {
  const connected = numberIn(info, 'connected_slaves');
  if (connected === 0 || replicas > 0) return false;
  return (
    `${connected} replicas are connected, but the inbox waits for none: a failover loses the newest events. ` +
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
