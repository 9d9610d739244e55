import type { Issue } from '../ground/issues.js';
import type { Region } from '../ground/regions.js';
import { AgentPlatformError } from './base.js';
import type { CallContext } from './connection.js';

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
