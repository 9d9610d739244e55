/**
 * Joins chunks into one array as they come. A list of them would cost a hundred bytes for each, and a sender is free to
 * put one byte into each.
 */
export class ByteJoiner {
  /** How many bytes have come. */
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

  #grow(): void {
    const grown = new Uint8Array(2 * this.size);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
