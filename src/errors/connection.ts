import type { Region } from '../ground/regions.js';
import { AgentPlatformError } from './base.js';

/** The call that an error is about. */
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
