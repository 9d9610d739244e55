import { formsOf, withoutForms } from '../ground/echoes.js';
import { masked, redactHeaders, redactText } from '../ground/redact.js';
import type { Region } from '../ground/regions.js';
import type { Clock } from '../webhooks/clock.js';

/** One request that reached the fake, for assertions. Holds no token that it was sent with, and no value of a marked field. */
export interface FakeRequest {
  /** `request_1`: tells it from the others. */
  readonly id: string;
  /** Time of arrival: milliseconds since the Unix epoch, by the fake's clock. */
  readonly at: number;
  /** The HTTP method. */
  readonly method: string;
  /** Relative to the base address that ends in `/v3`, without the query; as sent where it lacks `/v3`. The token is masked. */
  readonly path: string;
  /** The query with its question mark, marked fields and the token masked; empty where there is none. */
  readonly query: string;
  /** The region that was called. */
  readonly region: Region;
  /**
   * The key in `endpoints`, such as `'getTool'`; for an endpoint of your own `'GET /agents/{agentId}/tools'`;
   * undefined where no endpoint fits.
   */
  readonly endpoint: string | undefined;
  /**
   * The parsed body, marked fields masked; the text where it is not JSON; undefined where there is none. Of one with more than 262,144
   * characters, as many as text. So of the answer.
   */
  readonly body: unknown;
  /** Headers with lower-case names; those that carry credentials, or repeat the token, are masked. */
  readonly headers: Readonly<Record<string, string>>;
  /** The status answered; undefined while unanswered, and where a fault answered with none. */
  readonly status: number | undefined;
  /** The kind of the fault that struck, other than a latency. */
  readonly fault: string | undefined;
  /**
   * The body of the answer, marked fields masked; the text where it is not JSON. Of an answer that a fault cut, stalled or
   * kept back, the whole of it. Undefined while unanswered, where there is none, and where a handler answered with a
   * `Response` of its own.
   */
  readonly answer: unknown;
  /** Milliseconds from its arrival to the answer's status; undefined while unanswered. */
  readonly duration: number | undefined;
}

/** A request on its arrival. */
interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly region: Region;
  readonly endpoint: string | undefined;
  readonly headers: Headers;
}

/** Hears of requests as they are written down, and says whether the oldest is forgotten, of so many with so many characters of bodies. */
interface LogListener {
  readonly forgetsOldest: (count: number, characters: number) => boolean;
  readonly arrived: (request: FakeRequest) => void;
  readonly answered: (request: FakeRequest) => void;
}

/** Writes down requests in the order of their arrival. */
export class RequestLog {
  readonly #entries: FakeRequest[] = [];
  readonly #clock: Clock;
  readonly #on: LogListener;
  #last = 0;
  /** Characters of the bodies of each entry, and of all. */
  #sizes = new WeakMap<FakeRequest, number>();
  #characters = 0;

  constructor(clock: Clock, on: LogListener) {
    this.#clock = clock;
    this.#on = on;
  }

  /** The live list. */
  get entries(): readonly FakeRequest[] {
    return this.#entries;
  }

  /** Adds a request; the returned functions complete it. */
  arrive(arrival: Arrival): LogEntry {
    this.#last += 1;
    const at = this.#clock.now();
    const token = arrival.headers.get('authorization')?.replace(/^Bearer(\s+|$)/i, '') ?? '';
    const forms = formsOf([token]);
    // A text becomes a text.
    const maskedText = (text: string): string => masked(text, forms) as string;
    const entry: { -readonly [Key in keyof FakeRequest]: FakeRequest[Key] } = {
      id: `request_${this.#last}`,
      at,
      ...arrival,
      path: maskedText(arrival.path),
      query: maskedText(arrival.query),
      headers: redactHeaders(arrival.headers, forms),
      body: undefined,
      status: undefined,
      fault: undefined,
      answer: undefined,
      duration: undefined,
    };
    this.#entries.push(entry);
    this.#sizes.set(entry, 0);
    this.#forget();
    this.#on.arrived(entry);
    return {
      body: (value, characters) => {
        entry.body = shown(value, forms);
        this.#hold(entry, characters);
      },
      struckBy: (fault) => {
        entry.fault = fault;
      },
      answer: (value, characters) => {
        // A fault may have been told to echo the token.
        entry.answer = shown(value, forms);
        this.#hold(entry, characters);
      },
      answered: (status) => {
        entry.status = status;
        entry.duration = this.#clock.now() - at;
        this.#on.answered(entry);
      },
    };
  }

  clear(): void {
    this.#entries.length = 0;
    this.#sizes = new WeakMap();
    this.#characters = 0;
  }

  #hold(entry: FakeRequest, characters: number): void {
    const before = this.#sizes.get(entry);
    // Forgotten already.
    if (before === undefined) return;
    this.#sizes.set(entry, before + characters);
    this.#characters += characters;
    this.#forget();
  }

  #forget(): void {
    while (this.#entries.length > 1 && this.#on.forgetsOldest(this.#entries.length, this.#characters)) {
      // There is one.
      const oldest = this.#entries.shift() as FakeRequest;
      this.#characters -= this.#sizes.get(oldest) ?? 0;
      this.#sizes.delete(oldest);
    }
  }
}

/** Without what it may hide. A text may have been cut within a secret. */
function shown(body: unknown, forms: readonly string[]): unknown {
  return typeof body === 'string' ? withoutForms(redactText(body, forms), forms, true) : masked(body, forms);
}

/** The entry of a request that is being answered. */
export interface LogEntry {
  readonly body: (value: unknown, characters: number) => void;
  readonly struckBy: (fault: string) => void;
  readonly answer: (value: unknown, characters: number) => void;
  readonly answered: (status: number | undefined) => void;
}
