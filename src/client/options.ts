import type { Logger, LogLevel } from '../utils/logger.js';
import type { Region } from '../utils/regions.js';
import type { ValidationMode } from '../validation/validate.js';
import type { Hooks } from './hooks.js';

/** Holds the bearer token (specification, 5.2), or a function called before each attempt. */
export type TokenSource = string | (() => string | Promise<string>);

/** Describes the request that the client passes to the option `fetch`. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: string;
  /** The headers, with names in lower case. */
  readonly headers: Record<string, string>;
  /** Redirects are never followed. */
  readonly redirect: 'manual';
  /** Is aborted when the attempt's time is over, or by the caller. */
  readonly signal: AbortSignal;
  /** The body, as JSON. */
  readonly body?: string;
}

/** Has the parts of a response that the client reads. */
export interface FetchResponse {
  /** The HTTP status. */
  readonly status: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  /** The headers. */
  readonly headers: Pick<Headers, 'get'>;
  /** Reads the body. */
  text(): Promise<string>;
}

/** Sends one request, as `fetch` does. Those of undici and node-fetch fit too. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<FetchResponse>;

/**
 * Adds options for the runtime's `fetch`: Node's `dispatcher` of undici, or Bun's `proxy`.
 *
 * `method`, `body`, `headers`, `redirect` and `signal` are refused, because the client sets them.
 */
export interface FetchOptions
  extends Partial<Readonly<Record<'method' | 'body' | 'headers' | 'redirect' | 'signal', never>>> {
  /** Sends the requests in Node: a `ProxyAgent` of undici of Node's own major version. */
  readonly dispatcher?: object | undefined;
  /** Anything else that the runtime's `fetch` takes. */
  readonly [option: string]: unknown;
}

/** Holds headers in any form that `fetch` takes, without the DOM types. */
export type HeadersInput =
  | Headers
  | Readonly<Record<string, string>>
  | readonly (readonly [name: string, value: string])[];

/** Options that a client and a single call share. */
export interface CallOptions {
  /**
   * Authenticates the calls: a workspace secret or an agent secret (specification, 5.2).
   *
   * The specification does not say which operation takes which of them.
   *
   * Required. Environment: `AGENT_PLATFORM_TOKEN`. A string is trimmed; a function is called before each attempt.
   */
  readonly token?: TokenSource | undefined;
  /**
   * Limits the time of each attempt, in milliseconds. Default 60 000.
   *
   * Includes the token function, the `onRequest` hook, the body and its schema. At the limit, the client retries,
   * or rejects with a `TimeoutError`.
   */
  readonly timeout?: number | undefined;
  /**
   * Limits the time of the whole call, in milliseconds. Default: none.
   *
   * Includes all attempts and delays. At the limit: `TimeoutError`. A delay that would pass it is not started.
   */
  readonly totalTimeout?: number | undefined;
  /**
   * Limits how often a failed call is retried. Default 2.
   *
   * A `GET` is retried after most failures, anything else only after a 429 or if no connection was made.
   */
  readonly maxRetries?: number | undefined;
  /** Says how strictly responses are validated against the API specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /**
   * Adds headers, in any form that `fetch` takes.
   *
   * Those of a call are added to those of the client. `authorization`, `content-type` and those of a
   * connection, such as `content-length`, are refused: the client or `fetch` sets them itself.
   */
  readonly headers?: HeadersInput | undefined;
  /**
   * Adds options for the runtime's `fetch`, for example a proxy or a client certificate.
   *
   * Those of a call are added to those of the client. Refused together with the option `fetch`.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   * import { ProxyAgent } from 'undici'; // undici 7 fits Node 20 to 26
   *
   * const dispatcher = new ProxyAgent('http://proxy.example.com:3128');
   * const platform = new AgentPlatform({ fetchOptions: { dispatcher } });
   * ```
   */
  readonly fetchOptions?: FetchOptions | undefined;
}

/** Has the options of one call, which take precedence over the client's. */
export interface RequestOptions extends CallOptions {
  /** Aborts the call, which then rejects with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
}

/** Has the options of a client. */
export interface AgentPlatformOptions extends CallOptions {
  /**
   * Names the region of your dashboard, `'eu'` or `'na'` (specification, 5.1).
   *
   * Required. Environment: `AGENT_PLATFORM_REGION`.
   */
  readonly region?: Region | undefined;
  /**
   * Gives the base address of each region you use.
   *
   * Required for `region`, because the API specification names no hosts. `/v3` is appended if it is missing;
   * another version is refused. Environment: `AGENT_PLATFORM_BASE_URL_EU`, `AGENT_PLATFORM_BASE_URL_NA`.
   */
  readonly baseUrls?: { readonly [Name in Region]?: string | undefined } | undefined;
  /** Sends the requests. Default: the runtime's `fetch`, which takes `fetchOptions`. */
  readonly fetch?: FetchFunction | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /** Says from which level on lines are logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`. */
  readonly logLevel?: LogLevel | undefined;
  /** Callbacks that run during each call, for tracing and metrics. */
  readonly hooks?: Hooks | undefined;
  /**
   * Limits the bytes of a response, after decompression. Default 64 MiB.
   *
   * A larger 2xx is a `ResponseValidationError`. Of a response with an error status, at most 1 MiB is read.
   */
  readonly maxResponseBytes?: number | undefined;
  /** Allows use in a browser, where everyone can read the token. Default false. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Allows a base address with plain `http:` beyond loopback. Default false.
   *
   * Needed for a fake in another container. Environment: `AGENT_PLATFORM_ALLOW_INSECURE_BASE_URL=true`.
   */
  readonly allowInsecureBaseUrl?: boolean | undefined;
}
