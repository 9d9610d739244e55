import type { Issue } from '../ground/issues.js';
import { redactHeaders } from '../ground/redact.js';
import type { Region } from '../ground/regions.js';
import { AgentPlatformError } from './base.js';
import type { CallContext } from './unanswered.js';

/** The parts that an {@link ApiError} is made of. */
export interface ApiErrorOptions extends CallContext {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** `code` of the error body. */
  readonly code?: string | undefined;
  /** `issues` of the error body. Default none. */
  readonly issues?: readonly ApiErrorIssue[] | undefined;
  /** The answer's headers. */
  readonly headers: Headers;
  /** The body as text, capped and masked. */
  readonly rawBody: string;
  /** True where the service may have acted all the same. Default false. */
  readonly outcomeUnknown?: boolean | undefined;
}

/** One entry of `issues` in the error body (specification, section 7); fields the specification does not list are kept. */
export interface ApiErrorIssue {
  /** Says what is wrong, in the words of the service. */
  readonly message: string;
}

/**
 * The service answered with an error status. The status decides the class; `code` is an open string, because the
 * specification does not list its values.
 */
export class ApiError extends AgentPlatformError {
  static override readonly errorName: string = 'ApiError';
  declare readonly type:
    | 'api_error'
    | 'bad_request_error'
    | 'authentication_error'
    | 'permission_denied_error'
    | 'not_found_error'
    | 'conflict_error'
    | 'unprocessable_entity_error'
    | 'rate_limit_error'
    | 'server_error';

  /** The HTTP status. */
  declare readonly status: number;
  /** `code` of the error body; undefined where the body was not the one that is specified. */
  declare readonly code: string | undefined;
  /**
   * The first 100 `issues` of the error body; empty where there were none. Of one that is longer than 4,000 characters, only its
   * `message` is kept.
   */
  declare readonly issues: readonly ApiErrorIssue[];
  /** The response's headers; those that carry credentials are masked. */
  declare readonly headers: Headers;
  /** The HTTP method of the call. */
  declare readonly method: string;
  /** The path as it was sent, relative to the base address. */
  declare readonly path: string;
  /** The region that was called. */
  declare readonly region: Region;
  /** The body as text, marked fields masked, at most 16 KiB. */
  declare readonly rawBody: string;

  constructor(message: string, options: ApiErrorOptions) {
    const parts: ApiErrorOptions = { ...options, issues: options.issues ?? [] };
    super(message, parts);
  }

  /**
   * The class of an error with this status: `NotFoundError` for 404.
   *
   * @internal
   */
  static classOf(status: number): typeof ApiError {
    return classOfStatus(status);
  }

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), headers: redactHeaders(this.headers) };
  }
}

/** 400: the service refuses the request, for example a variable key that the agent already has (4.2). */
export class BadRequestError extends ApiError {
  static override readonly errorName = 'BadRequestError';
  declare readonly type: 'bad_request_error';
}

/** 401, in HTTP: the token is not accepted. The specification does not show when; one of the other region may fail so (5.1). */
export class AuthenticationError extends ApiError {
  static override readonly errorName = 'AuthenticationError';
  declare readonly type: 'authentication_error';
}

/** 403, in HTTP: the token may not do this. The specification does not show which refusals have this status (7). */
export class PermissionDeniedError extends ApiError {
  static override readonly errorName = 'PermissionDeniedError';
  declare readonly type: 'permission_denied_error';
}

/** 404, in HTTP: there is no such record, or not in this region. The specification does not show when (7). */
export class NotFoundError extends ApiError {
  static override readonly errorName = 'NotFoundError';
  declare readonly type: 'not_found_error';
}

/** 409: the request conflicts with what is there. The specification does not show when. */
export class ConflictError extends ApiError {
  static override readonly errorName = 'ConflictError';
  declare readonly type: 'conflict_error';
}

/** 422: the request is well formed, and the service does not accept it; `issues` may say why. */
export class UnprocessableEntityError extends ApiError {
  static override readonly errorName = 'UnprocessableEntityError';
  declare readonly type: 'unprocessable_entity_error';
}

/**
 * 429: too many requests. Calls of every method are retried after the wait that the service asks for, up to 60 s. This error
 * is thrown when the retries are used up, or the wait is longer.
 */
export class RateLimitError extends ApiError {
  static override readonly errorName = 'RateLimitError';
  declare readonly type: 'rate_limit_error';

  /** Seconds to wait, from the `Retry-After` header; undefined where it was absent or unreadable. */
  declare readonly retryAfter: number | undefined;

  constructor(message: string, options: ApiErrorOptions & { retryAfter?: number | undefined }) {
    super(message, options);
  }
}

/**
 * 5xx: the service failed, or something on the way to it. A `GET` was retried after 500, 502, 503 and 504; see
 * `outcomeUnknown` for the others.
 */
export class ServerError extends ApiError {
  static override readonly errorName = 'ServerError';
  declare readonly type: 'server_error';
}

/** The class of each status that has one of its own; 5xx is a {@link ServerError}, any other an {@link ApiError}. */
const classes: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
  429: RateLimitError,
};

/** Outside the class: bundlers rename one that mentions itself, and users would read `_ApiError` in their logs. */
function classOfStatus(status: number): typeof ApiError {
  return classes[status] ?? (status >= 500 ? ServerError : ApiError);
}

/** The parts that an {@link OperationFailedError} and a {@link ResponseValidationError} are made of. */
export interface AnsweredErrorOptions extends CallContext {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The parsed body, marked fields masked; undefined where it was not JSON, or is too long to be kept. */
  readonly body: unknown;
  /** The body as text, capped and masked. */
  readonly rawBody: string;
  /** True where the service may have acted all the same. Default false. */
  readonly outcomeUnknown?: boolean | undefined;
  /** The error that the endpoint's own schema threw, where it did. */
  readonly cause?: unknown;
}

/**
 * The service answered 2xx, and its envelope says that the operation failed: `success: false`, or `isGood: false`
 * for a number release. Reading it so is a choice of this package; it holds in every validation mode.
 */
export class OperationFailedError extends AgentPlatformError {
  static override readonly errorName = 'OperationFailedError';
  declare readonly type: 'operation_failed_error';

  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** The HTTP method of the call. */
  declare readonly method: string;
  /** The path as it was sent, relative to the base address. */
  declare readonly path: string;
  /** The region that was called. */
  declare readonly region: Region;
  /** The answer, marked fields masked; undefined where it is longer than 64 KiB. */
  declare readonly body: unknown;
  /** The answer as text, marked fields masked, at most 16 KiB. */
  declare readonly rawBody: string;

  constructor(message: string, options: AnsweredErrorOptions) {
    super(message, options);
  }
}

/** The service answered 2xx, and the body does not fit the specification: not JSON, a field missing, a wrong type. */
export class ResponseValidationError extends AgentPlatformError {
  static override readonly errorName = 'ResponseValidationError';
  declare readonly type: 'response_validation_error';

  /** Each issue with its path in the body: 100, and one that counts the rest. */
  declare readonly issues: readonly Issue[];
  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** The HTTP method of the call. */
  declare readonly method: string;
  /** The path as it was sent, relative to the base address. */
  declare readonly path: string;
  /** The region that was called. */
  declare readonly region: Region;
  /** The body, marked fields masked; undefined where it was not JSON, or is longer than 64 KiB. */
  declare readonly body: unknown;
  /** The body as text, marked fields masked, at most 16 KiB. */
  declare readonly rawBody: string;

  constructor(message: string, options: AnsweredErrorOptions & { issues: readonly Issue[] }) {
    super(message, options);
  }
}
