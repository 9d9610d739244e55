import type { RejectionReason } from '../outcomes.js';

// Bodies as they arrive, within the limits of one body and of all.

/**
 * The most bytes of a body that are read by default: 8 MiB.
 *
 * The specification names no limit. Of all events only `conversation_updated` grows: there is room for four
 * thousand messages of 1 kB, each of which it carries twice.
 */
export const DEFAULT_MAX_BODY_BYTES = 8 * 1024 * 1024;

/** The most bytes of all bodies that a receiver is reading; more if a single body may be larger. */
export const MAX_UNVERIFIED_BYTES = 64 * 1024 * 1024;

/** One body that is being read. */
export interface Reading {
  /** The most bytes that are read. */
  readonly limit: number;
  /** Shared by all bodies of a receiver. */
  readonly budget?: ReadBudget | undefined;
  /** Ends the reading early. Set by the reader. */
  stop?: (reason: RejectionReason) => void;
}

/** Bounds the bytes of all bodies that are being read. Above the limit, the oldest reading is ended. */
export class ReadBudget {
  readonly #limit: number;
  /** The bytes of each reading, the oldest first. */
  readonly #readings = new Map<Reading, number>();
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(reading: Reading, bytes: number): void {
    this.#bytes += bytes;
    this.#readings.set(reading, (this.#readings.get(reading) ?? 0) + bytes);
    for (const oldest of this.#readings.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.end(oldest);
      oldest.stop?.('overloaded');
    }
  }

  end(reading: Reading): void {
    this.#bytes -= this.#readings.get(reading) ?? 0;
    this.#readings.delete(reading);
  }
}

/** Collects chunks in one growing array: in a list, each chunk would cost a hundred bytes more. */
export class ByteCollector {
  size = 0;
  #bytes = new Uint8Array();

  add(chunk: Uint8Array): void {
    const at = this.size;
    this.size += chunk.byteLength;
    if (this.size > this.#bytes.byteLength) {
      const grown = new Uint8Array(at === 0 ? this.size : 2 * this.size);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    this.#bytes.set(chunk, at);
  }

  get whole(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }
}

const encoder = /* @__PURE__ */ new TextEncoder();

/** A chunk is a string after `setEncoding`, or if a stream of strings was passed as the body. */
export function toBytes(chunk: unknown): Uint8Array {
  // Streams of bodies yield nothing else.
  return typeof chunk === 'string' ? encoder.encode(chunk) : (chunk as Uint8Array);
}

export function ignore(): void {
  // The connection is gone, or the reading was ended: whoever waits gets that error elsewhere.
}
