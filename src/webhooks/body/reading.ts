import { Rejection, type RejectionReason } from '../outcomes.js';

// Bodies of strangers, within the limits of one body and of all.

/**
 * The most bytes of a body that are read by default: 8 MiB. (A product would stay in every bundle.)
 *
 * The specification names no limit. `conversation_updated` carries the full history (6.3), so it is assumed to be
 * the largest: there is room for four thousand messages of 1 kB, each of them twice.
 */
export const DEFAULT_MAX_BODY_BYTES = 8_388_608;

/** The most memory of all bodies that a receiver has not verified: 64 MiB. */
const MAX_UNVERIFIED_BYTES = 67_108_864;
/** The least that a delivery takes while it waits, about: strangers can let many of them wait for newer secrets. */
const LEAST_BYTES = 4_096;

/** One body from its first byte until it is verified. */
export interface UnverifiedBody {
  /** The most bytes that are read. */
  readonly limit: number;
  /** Shared by all bodies of a receiver. */
  readonly budget?: BodyBudget | undefined;
  /** Ends the delivery early. Set by whoever holds the body. */
  stop?: ((reason: RejectionReason) => void) | undefined;
}

/** Bounds the memory of all bodies that are not verified. Above the limit, the oldest is dropped. */
export class BodyBudget {
  readonly #limit: number;
  /** The memory of each body, the oldest first. */
  readonly #bodies = new Map<UnverifiedBody, number>();
  #bytes = 0;

  /**
   * @param maxBodyBytes - A body has room at any rate: its text may take two bytes for each of its own.
   * @param least - Lowered by tests.
   */
  constructor(maxBodyBytes: number, least = MAX_UNVERIFIED_BYTES) {
    this.#limit = Math.max(least, 2 * maxBodyBytes);
  }

  /** Sets the memory that a body takes now. */
  hold(body: UnverifiedBody, bytes: number): void {
    const held = Math.max(bytes, LEAST_BYTES);
    this.#bytes += held - (this.#bodies.get(body) ?? 0);
    this.#bodies.set(body, held);
    for (const oldest of this.#bodies.keys()) {
      if (this.#bytes <= this.#limit) return;
      this.release(oldest);
      oldest.stop?.('overloaded');
    }
  }

  release(body: UnverifiedBody): void {
    this.#bytes -= this.#bodies.get(body) ?? 0;
    this.#bodies.delete(body);
  }
}

/** Collects chunks in one growing array: in a list, each chunk would cost a hundred bytes more. */
export class ByteCollector {
  size = 0;
  readonly #body: UnverifiedBody;
  #bytes = new Uint8Array();

  constructor(body: UnverifiedBody) {
    this.#body = body;
  }

  add(chunk: Uint8Array): void {
    const at = this.size;
    this.size += chunk.byteLength;
    if (this.size > this.#bytes.byteLength) {
      const grown = new Uint8Array(at === 0 ? this.size : Math.min(2 * this.size, this.#body.limit));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#body.budget?.hold(this.#body, grown.byteLength);
    }
    this.#bytes.set(chunk, at);
  }

  get whole(): Uint8Array {
    return this.#bytes.subarray(0, this.size);
  }
}

/** A chunk is a string after `setEncoding`, or if a stream of strings was passed as the body; else bytes of any kind. */
export function toBytes(chunk: unknown): Uint8Array<ArrayBuffer> {
  if (typeof chunk === 'string') return new TextEncoder().encode(chunk);
  // Streams of bodies yield nothing else. An `ArrayBuffer` has no `buffer` and no offset.
  const { buffer = chunk as ArrayBuffer, byteOffset, byteLength } = chunk as Partial<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Refuses a body, with the limit that it exceeds. */
export function tooLarge(limit: number, size: number | undefined): Rejection {
  return new Rejection('body_too_large', size, `The limit is ${limit} bytes: raise the option maxBodyBytes.`);
}

export function ignore(): void {
  // The connection is gone, or the reading was ended: whoever waits gets that error elsewhere.
}
