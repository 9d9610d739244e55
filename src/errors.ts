import { formatIssues, type Issue } from './issues.js';
import { redactHeaders } from './redact.js';
import type { Region } from './regions.js';

/** The stable kind of an error, for `switch`: survives minification, bundling and duplicate installs. */
export type ErrorType =
  | 'agent_platform_error'
  | 'configuration_error'
  | 'request_validation_error'
  | 'connection_error'
  | 'timeout_error'
  | 'abort_error'
  | 'api_error'
  | 'bad_request_error'
  | 'authentication_error'
  | 'permission_denied_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'unprocessable_entity_error'
  | 'rate_limit_error'
  | 'server_error'
  | 'operation_failed_error'
  | 'response_validation_error'
  | 'hook_error'
  | 'webhook_error'
  | 'webhook_verification_error'
  | 'webhook_payload_error'
  | 'unknown_event_error';

/** The names of an error's classes, on every instance, under a key that all copies of this package share. */
const brand = /* @__PURE__ */ Symbol.for('agent-platform-sdk.error');

interface ErrorClass {
  readonly errorName: string;
}

function classNames(errorClass: object | null): string[] {
  const names: string[] = [];
  for (let at = errorClass; at !== null && at !== Error; at = Object.getPrototypeOf(at) as object | null) {
    if (Object.hasOwn(at, 'errorName')) names.push((at as ErrorClass).errorName);
  }
  return names;
}

/**
 * The base of every error this package throws. `instanceof` works across the ESM and CommonJS builds and across
 * duplicate installs.
 *
 * @example
 * ```ts
 * import { AgentPlatform, AgentPlatformError, NotFoundError } from 'agent-platform-sdk';
 *
 * const platform = new AgentPlatform();
 * try {
 *   await platform.tools.get('tool_1');
 * } catch (error) {
 *   if (error instanceof NotFoundError) console.log('no such tool');
 *   else if (error instanceof AgentPlatformError) console.log(error.type, error.message);
 *   else throw error;
 * }
 * ```
 */
export class AgentPlatformError extends Error {
  /** The class's name, spelt out because minifiers rename classes. */
  static readonly errorName: string = 'AgentPlatformError';

  /** The stable kind of this error: the name of its class in snake case. */
  declare readonly type: ErrorType;

  /**
   * True where the service may have acted although no answer tells so: a POST or DELETE that timed out, was cut
   * off, or was answered by something unreadable. Look before you try again.
   */
  declare readonly outcomeUnknown: boolean;

  /** Every part of an error, in the classes below too, is an option of the same name. */
  constructor(message: string, options: { cause?: unknown; outcomeUnknown?: boolean | undefined } = {}) {
    const { cause, outcomeUnknown = false, ...parts } = options;
    super(message, cause === undefined ? undefined : { cause });
    const type = this.name.replace(/\B[A-Z]/g, '_$&').toLowerCase();
    Object.assign(this, parts, { type, outcomeUnknown });
    Object.defineProperty(this, brand, { value: classNames(new.target) });
  }

  /** Knows the errors of every copy of this package; a subclass of your own keeps the ordinary rule. */
  static override [Symbol.hasInstance](this: unknown, value: unknown): boolean {
    // A user's subclass has no name of ours of its own, and keeps the ordinary rule.
    if (!Object.hasOwn(this as object, 'errorName')) {
      return Function.prototype[Symbol.hasInstance].call(this as never, value);
    }
    const names = (value as { readonly [brand]?: readonly string[] } | null | undefined)?.[brand];
    return names?.includes((this as ErrorClass).errorName) === true;
  }

  /** The name of the class, right after minification too. */
  override get name(): string {
    return (this.constructor as unknown as ErrorClass).errorName;
  }

  /**
   * A plain object for structured logs. Holds nothing that the error itself does not show.
   *
   * @example
   * ```ts
   * import { AgentPlatform, AgentPlatformError } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * try {
   *   await platform.tools.get('tool_1');
   * } catch (error) {
   *   if (error instanceof AgentPlatformError) console.log(JSON.stringify(error));
   *   throw error;
   * }
   * ```
   */
  toJSON(): Record<string, unknown> {
    return { name: this.name, message: this.message, ...Object.fromEntries(Object.entries(this)) };
  }
}

/**
 * An option is wrong or missing: found before anything is sent. The message names the option, and the environment
 * variable where there is one.
 */
export class ConfigurationError extends AgentPlatformError {
  static override readonly errorName = 'ConfigurationError';
  declare readonly type: 'configuration_error';

