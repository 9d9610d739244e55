import type { ErrorBody } from '../schemas/envelope.js';
import type { Issue } from '../utils/issues.js';
import { type ApiErrorType, setUnprinted } from './base.js';
import { CallError, type CallErrorParts } from './call.js';

/** The parts of every error about a response. */
interface ResponseErrorParts extends CallErrorParts {
  readonly status: number;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly rawBody: string;
  /** Only used by {@link ApiError}. */
  readonly errorBody?: ErrorBody | undefined;
}

/** An issue of an error body. The specification gives it a message alone (section 7). */
export interface ApiErrorIssue {
  /** Description of the issue, on one line, with the token masked. */
  readonly message: string;
  /** Says where in the request the issue is, by field names and list positions. Absent if unknown. */
  readonly path?: readonly (string | number)[] | undefined;
}

/** The parts of an {@link ApiError}. */
interface ApiErrorParts extends ResponseErrorParts {
  readonly code?: string | undefined;
  readonly issues?: readonly ApiErrorIssue[] | undefined;
  /** Only used by {@link RateLimitError}. */
  readonly retryAfter?: number | undefined;
}

/** The base of the errors about a response. Not a class to catch: it has no name of its own. */
abstract class ResponseError extends CallError {
  /** The HTTP status. */
  readonly status: number;
  /** The response's headers, unaltered. Not enumerable, so that printing the error does not print them. */
  declare readonly headers: Headers;
  /** The parsed body, unaltered; undefined if it is not JSON. Not enumerable. */
  declare readonly body: unknown;
  /** The body as text, unaltered: its first 16,384 characters. Not enumerable. */
  declare readonly rawBody: string;

  constructor(message: string, options: ResponseErrorParts) {
    super(message, options);
    this.status = options.status;
    const { headers, body, rawBody, errorBody } = options;
    setUnprinted(this, { headers, body, rawBody, errorBody });
  }
}

/**
 * The service responded with an error status, which decides the class.
 *
 * `code` is an open string, because the specification does not list its values.
 */
export class ApiError extends ResponseError {
  static override readonly errorName: string = 'ApiError';
  declare readonly type: ApiErrorType;

  /**
   * Holds the body if it is an error body of the specification (section 7), else undefined.
   *
   * The HTML of a proxy is not one, nor is an object with further fields. So if it is there, the service itself has
   * probably refused the call, not a proxy (an assumption). As sent, and not enumerable.
   */
  declare readonly errorBody: ErrorBody | undefined;
  /** Repeats the `code` beside the service's words, if it is a string. */
  readonly code: string | undefined;
  /**
   * Lists the first 100 `issues` of the body, or its `errors`, with message and path.
   *
   * Nothing else of an issue is kept, because the rest may quote secrets.
   */
  readonly issues: readonly ApiErrorIssue[];

  constructor(message: string, options: ApiErrorParts) {
    super(message, options);
    this.code = options.code;
    this.issues = options.issues ?? [];
  }
}

/** 400: the service refused the request, such as a variable key that exists already (4.2). */
export class BadRequestError extends ApiError {
  static override readonly errorName = 'BadRequestError';
  declare readonly type: 'bad_request_error';
}

/**
 * 401: the service did not accept the token, or doesn't know the id.
 *
 * A request to the wrong region may fail too (5.1); the API specification doesn't say with which status.
 */
export class AuthenticationError extends ApiError {
  static override readonly errorName = 'AuthenticationError';
  declare readonly type: 'authentication_error';
}

/** 403: the token does not permit this. The specification does not show for which refusals (7). */
export class PermissionDeniedError extends ApiError {
  static override readonly errorName = 'PermissionDeniedError';
  declare readonly type: 'permission_denied_error';
}

/** 404: no such record, or not in this region. The specification does not show when (7). */
export class NotFoundError extends ApiError {
  static override readonly errorName = 'NotFoundError';
  declare readonly type: 'not_found_error';
}

/** 409: the request conflicts with the state of a record. The specification does not show when. */
export class ConflictError extends ApiError {
  static override readonly errorName = 'ConflictError';
  declare readonly type: 'conflict_error';
}

/** 422: the request is well formed, but was not accepted. `issues` may say why. */
export class UnprocessableEntityError extends ApiError {
  static override readonly errorName = 'UnprocessableEntityError';
  declare readonly type: 'unprocessable_entity_error';
}

/**
 * 429: too many requests.
 *
 * Calls of every method are retried after the delay that the service asks for, up to 60 s. This error is
 * thrown if no retry is left, or the delay is longer.
 */
export class RateLimitError extends ApiError {
  static override readonly errorName = 'RateLimitError';
  declare readonly type: 'rate_limit_error';

  /** Seconds to wait, from the `Retry-After` header; undefined if it is absent or unreadable. */
  readonly retryAfter: number | undefined;

  constructor(message: string, options: ApiErrorParts) {
    super(message, options);
    this.retryAfter = options.retryAfter;
  }
}

/**
 * 5xx: the service failed, or a proxy in front of it.
 *
 * A `GET` was retried, unless a retry cannot help, as after a 501. Other calls may have taken effect
 * (`outcomeUnknown`).
 */
export class ServerError extends ApiError {
  static override readonly errorName = 'ServerError';
  declare readonly type: 'server_error';
}

/**
 * The service responded 2xx, and its envelope says that the operation failed.
 *
 * `success: false`, or `isGood: false` for a number release. This reading is a choice of this package, in
 * every validation mode.
 */
export class OperationFailedError extends ResponseError {
  static override readonly errorName = 'OperationFailedError';
  declare readonly type: 'operation_failed_error';
}

/** A 2xx response does not match its schema: invalid JSON, a missing field, a wrong type. */
export class ResponseValidationError extends ResponseError {
  static override readonly errorName = 'ResponseValidationError';
  declare readonly type: 'response_validation_error';

  /** The first 100 issues with their paths in the body, and one that counts the rest. */
  readonly issues: readonly Issue[];

  constructor(message: string, options: ResponseErrorParts & { readonly issues: readonly Issue[] }) {
    super(message, options);
    this.issues = options.issues;
  }
}
