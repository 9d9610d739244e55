/**
 * Joins chunks into one array as they come. A list of them would cost a hundred bytes for each, and a sender is free to
 * put one byte into each.
 */
export class ByteJoiner {
  /** The number of bytes that have come. */
  size = 0;
  #bytes: Uint8Array = new Uint8Array();

  /** Adds a chunk at the end. The first is kept as it is: most bodies come in one. */
  add(chunk: Uint8Array): void {
    const at = this.size;
    this.size += chunk.byteLength;
    if (at === 0) {
      this.#bytes = chunk;
      return;
    }
    if (this.size > this.#bytes.byteLength) this.#grow();
    this.#bytes.set(chunk, at);
  }

  /** Everything that has come. */
  get joined(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }

  /**
   * Adds what a stream gives, to its end or up to a limit. Resolves with how many bytes have come: more than the limit where
   * it was given up, and then without the chunk that was too much.
   */
  async addFrom(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<number> {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const size = this.size + next.value.byteLength;
      if (size > limit) return size;
      this.add(next.value);
    }
    return this.size;
  }

  #grow(): void {
    const grown = new Uint8Array(2 * this.size);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
