import { redact } from '../../utils/redact.js';
import type { Region } from '../../utils/regions.js';
import type { Changes } from './changes.js';

/** The newest requests, and the newest deliveries, that a fake keeps. */
export const MAX_KEPT = 10_000;

/** One request to the fake, for assertions. Credential headers and marked fields are masked. */
export interface FakeRequest {
  /** `request_1`. */
  readonly id: string;
  /** Time of arrival, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** The path after `/v3`, without the query. */
  readonly path: string;
  /** The query with its question mark; empty if there is none. */
  readonly query: string;
  /** The region that was called. */
  readonly region: Region;
  /**
   * The key in `endpoints`, such as `'getTool'`; for a custom endpoint `'GET /agents/{agentId}/tools'`; undefined if no
   * endpoint fits.
   */
  readonly endpoint: string | undefined;
  /** The parsed body; the text if it is not JSON. Undefined if there is none. */
  readonly body: unknown;
  /** Headers with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status of the response; undefined before it, and if a fault gave none. */
  readonly status: number | undefined;
  /** The kind of the injected fault, other than a latency. */
  readonly fault: string | undefined;
  /**
   * The parsed body of the response; the text if it is not JSON. For a response that a fault cut or stalled, the
   * whole body. Undefined before the response, and if a handler returned its own `Response`.
   */
  readonly response: unknown;
  /** Milliseconds from arrival to response; undefined before it. */
  readonly duration: number | undefined;
}

/** A request that waits for its response. */
export type OpenRequest = { -readonly [Key in keyof FakeRequest]: FakeRequest[Key] };

/** Records requests in the order of their arrival: the newest 10,000. */
export class RequestLog {
  readonly entries: FakeRequest[] = [];
  readonly #changes: Changes;
  #lastId = 0;

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  /** Records a request on its arrival. */
  open(
    arrival: Pick<FakeRequest, 'method' | 'path' | 'query' | 'region' | 'endpoint' | 'body'>,
    headers: Headers,
  ): OpenRequest {
    this.#lastId += 1;
    const entry: OpenRequest = {
      id: `request_${this.#lastId}`,
      at: Date.now(),
      ...arrival,
      body: redact(arrival.body),
      // `redact` of an object returns an object of the same names.
      headers: redact(Object.fromEntries(headers)) as Record<string, string>,
      status: undefined,
      fault: undefined,
      response: undefined,
      duration: undefined,
    };
    this.entries.push(entry);
    if (this.entries.length > MAX_KEPT) this.entries.shift();
    this.#changes.emit({ type: 'request', request: entry });
    return entry;
  }

  /** Completes a request with the status of its response. */
  close(entry: OpenRequest, status: number | undefined): void {
    entry.status = status;
    entry.duration = Date.now() - entry.at;
    this.#changes.emit({ type: 'request', request: entry });
  }

  /** Forgets all requests; ids start again at 1. */
  clear(): void {
    this.entries.length = 0;
    this.#lastId = 0;
    this.#changes.emit({ type: 'changed', what: 'requests' });
  }
}