  /** The option to look at, such as `'token'` or `'baseUrls.eu'`. */
  declare readonly option: string;

  constructor(message: string, options: { option: string; cause?: unknown }) {
    super(message, options);
  }
}

/** An argument of a call is wrong: found before anything is sent, in every validation mode. */
export class RequestValidationError extends AgentPlatformError {
  static override readonly errorName = 'RequestValidationError';
  declare readonly type: 'request_validation_error';

  /** Every field that is wrong: where it stands in the argument, and what was expected. */
  declare readonly issues: readonly Issue[];
  /** The HTTP method of the call. */
  declare readonly method: string;
  /** The path of the operation, with the parameters in braces: `/tools/{toolId}`. */
  declare readonly path: string;

  constructor(options: {
    method: string;
    path: string;
    issues: readonly Issue[];
    cause?: unknown;
  }) {
    super(
      `${options.method} ${options.path} was not sent: the arguments do not fit the operation` +
        formatIssues(options.issues),
      options,
    );
  }
}

/** Which call an error is about. */
export interface CallContext {
  /** The HTTP method of the call. */
  readonly method: string;
  /** The path as it was sent, relative to the base address. */
  readonly path: string;
  /** The region that was called. */
  readonly region: Region;
}

/** No answer came: the connection could not be made, or was cut. `cause` is what the runtime reported. */
export class ConnectionError extends AgentPlatformError {
  static override readonly errorName: string = 'ConnectionError';
  declare readonly type: 'connection_error' | 'timeout_error' | 'abort_error';

  /** The HTTP method of the call. */
  declare readonly method: string;
  /** The path as it was sent, relative to the base address. */
  declare readonly path: string;
  /** The region that was called. */
  declare readonly region: Region;

  constructor(
    message: string,
    options: CallContext & { cause?: unknown; outcomeUnknown?: boolean | undefined },
  ) {
    super(message, options);
  }
}

/** The answer did not come, or did not end, within `timeout` or `totalTimeout`. */
export class TimeoutError extends ConnectionError {
  static override readonly errorName = 'TimeoutError';
  declare readonly type: 'timeout_error';
}

/** The caller's `signal` was aborted. `cause` is the signal's reason. */
export class AbortError extends ConnectionError {
  static override readonly errorName = 'AbortError';
  declare readonly type: 'abort_error';
}

/** A hook threw before the request was sent. `cause` is what it threw. */
export class HookError extends AgentPlatformError {
  static override readonly errorName = 'HookError';
  declare readonly type: 'hook_error';

  /** The hook that threw, such as `'onRequest'`. */
  declare readonly hook: string;

  constructor(message: string, options: { hook: string; cause: unknown }) {
    super(message, options);
  }
}

/** What an {@link ApiError} is made of. */
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
  /** Whether the service may have acted all the same. Default false. */
  readonly outcomeUnknown?: boolean | undefined;
}

/** One entry of `issues` in the error body (document, section 7); fields the document does not list are kept. */
export interface ApiErrorIssue {
  /** What is wrong, in the words of the service. */
  readonly message: string;
}

/**
 * The service answered with an error status. The status decides the class; `code` is an open string, because the
 * document does not list its values.
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
  /** `code` of the error body; undefined where the body was not the document's. */
  declare readonly code: string | undefined;
  /** `issues` of the error body; empty where there were none. */
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

  override toJSON(): Record<string, unknown> {
    return { ...super.toJSON(), headers: redactHeaders(this.headers) };
  }
}

/** 400: the service refuses the request, for example a variable key that the agent already has (4.2). */
export class BadRequestError extends ApiError {
  static override readonly errorName = 'BadRequestError';
  declare readonly type: 'bad_request_error';
}

/** 401: the token is not accepted. A token sent to the wrong region fails the same way. */
export class AuthenticationError extends ApiError {
  static override readonly errorName = 'AuthenticationError';
  declare readonly type: 'authentication_error';
}

/** 403: the token may not do this, for example delete a workspace it does not own (4.7). */
export class PermissionDeniedError extends ApiError {
  static override readonly errorName = 'PermissionDeniedError';
  declare readonly type: 'permission_denied_error';
}

/** 404: there is no such record, or not in this region. */
export class NotFoundError extends ApiError {
  static override readonly errorName = 'NotFoundError';
  declare readonly type: 'not_found_error';
}

/** 409. */
export class ConflictError extends ApiError {
  static override readonly errorName = 'ConflictError';
  declare readonly type: 'conflict_error';
}

