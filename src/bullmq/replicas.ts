import type { Redis } from 'ioredis';
import { InboxReplicasError } from '../errors/inbox.js';

/** Milliseconds of one `WAIT`, during which Redis responds to nothing else on that connection. */
const SLICE = 500;
/** Milliseconds that the key lives which each `WAIT` writes first. */
const PROBE_LIFE = 60_000;
/** Begins as the error of ioredis does after which a write is repeated. */
const CHANGED = 'Connection is closed: it changed while replicas were waited for';

/** The result of one `WAIT`. */
interface Waited {
  readonly reached: number;
  /** Undefined if the connection has changed meanwhile. */
  readonly connection: Redis['stream'] | undefined;
}

/**
 * Makes a write wait until it is on a number of replicas.
 *
 * `WAIT` waits for what *its own* connection has written. On a new connection it returns at once and means nothing, and
 * ioredis repeats it by itself when a connection is lost. So a write counts only if one and the same connection lasted from
 * before the write until the response to `WAIT`. Each `WAIT` first writes a key of its own: otherwise there would be nothing
 * to wait for if the event was there already.
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
   * Writes, and resolves when the write is on enough replicas.
   *
   * @throws {InboxReplicasError} It is not, in `timeout` milliseconds.
   * @throws Error The connection was lost: write again.
   */
  async write(write: () => Promise<unknown>, timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    const slice = Math.min(SLICE, Math.max(Math.floor(timeout / 4), 1));
    const writer = this.#writer();
    // A node of a cluster is connected to by its first command.
    if (writer.status !== 'ready') await writer.ping();
    const connection = writer.stream;
    await write();
    for (;;) {
      const { reached, connection: waitedOn } = await this.#wait(slice);
      if (waitedOn !== connection) throw new Error(CHANGED);
      if (reached >= this.#wanted) return;
      // The next response may come after a `WAIT` in progress, and one more.
      if (performance.now() + 2 * slice >= end) {
        throw new InboxReplicasError({ reached, wanted: this.#wanted });
      }
    }
  }

  /** Writes a key that nobody reads, and waits as for an event. Rejects if an event would be refused. */
  async probe(timeout: number): Promise<void> {
    if (this.#wanted === 0) await this.#writer().set(this.#probeKey, '1', 'PX', PROBE_LIFE);
    else await this.write(() => Promise.resolve(), timeout);
  }

  /** One `WAIT` serves all writes that finished before it is sent. The next is sent when it returns. */
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
    const probed = writer.pipeline().set(this.#probeKey, '1', 'PX', PROBE_LIFE);
    const answers = (await probed.wait(this.#wanted, slice).exec()) ?? [];
    for (const [error] of answers) if (error !== null) throw error;
    const reached = Number(answers[1]?.[1] ?? 0);
    return { reached, connection: writer.stream === connection ? connection : undefined };
  }
}
