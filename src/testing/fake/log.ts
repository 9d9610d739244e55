import { redact } from '../../utils/redact.js';
import type { Region } from '../../utils/regions.js';

/**
 * The newest entries that are kept, of requests and of deliveries each.
 *
 * Tests lower it.
 */
export const KEPT = { entries: 10_000 };

/** One request to the fake, for assertions. Credential headers and marked fields are masked. */
export interface FakeRequest {
  /** `request_1`. */
  readonly id: string;
  /** Time of arrival, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** The path after `/v3`, without the query. The path as sent if it is not below the `/v3` of a region. */
  readonly path: string;
  /** The query with its question mark; empty if there is none. */
  readonly query: string;
  /** The region that was called. Undefined if the path is not below the `/v3` of one. */
  readonly region: Region | undefined;
  /**
   * The key in `endpoints`, such as `'getTool'`; for a custom endpoint, its method and path. Undefined if no
   * endpoint matches.
   */
  readonly endpoint: string | undefined;
  /** The parsed body; the text if it is not JSON. Undefined if there is none, or it was refused unread. */
  readonly body: unknown;
  /**
   * The id of the workspace or the agent whose secret it carried. Undefined if there was no secret, or one
   * that the fake does not know.
   */
  readonly secretOf: string | undefined;
  /** Headers with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status of the response; undefined before it, and if a fault gave none. */
  readonly status?: number | undefined;
  /** The kind of the injected fault; `'latency'` if there was no other. */
  readonly fault?: string | undefined;
  /**
   * The parsed body of the response; the text if it is not JSON. The whole body, even if a fault cut or
   * stalled it. Undefined before the response, and if a handler returned its own `Response`.
   */
  readonly response?: unknown;
  /** Headers of the response, with lower-case names. Undefined before it, and if a fault gave none. */
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  /** Milliseconds from arrival to response; undefined before it. */
  readonly duration?: number | undefined;
}

/** Headers as an object, credentials masked. */
export function maskedHeaders(headers: Headers): Readonly<Record<string, string>> {
  // `redact` of an object returns an object of the same names.
  return redact(Object.fromEntries(headers)) as Record<string, string>;
}

/** Who hears of a log. */
export interface LogListener<Each> {
  /** Called when an entry begins, and when it ends. */
  readonly onEntry: (entry: Each) => void;
  readonly onClear: () => void;
}

/** Keeps the newest requests, or deliveries, in the order in which they begin. */
export class Log<Each extends { readonly id: string }> {
  readonly entries: Each[] = [];
  readonly #prefix: string;
  readonly #listener: LogListener<Each>;
  #lastId = 0;

  /** @param prefix - The beginning of ids. */
  constructor(prefix: string, listener: LogListener<Each>) {
    this.#prefix = prefix;
    this.#listener = listener;
  }

  /** Enters what has begun. */
  open(begun: Omit<Each, 'id'>): Each {
    this.#lastId += 1;
    // All fields but the id were given.
    const entry = { id: `${this.#prefix}_${this.#lastId}`, ...begun } as Each;
    this.entries.push(entry);
    if (this.entries.length > KEPT.entries) this.entries.shift();
    this.#listener.onEntry(entry);
    return entry;
  }

  /** Completes an entry. One that was cleared before is not emitted. */
  close(entry: Each, outcome: Partial<Each>): void {
    Object.assign(entry, outcome);
    if (this.entries.includes(entry)) this.#listener.onEntry(entry);
  }

  /** Forgets all entries; ids start again at 1. */
  clear(): void {
    this.entries.length = 0;
    this.#lastId = 0;
    this.#listener.onClear();
  }
}
