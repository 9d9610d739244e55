import { printable } from '../utils/printable.js';

/** Those of `ApiError` and the classes below it. */
export type ApiErrorType =
  | 'api_error'
  | 'bad_request_error'
  | 'authentication_error'
  | 'permission_denied_error'
  | 'not_found_error'
  | 'conflict_error'
  | 'unprocessable_entity_error'
  | 'rate_limit_error'
  | 'server_error';

/** Those of `WebhookError` and the classes below it. */
export type WebhookErrorType =
  | 'webhook_error'
  | 'webhook_verification_error'
  | 'webhook_payload_error'
  | 'unknown_event_error'
  | 'inbox_full_error'
  | 'file_gone_error'
  | 'inbox_replicas_error';

/** The stable kind of an error, for `switch`. It survives minification, bundling and duplicate installs. */
export type ErrorType =
  | 'agent_platform_error'
  | 'configuration_error'
  | 'request_validation_error'
  | 'hook_error'
  | 'connection_error'
  | 'timeout_error'
  | 'abort_error'
  | ApiErrorType
  | 'operation_failed_error'
  | 'response_validation_error'
  | WebhookErrorType;

/** The key of the names of an error's classes, on every instance. All installs of this package share it. */
const brand = /* @__PURE__ */ Symbol.for('agent-platform-sdk.error');

interface ErrorClass {
  readonly errorName: string;
}

function classNames(errorClass: object | null): string[] {
  const names: string[] = [];
  for (let at = errorClass; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    if (Object.hasOwn(at, 'errorName')) names.push((at as ErrorClass).errorName);
  }
  return names;
}

/**
 * The base of every error this package throws.
 *
 * `instanceof` works across the ESM and CommonJS builds and across duplicate installs.
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
  readonly type: ErrorType;

  /**
   * True if the operation may have taken effect although the call failed. Check before retrying.
   *
   * Always false for a `GET`. For other calls it is true if the request may have reached the service, but false
   * after a 4xx other than 408: in HTTP that is a refusal (a choice).
   */
  readonly outcomeUnknown: boolean;

  constructor(message: string, options: { cause?: unknown; outcomeUnknown?: boolean | undefined } = {}) {
    const { cause, outcomeUnknown = false } = options;
    super(printable(message), cause === undefined ? undefined : { cause });
    const { errorName } = new.target;
    // An own field, as in any error, so that a program can set it (tslog#96, pnpm#5574).
    Object.defineProperty(this, 'name', { value: errorName, writable: true, configurable: true });
    // Each class narrows the field with `declare`, which emits no code.
    this.type = errorName.replace(/\B[A-Z]/g, '_$&').toLowerCase() as ErrorType;
    this.outcomeUnknown = outcomeUnknown;
    Object.defineProperty(this, brand, { value: classNames(new.target) });
  }

  /** Recognizes the errors of every install of this package. Your own subclasses keep the ordinary rule. */
  static override [Symbol.hasInstance](this: unknown, value: unknown): boolean {
    if (!Object.hasOwn(this as object, 'errorName')) {
      return super[Symbol.hasInstance](value);
    }
    const names = (value as { readonly [brand]?: readonly string[] } | null | undefined)?.[brand];
    return names?.includes((this as ErrorClass).errorName) === true;
  }

  /**
   * Returns a plain object for structured logs: name, message and the enumerable fields.
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
 * Sets fields that may hold records of the service: loggers, `console.log` and `JSON.stringify` skip them.
 * Their class uses `declare` for them, because a class field is enumerable.
 */
export function setUnprinted(error: AgentPlatformError, fields: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(fields)) Object.defineProperty(error, name, { value });
}
