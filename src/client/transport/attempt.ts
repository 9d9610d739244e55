import type { Endpoint } from '../../endpoints/endpoint.js';
import type { CallContext } from '../../errors/index.js';
import { parseJson } from '../../ground/json.js';
import { hiddenTexts } from '../../ground/redact.js';
import type { CallSettings, Settings } from '../settings.js';
import { Deadline } from './deadline.js';
import { type Credentials, Masker } from './masker.js';
import type { PreparedRequest } from './request.js';
import type { BodyText } from './response-body.js';

/** One call: what is the same for each of its attempts. */
export interface Call {
  readonly settings: Settings;
  /** The settings, overlaid with the call's own options. */
  readonly options: CallSettings;
  readonly endpoint: Endpoint;
  readonly request: PreparedRequest;
  /** End of the whole call's time, by `performance.now()`. */
  readonly endsAt: number;
  /** Those of all its attempts: the answer to one may still show those of another. */
  readonly credentials: Set<Credentials>;
  readonly progress: CallProgress;
}

/** Progress of a call, for what is told at its end. */
export interface CallProgress {
  /** Attempts that were begun. */
  attempts: number;
  /** The status of the answer to the last attempt. */
  status: number | undefined;
}

/** Makes the deadline of one attempt of a call, of one hook, or of one schema of the user's own. */
export function deadlineOf({ options, endsAt }: Pick<Call, 'options' | 'endsAt'>): Deadline {
  return new Deadline({ timeout: options.timeout, endsAt, signal: options.signal });
}

/** Parts of an answer that are searched for marked fields, before what a schema of the user's says of it is told. */
const MAX_RECEIVED = 1_000_000;

/** One attempt of a call: its time, how far it has come, and the secrets that nothing told of it may show. */
export class Attempt {
  readonly call: Call;
  /** 1 for the first. */
  readonly number: number;
  /** Start of the attempt, by `performance.now()`. */
  readonly startedAt = performance.now();
  /** Ends the attempt, its body included. */
  readonly deadline: Deadline;
  /** True once the request was handed to `fetch`: before that, the service cannot have acted. */
  isSent = false;
  /** True once a response has come, even if its body does not follow. */
  isAnswered = false;
  #headers: Readonly<Record<string, string>> = {};
  #received: readonly string[] = [];
  #masker: Masker | undefined;

  constructor(call: Call, number: number) {
    this.call = call;
    this.number = number;
    call.progress.attempts = number;
    call.progress.status = undefined;
    this.deadline = deadlineOf(call);
  }

  /** The headers that are sent; none before they are known. */
  get headers(): Readonly<Record<string, string>> {
    return this.#headers;
  }

  /** Masks the secrets of this attempt. Made when something is told: most attempts tell nothing. */
  get masker(): Masker {
    const { credentials, request } = this.call;
    this.#masker ??= new Masker({
      credentials,
      sent: parseJson(request.body ?? ''),
      received: this.#received,
    });
    return this.#masker;
  }

  /** The call as errors, hooks and log lines name it. */
  get shown(): CallContext {
    const { settings, request } = this.call;
    return { method: request.method, path: this.masker.path(request.path), region: settings.region };
  }

  /** Notes the token as soon as it is known, so that it is masked from then on. */
  noteToken(token: string): void {
    this.#note(token);
  }

  /** Notes the headers that are about to be sent. */
  noteHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = headers;
    this.#note(headers);
  }

  /**
   * Notes an answer whose marked fields may be told by a function of the user's, such as a schema, that has read it.
   *
   * @returns False for one that is too large: what the function says of it must not be told.
   */
  noteReceived(body: unknown): boolean {
    const texts = hiddenTexts(body, MAX_RECEIVED);
    this.#received = texts ?? [];
    this.#masker = undefined;
    return texts !== undefined;
  }

  #note(credentials: Credentials): void {
    this.call.credentials.add(credentials);
    this.#masker = undefined;
  }
}

/** The answer to an attempt, its body read. */
export interface Answer {
  readonly attempt: Attempt;
  readonly response: Response;
  readonly body: BodyText;
}
