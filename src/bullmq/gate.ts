import type { Redis } from 'ioredis';
import { InboxReplicasError } from '../errors/inbox.js';
import { ConnectionChangedError } from '../redis/failure.js';

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
