import type { Endpoint } from '../endpoint.js';
import type { CallSettings, Settings } from '../settings.js';
import type { PreparedRequest } from './request.js';

/** Everything one attempt of a call needs. */
export interface AttemptContext {
  readonly settings: Settings;
  readonly call: CallSettings;
  readonly endpoint: Endpoint;
  readonly request: PreparedRequest;
  /** 1 for the first. */
  readonly number: number;
  /** When the whole call's time is over, in milliseconds since the epoch. */
  readonly endsAt: number;
}

/** How far an attempt has come, for the error it may end in. */
export interface Progress {
  /** When the attempt began, in milliseconds since the epoch. */
  readonly startedAt: number;
  /** Whether the request was handed to `fetch`: before that, the service cannot have acted. */
  sent: boolean;
  secrets: readonly string[];
}
