/**
 * Joins chunks into one array as they come. A list of them would cost a hundred bytes for each, and a sender is free to
 * put one byte into each.
 */
export class ByteJoiner {
  /** The number of bytes that have come. */
  size = 0;
  #bytes: Uint8Array = new Uint8Array();
  readonly #limit: number;

  /** @param limit - The most bytes that are ever added: no room is kept for more. */
  constructor(limit: number = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** Adds a chunk at the end. The first is kept as it is: most bodies come in one. */
  add(chunk: Uint8Array): void {
    const room = this.roomWith(chunk);
    const at = this.size;
    this.size += chunk.byteLength;
    if (at === 0) {
      this.#bytes = chunk;
      return;
    }
    if (room > this.#bytes.byteLength) this.#grow(room);
    this.#bytes.set(chunk, at);
  }

  /** The bytes that are held when a chunk has been added, which may be more than have come. */
  roomWith(chunk: Uint8Array): number {
    const size = this.size + chunk.byteLength;
    const room = this.#bytes.byteLength;
    if (size <= room) return room;
    return this.size === 0 ? size : Math.min(2 * size, this.#limit);
  }

  /** Everything that has come. */
  get joined(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }

  /**
   * Adds what a stream gives, to its end or up to a limit. Resolves with how many bytes have come: more than the limit where
   * it was given up.
   *
   * @param mayHold - Asked before a chunk within the limit is added, with the bytes that are held then: false gives up.
   */
  async addFrom(
    reader: ReadableStreamDefaultReader<Uint8Array>,
    limit: number,
    mayHold?: (bytes: number) => boolean,
  ): Promise<number> {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const size = this.size + next.value.byteLength;
      if (size > limit) {
        // The start of an error page is worth showing. Not where bytes are counted.
        if (mayHold === undefined) this.add(next.value.subarray(0, limit - this.size));
        return size;
      }
      if (mayHold?.(this.roomWith(next.value)) === false) return size;
      this.add(next.value);
    }
    return this.size;
  }

  #grow(room: number): void {
    const grown = new Uint8Array(room);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
