import type { Endpoint } from '../../endpoints/endpoint.js';
import type { CallContext } from '../../errors/index.js';
import { parseJson } from '../../ground/json.js';
import { hiddenTexts, maskInside, withoutForms } from '../../ground/redact.js';
import type { CallSettings, Settings } from '../settings.js';
import type { PreparedRequest } from './request.js';
import { secretsOf } from './secrets.js';

/** Everything one attempt of a call needs. */
export interface AttemptContext {
  readonly settings: Settings;
  readonly call: CallSettings;
  readonly endpoint: Endpoint;
  readonly request: PreparedRequest;
  /** 1 for the first. */
  readonly number: number;
  /** When the whole call's time is over, by `performance.now()`. */
  readonly endsAt: number;
}

/** How far an attempt has come, for the error it may end in. */
export class Progress {
  /** When the attempt began, in milliseconds since the epoch. */
  readonly startedAt = Date.now();
  /** Whether the request was handed to `fetch`: before that, the service cannot have acted. */
  sent = false;
  /** What is sent; before that is known, what the caller wants to be sent. */
  headers: Readonly<Record<string, string>>;
  /** The token that is sent. */
  token: string | undefined;
  readonly #context: AttemptContext;
  /** The marked values of the request. */
  #sent: readonly string[] | undefined;

  constructor(context: AttemptContext) {
    this.headers = context.call.headers;
    this.#context = context;
  }

  /** All that must not show in an error or a log line, wherever the service echoes it. Most attempts need it for neither. */
  get secrets(): readonly string[] {
    const { call, request } = this.#context;
    // That of the client may have been put elsewhere by a call that sends none.
    const { token = call.token } = this;
    // Parsed once for all lines and errors of the attempt.
    this.#sent ??= request.body === undefined ? [] : hiddenTexts(parseJson(request.body));
    return secretsOf(this.headers, typeof token === 'string' ? token : undefined, this.#sent);
  }
}

/** The call as errors and log lines name it: its path may hold a token given for an id, or a marked field. */
export function shownCall({ settings, request }: AttemptContext, secrets: readonly string[]): CallContext {
  const path = withoutForms(maskInside(request.path), secrets);
  return { method: request.method, path, region: settings.region };
}
