import { redact, redactHeaders } from '../ground/redact.js';
import type { Region } from '../ground/regions.js';

/** One request that reached the fake, for assertions. Holds no token, and no value of a marked field. */
export interface FakeRequest {
  /** The HTTP method. */
  readonly method: string;
  /** Relative to the base address that ends in `/v3`, without the query; as sent where it lacks `/v3`. */
  readonly path: string;
  /** The query with its question mark; empty where there is none. */
  readonly query: string;
  /** The region that was called. */
  readonly region: Region;
  /**
   * The key in `endpoints`, such as `'getTool'`; for an endpoint of your own `'GET /agents/{agentId}/tools'`;
   * undefined where no endpoint fits.
   */
  readonly endpoint: string | undefined;
  /** The parsed body, marked fields masked; the text where it is not JSON; undefined where there is none. */
  readonly body: unknown;
  /** Headers with lower-case names; those that carry credentials are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status answered; undefined while unanswered, and where a fault answered with none. */
  readonly status: number | undefined;
  /** The kind of the fault that struck, other than a latency. */
  readonly fault: string | undefined;
}

/** A request as it is when it arrives. */
interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly region: Region;
  readonly endpoint: string | undefined;
  readonly headers: Headers;
}

/** Writes down requests in the order of their arrival. */
export class RequestLog {
  readonly #entries: FakeRequest[] = [];
  readonly #onAnswered: (request: FakeRequest) => void;

  constructor(onAnswered: (request: FakeRequest) => void) {
    this.#onAnswered = onAnswered;
  }

  /** The live list. */
  get entries(): readonly FakeRequest[] {
    return this.#entries;
  }

  /** Adds a request; the returned functions complete it. */
  arrive(arrival: Arrival): LogEntry {
    const entry: { -readonly [Key in keyof FakeRequest]: FakeRequest[Key] } = {
      ...arrival,
      headers: redactHeaders(arrival.headers),
      body: undefined,
      status: undefined,
      fault: undefined,
    };
    this.#entries.push(entry);
    return {
      body: (value) => {
        entry.body = redact(value);
      },
      struckBy: (fault) => {
        entry.fault = fault;
      },
      answered: (status) => {
        entry.status = status;
        this.#onAnswered(entry);
      },
    };
  }

  clear(): void {
    this.#entries.length = 0;
  }
}

/** The entry of a request that is being answered. */
export interface LogEntry {
  readonly body: (value: unknown) => void;
  readonly struckBy: (fault: string) => void;
  readonly answered: (status: number | undefined) => void;
}