/** 422. */
export class UnprocessableEntityError extends ApiError {
  static override readonly errorName = 'UnprocessableEntityError';
  declare readonly type: 'unprocessable_entity_error';
}

/** 429: too many requests. */
export class RateLimitError extends ApiError {
  static override readonly errorName = 'RateLimitError';
  declare readonly type: 'rate_limit_error';

  /** Seconds to wait, from the `Retry-After` header; undefined where it was absent or unreadable. */
  declare readonly retryAfter: number | undefined;

  constructor(message: string, options: ApiErrorOptions & { retryAfter?: number | undefined }) {
    super(message, options);
  }
}

/** 5xx. */
export class ServerError extends ApiError {
  static override readonly errorName = 'ServerError';
  declare readonly type: 'server_error';
}

/** What an {@link OperationFailedError} and a {@link ResponseValidationError} are made of. */
export interface AnsweredErrorOptions extends CallContext {
  /** The HTTP status of the answer. */
  readonly status: number;
  /** The parsed body, or its text where it is not JSON. */
  readonly body: unknown;
  /** The body as text, capped and masked. */
  readonly rawBody: string;
  /** Whether the service may have acted all the same. Default false. */
  readonly outcomeUnknown?: boolean | undefined;
  /** What the endpoint's own schema threw, where it did. */
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
  /** The answer, marked fields masked. */
  declare readonly body: unknown;
  /** The answer as text, marked fields masked, at most 16 KiB. */
  declare readonly rawBody: string;

  constructor(message: string, options: AnsweredErrorOptions) {
    super(message, options);
  }
}

/** The service answered 2xx, and the body does not fit the document: not JSON, a field missing, a wrong type. */
export class ResponseValidationError extends AgentPlatformError {
  static override readonly errorName = 'ResponseValidationError';
  declare readonly type: 'response_validation_error';

  /** Each departure with its path in the body. */
  declare readonly issues: readonly Issue[];
  /** The HTTP status of the answer. */
  declare readonly status: number;
  /** The HTTP method of the call. */
  declare readonly method: string;
  /** The path as it was sent, relative to the base address. */
  declare readonly path: string;
  /** The region that was called. */
  declare readonly region: Region;
  /** The body, marked fields masked; undefined where it was not JSON. */
  declare readonly body: unknown;
  /** The body as text, marked fields masked, at most 16 KiB. */
  declare readonly rawBody: string;

  constructor(message: string, options: AnsweredErrorOptions & { issues: readonly Issue[] }) {
    super(message, options);
  }
}

/** The base of what can be wrong with a received webhook. */
export class WebhookError extends AgentPlatformError {
  static override readonly errorName: string = 'WebhookError';
  declare readonly type:
    | 'webhook_error'
    | 'webhook_verification_error'
    | 'webhook_payload_error'
    | 'unknown_event_error';
}

/** The secret in the payload is missing or not one of yours (document, 6.4). Do not act on the delivery. */
export class WebhookVerificationError extends WebhookError {
  static override readonly errorName = 'WebhookVerificationError';
  declare readonly type: 'webhook_verification_error';
}

/** The delivery is not JSON, not an envelope (6.1), or a known event whose payload does not fit 6.3. */
export class WebhookPayloadError extends WebhookError {
  static override readonly errorName = 'WebhookPayloadError';
  declare readonly type: 'webhook_payload_error';

  /** Each departure with its path in the envelope. */
  declare readonly issues: readonly Issue[];

  constructor(message: string, options: { issues: readonly Issue[]; cause?: unknown }) {
    super(`${message}${formatIssues(options.issues)}`, options);
  }
}

/** The delivery is verified, but of a type that this version does not know. The event is carried, not lost. */
export class UnknownEventError extends WebhookError {
  static override readonly errorName = 'UnknownEventError';
  declare readonly type: 'unknown_event_error';

  /** The event as received, less its secret. Not enumerable, so that printing the error does not print it. */
  declare readonly event: {
    /** The event type. */
    readonly type: string;
    /** The payload as sent, less `workspaceSecret`. */
    readonly payload: Record<string, unknown>;
    /** Whose secret it was, where the secrets were named. */
    readonly workspace?: string;
  };

  /** `shownType` is the type as the message may show it: a sender's mistake can put anything there. */
  constructor(
    event: UnknownEventError['event'],
    shownType: string = JSON.stringify(event.type.slice(0, 100)),
  ) {
    super(
      `The webhook event type ${shownType} is not known to this version\n` +
        '  The delivery is genuine: handle `error.event`, or update agent-platform-sdk.',
    );
    Object.defineProperty(this, 'event', { value: event });
  }
}
