import type { Logger, LogLevel } from '../ground/logger.js';
import type { Region } from '../ground/regions.js';
import type { TokenSource } from '../validation/option-checks.js';
import type { ValidationMode } from '../validation/validate.js';
import type { Hooks } from './hooks.js';

/** The part of `fetch` that the client needs. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>;

/** Settings that both the client and a single call have. */
export interface CallOptions {
  /**
   * The workspace secret or agent secret, from the dashboard (specification, 5.2).
   * Environment: `AGENT_PLATFORM_TOKEN`.
   */
  readonly token?: TokenSource | undefined;
  /** Milliseconds for each attempt, its body included. Default 60 000. */
  readonly timeout?: number | undefined;
  /** Milliseconds for the whole call, all attempts and waits included. Default: no limit. */
  readonly totalTimeout?: number | undefined;
  /** Most retries of a failed call, where a retry is safe. Default 2. */
  readonly maxRetries?: number | undefined;
  /** The strictness with which answers are validated against the API specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /**
   * Additional headers. Those that the client sets itself are refused: `authorization`, `content-type`, `content-length`,
   * `host`, `connection`, `transfer-encoding`, `expect`, `upgrade`, `keep-alive`.
   */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Options of one call. They win over the client's. */
export interface RequestOptions extends CallOptions {
  /** Ends the call with an `AbortError` when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of the client. */
export interface AgentPlatformOptions extends CallOptions {
  /**
   * The region of the workspace's dashboard (specification, 5.1). Required, here or as `AGENT_PLATFORM_REGION`, in lower
   * case or upper.
   */
  readonly region?: Region | Uppercase<Region> | undefined;
  /**
   * The base address of each region you use. The API specification names none, so there is no default. `/v3` is appended
   * where it is missing. Environment: `AGENT_PLATFORM_BASE_URL_EU`, `AGENT_PLATFORM_BASE_URL_NA`.
   */
  readonly baseUrls?:
    | {
        /** The base address of region EU. */
        readonly eu?: string | undefined;
        /** The base address of region NA. */
        readonly na?: string | undefined;
      }
    | undefined;
  /** Sends the requests, for proxies and client certificates. Default: the runtime's `fetch`. */
  readonly fetch?: FetchFunction | undefined;
  /** The destination of log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /** Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`. */
  readonly logLevel?: LogLevel | undefined;
  /** Callbacks invoked during each call, for tracing and metrics. */
  readonly hooks?: Hooks | undefined;
  /**
   * The most bytes of an answer that are read, after decompression. Default 64 MiB. Of an answer with an error status, 1 MiB is
   * read at most.
   */
  readonly maxResponseBytes?: number | undefined;
  /** Allows use in a browser, where everyone who opens the page can read the token. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Allows a base address with plain `http:` beyond loopback. Default false.
   * Environment: `AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true`, for a fake in another container.
   */
  readonly allowInsecureBaseUrl?: boolean | undefined;
}
