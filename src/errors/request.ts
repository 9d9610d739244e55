import { formatIssues, type Issue } from '../utils/issues.js';
import { AgentPlatformError } from './base.js';
import { CallError } from './call.js';

/**
 * An option is wrong or missing. The message names it, and its environment variable if it has one.
 *
 * Thrown before anything is sent, with two exceptions. A token function may fail before a retry, which is then not
 * sent. A `fetch` of yours that returns no response may have sent the request (`outcomeUnknown`).
 */
export class ConfigurationError extends AgentPlatformError {
  static override readonly errorName = 'ConfigurationError';
  declare readonly type: 'configuration_error';

  /** The option to look at, such as `'token'` or `'baseUrls.eu'`. */
  readonly option: string;

  constructor(
    message: string,
    options: { option: string; cause?: unknown; outcomeUnknown?: boolean | undefined },
  ) {
    super(message, options);
    this.option = options.option;
  }
}

/** An argument of a call is wrong. Nothing was sent. Arguments are checked in every validation mode. */
export class RequestValidationError extends AgentPlatformError {
  static override readonly errorName = 'RequestValidationError';
  declare readonly type: 'request_validation_error';

  /** Each field that is wrong, with its path in the argument and what was expected. */
  readonly issues: readonly Issue[];
  /** The HTTP method of the call. */
  readonly method: string;
  /** The path of the operation, with the parameters in braces: `/tools/{toolId}`. */
  readonly path: string;

  constructor(options: {
    method: string;
    path: string;
    issues: readonly Issue[];
    cause?: unknown;
  }) {
    const { method, path, issues } = options;
    super(
      `Invalid arguments for ${method} ${path}; the request was not sent${formatIssues(issues)}`,
      options,
    );
    this.issues = issues;
    this.method = method;
    this.path = path;
  }
}

/** The `onRequest` hook threw, so the attempt was not sent. `cause` is what it threw. */
export class HookError extends AgentPlatformError {
  static override readonly errorName = 'HookError';
  declare readonly type: 'hook_error';

  /** The hook that threw: `'onRequest'`. */
  readonly hook: string;

  constructor(message: string, options: { hook: string; cause: unknown }) {
    super(message, options);
    this.hook = options.hook;
  }
}

/** No response: the connection could not be made, or was cut. `cause` is what `fetch` threw. */
export class ConnectionError extends CallError {
  static override readonly errorName: string = 'ConnectionError';
  declare readonly type: 'connection_error' | 'timeout_error' | 'abort_error';
}

/** The response did not arrive, or did not end, within `timeout` or `totalTimeout`. */
export class TimeoutError extends ConnectionError {
  static override readonly errorName = 'TimeoutError';
  declare readonly type: 'timeout_error';
}

/** The caller's `signal` was aborted. `cause` is the signal's reason. */
export class AbortError extends ConnectionError {
  static override readonly errorName = 'AbortError';
  declare readonly type: 'abort_error';
}
