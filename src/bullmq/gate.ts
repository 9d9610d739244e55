import { Queue, type QueueOptions } from 'bullmq';
import type { Redis } from 'ioredis';
import { InboxReplicasError } from '../errors/inbox.js';
import { isCluster, type RedisClient } from '../redis/connection.js';
import { ConnectionChangedError } from '../redis/failure.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { BullMQSettings } from './options.js';

// What an event passes on its way into the queue: the memory of Redis, and its replicas.

/** A connected queue, with the checks that an event passes on its way into it. */
export interface OpenQueue {
  readonly queue: Queue<StoredWebhook>;
  readonly client: RedisClient;
  /** Returns the connection to the Redis that takes the queue's writes: in a cluster, to one of its nodes. */
  readonly writer: () => Redis;
  /** Describes how full Redis is if there is no room. Asks it at most once in 10 ms. */
  readonly fullBy: () => Promise<string | undefined>;
  readonly replicas: ReplicaGate;
}

/** Resolves when the queue is connected and the Redis that takes its writes is known. */
export async function openQueue(
  queue: Queue<StoredWebhook>,
  client: RedisClient,
  { highWater, replicas }: BullMQSettings,
): Promise<OpenQueue> {
  await queue.waitUntilReady();
  const writer = await findWriter(client, queue.toKey(''));
  return {
    queue,
    client,
    writer,
    fullBy: memoryGauge(highWater, () => readInfo(writer(), 'memory')),
    replicas: new ReplicaGate(replicas, writer, queue.toKey('write-probe')),
  };
}

/** Finds the connection to the Redis that takes the writes of a key: the client, or a node of its cluster. */
async function findWriter(client: RedisClient, key: string): Promise<() => Redis> {
  if (!isCluster(client)) return () => client;
  const slot = await client.cluster('KEYSLOT', key);
  return () => {
    const master = client.slots[slot]?.[0];
    const node = client.nodes('master').find(({ options: { host, port } }) => `${host}:${port}` === master);
    if (node !== undefined) return node;
    // ioredis 6.0.0 looks for nodes again only when a command fails (`built/cluster/index.js:653`), and
    // without a node none is sent.
    client.refreshSlotsCache();
    // The word with which Redis itself refuses in this state, so that the event waits.
    throw new Error('CLUSTERDOWN No node is known for the keys of this queue');
  };
}

/** Makes a queue whose errors its client reports. BullMQ 6.7.0 prints those without a listener (`classes/queue-base.js:86`). */
export function newQueue(name: string, options: QueueOptions): Queue<StoredWebhook> {
  return new Queue<StoredWebhook>(name, options).on('error', () => undefined);
}

/** The response to `INFO`, by field. */
export type ServerInfo = ReadonlyMap<string, string>;

/** Reads `INFO`. One section is cheaper than all. */
export async function readInfo(node: Redis, section?: 'memory' | 'server'): Promise<ServerInfo> {
  const text = await (section === undefined ? node.info() : node.info(section));
  return new Map(
    [...text.matchAll(/^(\w+):(.*)$/gm)].map(([, name = '', value = '']) => [name, value.trim()]),
  );
}

/** Returns the number in a field; 0 if there is none. */
export function numberIn(info: ServerInfo, field: string): number {
  return Number(info.get(field) ?? 0) || 0;
}

/** Describes how full Redis is if its memory is above a share of `maxmemory`. Undefined if there is room. */
export function findFull(info: ServerInfo, highWater: number): string | undefined {
  const maxmemory = numberIn(info, 'maxmemory');
  // Redis does not count the buffers of replicas and of the append-only file towards maxmemory either:
  // `mem_not_counted_for_evict` in https://redis.io/docs/latest/commands/info/.
  const used = numberIn(info, 'used_memory') - numberIn(info, 'mem_not_counted_for_evict');
  if (maxmemory === 0 || used < maxmemory * highWater) return undefined;
  const percent = (share: number) => `${Number((share * 100).toFixed(1))} %`;
  return `Redis uses ${percent(used / maxmemory)} of its maxmemory, and highWater is ${percent(highWater)}`;
}

