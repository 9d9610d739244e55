import type { Endpoint } from '../../endpoints/endpoint.js';
import type { RequestOptions } from '../options.js';
import { type CallSettings, resolveCall, type Settings } from '../settings.js';
import { type PreparedRequest, prepareRequest, type RawPath, type RequestInput } from './request.js';

/** A call before its arguments are checked. */
export interface StartedCall {
  /** A UUID that identifies the call in hooks and log lines. */
  readonly id: string;
  readonly settings: Settings;
  readonly endpoint: Endpoint;
  /** By `performance.now()`, as all times of a call. */
  readonly startedAt: number;
  /** The attempts that were started, the latest last. */
  readonly attempts: Attempt[];
}

/** One call: what its stages share. */
export interface Call extends StartedCall {
  /** The client's settings with the call's own options. */
  readonly options: CallSettings;
  readonly request: PreparedRequest;
  /** The end of `totalTimeout`. */
  readonly endsAt: number;
}

/** One attempt of a call, and how far it came: a timeout or the caller may end it at any point. */
export interface Attempt {
  /** 1 for the first. */
  readonly number: number;
  readonly startedAt: number;
  /** The token that is sent, to mask it in words of the service. */
  token?: string | undefined;
  /** Whether the request was handed to `fetch`: before that, the service cannot have acted. */
  isSent: boolean;
  /** The status of the response, even if its body does not follow. */
  status?: number | undefined;
}

/** The response to an attempt, its body read. */
export interface ReceivedResponse extends BodyText {
  readonly response: Response;
}

/** The body of a response, as far as it was read. */
export interface BodyText {
  readonly text: string;
  /** Whether the end is missing: the body exceeds the limit, or the connection was cut. */
  readonly isCut: boolean;
}

export function startCall(settings: Settings, endpoint: Endpoint): StartedCall {
  const startedAt = performance.now();
  return { id: crypto.randomUUID(), settings, endpoint, startedAt, attempts: [] };
}

/** Checks the arguments and the options of a call, and builds its request. */
export async function prepareCall(
  started: StartedCall,
  input: RequestInput | null,
  given: RequestOptions | undefined,
  raw: RawPath | undefined,
): Promise<Call> {
  const { id, settings, endpoint, startedAt, attempts } = started;
  const request = await prepareRequest(endpoint, input, raw);
  const options = resolveCall(settings, given, `${endpoint.method} ${endpoint.path}`);
  const endsAt = startedAt + (options.totalTimeout ?? Number.POSITIVE_INFINITY);
  // Spelt out: copied by `...started`, a call takes 4 µs longer on Node 20.
  return { id, settings, endpoint, startedAt, attempts, options, request, endsAt };
}

/** Adds the next attempt to a call. */
export function startAttempt({ attempts }: Call): Attempt {
  const attempt = { number: attempts.length + 1, startedAt: performance.now(), isSent: false };
  attempts.push(attempt);
  return attempt;
}

/** The latest attempt of a call; undefined if it failed before the first (jsdom has no `Request`). */
export function latestAttempt({ attempts }: StartedCall): Attempt | undefined {
  return attempts[attempts.length - 1];
}
