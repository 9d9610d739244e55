import { isRefusal } from './failure.js';

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Limits one query, in items and in characters. */
const MOST = { items: 500, chars: 4_000_000 };

/** Collects what comes while a query is under way, and sends it as one query with one commit. */
export class Batcher<Item, Result> {
  readonly #send: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #sizeOf: (item: Item) => number;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #sending: Promise<void> | undefined;

  /** @param send - Resolves with a result for each item, in their order. */
  constructor(send: (items: readonly Item[]) => Promise<readonly Result[]>, sizeOf: (item: Item) => number) {
    this.#send = send;
    this.#sizeOf = sizeOf;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#sending ??= this.#sendAll();
    });
  }

  /** Resolves when nothing waits. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    // Gathers what comes in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.#sendBatch(this.#next());
    this.#sending = undefined;
  }

  #next(): Waiting<Item, Result>[] {
    let [count, chars] = [0, 0];
    for (const { item } of this.#waiting) {
      chars += this.#sizeOf(item);
      if (count > 0 && (chars > MOST.chars || count >= MOST.items)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #sendBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#send(batch.map(({ item }) => item));
      // `send` returns one for each.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      // One that Postgres refuses takes no other with it.
      if (batch.length > 1 && isRefusal(error)) for (const one of batch) await this.#sendBatch([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