/** How long a reading is used, in ms. Short, because a fast sender fills the room in the meantime. */
const READING_LIFE_MS = 10;

/** Returns a function that knows whether Redis has room, without asking for each event. */
function memoryGauge(highWater: number, read: () => Promise<ServerInfo>): () => Promise<string | undefined> {
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<string | undefined>;
  return () => {
    if (performance.now() - readAt > READING_LIFE_MS) {
      readAt = performance.now();
      reading = read().then((info) => findFull(info, highWater));
      // The next event reads again.
      reading.catch(() => (readAt = Number.NEGATIVE_INFINITY));
    }
    return reading;
  };
}

/** The longest `WAIT`, in ms: until it ends, Redis responds to nothing else on that connection. */
const WAIT_SLICE_MS = 500;
/** Time to live of the key that is written before each `WAIT`, in ms. */
const PROBE_TTL_MS = 60_000;

/** The result of one `WAIT`. */
interface Waited {
  /** The number of replicas that have what was written. */
  readonly reached: number;
  /** Undefined if the connection changed in the meantime. */
  readonly connection: Redis['stream'] | undefined;
}

/**
 * Makes a write wait until enough replicas have it.
 *
 * `WAIT` waits for what its own connection has written (https://redis.io/docs/latest/commands/wait/). On a
 * new connection it returns at once and proves nothing, and ioredis 6.0.0 resends it there by itself when a
 * connection is lost (`built/redis/event_handler.js:415`). So a write counts only if one connection lasted
 * from before the write until the response to `WAIT`. Each `WAIT` is preceded by the write of a probe key: if
 * the event was stored before, there would be nothing to wait for.
 */
export class ReplicaGate {
  readonly #wanted: number;
  readonly #writer: () => Redis;
  readonly #probeKey: string;
  #last: Promise<unknown> = Promise.resolve();
  #next: Promise<Waited> | undefined;

  constructor(wanted: number, writer: () => Redis, probeKey: string) {
    this.#wanted = wanted;
    this.#writer = writer;
    this.#probeKey = probeKey;
  }

  /**
   * Writes, and resolves when enough replicas have the write.
   *
   * @throws {InboxReplicasError} Too few replicas had it within `timeout` milliseconds.
   * @throws {ConnectionChangedError} The connection was lost: write again.
   */
  async write(write: () => Promise<unknown>, timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    const slice = Math.min(WAIT_SLICE_MS, Math.max(Math.floor(timeout / 4), 1));
    const writer = this.#writer();
    // ioredis connects to a node of a cluster when it sends the first command to it.
    if (writer.status !== 'ready') await writer.ping();
    const connection = writer.stream;
    await write();
    for (;;) {
      const { reached, connection: waitedOn } = await this.#wait(slice);
      if (waitedOn !== connection) throw new ConnectionChangedError();
      if (reached >= this.#wanted) return;
      // The next response may come after a `WAIT` in progress, and one more.
      if (performance.now() + 2 * slice >= end) {
        throw new InboxReplicasError({ reached, wanted: this.#wanted });
      }
    }
  }

  /** Writes the probe key, and waits as for an event. Rejects if an event would be refused. */
  async probe(timeout: number): Promise<void> {
    if (this.#wanted === 0) await this.#writer().set(this.#probeKey, '1', 'PX', PROBE_TTL_MS);
    else await this.write(() => Promise.resolve(), timeout);
  }

  /** One `WAIT` serves all writes that finished before it is sent. The next one is sent when it returns. */
  #wait(slice: number): Promise<Waited> {
    if (this.#next === undefined) {
      this.#next = this.#last.then(() => {
        this.#next = undefined;
        return this.#send(slice);
      });
      this.#last = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  async #send(slice: number): Promise<Waited> {
    const writer = this.#writer();
    const connection = writer.stream;
    const probed = writer.pipeline().set(this.#probeKey, '1', 'PX', PROBE_TTL_MS);
    const replies = (await probed.wait(this.#wanted, slice).exec()) ?? [];
    for (const [error] of replies) if (error !== null) throw error;
    const reached = Number(replies[1]?.[1] ?? 0);
    return { reached, connection: writer.stream === connection ? connection : undefined };
  }
}
