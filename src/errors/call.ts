import type { Region } from '../utils/regions.js';
import { AgentPlatformError, setUnprinted } from './base.js';

/** The parts of every error about a call that was sent, or was about to be. */
export interface CallErrorParts {
  readonly method: string;
  readonly path: string;
  readonly query?: string | undefined;
  readonly region: Region;
  readonly outcomeUnknown?: boolean | undefined;
  readonly cause?: unknown;
}

/** The base of the errors about a call. Not a class to catch: it has no name of its own. */
export abstract class CallError extends AgentPlatformError {
  /** The HTTP method of the call. */
  readonly method: string;
  /** The path relative to the base address, with `…` for each value of a query, and the token masked. */
  readonly path: string;
  /** The query as it was sent, encoded, without its question mark. Not enumerable: values may be secrets. */
  declare readonly query: string | undefined;
  /** The region that was called. */
  readonly region: Region;

  constructor(message: string, options: CallErrorParts) {
    super(message, options);
    this.method = options.method;
    this.path = options.path;
    this.region = options.region;
    setUnprinted(this, { query: options.query });
  }
}
