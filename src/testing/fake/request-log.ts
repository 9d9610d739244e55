import { redact } from '../../utils/redact.js';
import type { ChangeEmitter } from './changes.js';
import type { FakeRequest, OpenRequest } from './requests.js';

/** The newest requests that are kept. */
const MAX_REQUESTS = 10_000;

/** Records requests in the order of their arrival. */
export class RequestLog {
  readonly entries: FakeRequest[] = [];
  readonly #changes: ChangeEmitter;
  #lastId = 0;

  constructor(changes: ChangeEmitter) {
    this.#changes = changes;
  }

  /** Records a request on its arrival. */
  open(
    arrival: Pick<FakeRequest, 'method' | 'path' | 'query' | 'region' | 'endpoint' | 'body' | 'secretOf'>,
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
    if (this.entries.length > MAX_REQUESTS) this.entries.shift();
    this.#changes.emit({ type: 'request', request: entry });
    return entry;
  }

  /** Completes a request, whose entry has its response by now. */
  close(entry: OpenRequest): void {
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
