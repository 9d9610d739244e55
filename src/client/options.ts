import type { Logger, LogLevel } from '../utils/logger.js';
import type { Region } from '../utils/regions.js';
import type { ValidationMode } from '../validation/validate.js';
import type { Hooks } from './hooks.js';

/** A bearer token (specification, 5.2), or a function that returns one. It is called for each attempt. */
export type TokenSource = string | (() => string | Promise<string>);

/** What the client passes to the option `fetch` beside the URL. */
export interface FetchInit {
  /** The HTTP method. */
  readonly method: string;
  /** The headers, with names in lower case. */
  readonly headers: Record<string, string>;
  /** Redirects are never followed. */
  readonly redirect: 'manual';
  /** Aborted at the end of the attempt's time, or by the caller. */
  readonly signal: AbortSignal;
  /** The body, as JSON. */
  readonly body?: string;
}

/** The parts of a response that the client reads. */
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

/** The part of `fetch` that the client needs, so that those of undici and node-fetch fit too. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<FetchResponse>;

/**
 * What the runtime's `fetch` takes beside the request: in Node a `dispatcher` of undici, in Bun a `proxy`.
 *
 * What the client sets itself is refused.
 */
export interface FetchOptions
  extends Partial<Readonly<Record<'method' | 'body' | 'headers' | 'redirect' | 'signal', never>>> {
  /** In Node: sends the requests, such as a `ProxyAgent` of undici. Its major version has to fit Node's. */
  readonly dispatcher?: object | undefined;
  /** Anything else that the runtime's `fetch` takes. */
  readonly [option: string]: unknown;
}

/** Headers, in any form that `fetch` takes. `HeadersInit` would need the DOM types. */
export type HeadersInput =
  | Headers
  | Readonly<Record<string, string>>
  | readonly (readonly [name: string, value: string])[];

/** The options that both a client and a single call have. */
export interface CallOptions {
  /**
   * The workspace secret or agent secret, from the dashboard (specification, 5.2).
   * Environment: `AGENT_PLATFORM_TOKEN`.
   */
  readonly token?: TokenSource | undefined;
  /** The time limit of each attempt in milliseconds, its body included. Default 60 000. */
  readonly timeout?: number | undefined;
  /** The time limit of the whole call in milliseconds, attempts and delays included. Default: none. */
  readonly totalTimeout?: number | undefined;
  /** The most retries of a failed call, which happen only where a retry is safe. Default 2. */
  readonly maxRetries?: number | undefined;
  /** How strictly responses are validated against the API specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /**
   * Additional headers, in any form that `fetch` takes. Those of a call are added to those of the client.
   *
   * `authorization` and `content-type` are refused: the client sets them itself.
   */
  readonly headers?: HeadersInput | undefined;
  /**
   * Passed to the runtime's `fetch`, for example for a proxy or a client certificate.
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

/** The options of one call. They take precedence over the client's. */
export interface RequestOptions extends CallOptions {
  /** Aborts the call, which then rejects with an `AbortError`. */
  readonly signal?: AbortSignal | undefined;
}

/** The options of the client. */
export interface AgentPlatformOptions extends CallOptions {
  /**
   * The region of the workspace's dashboard (specification, 5.1). Required.
   * Environment: `AGENT_PLATFORM_REGION`.
   */
  readonly region?: Region | undefined;
  /**
   * The base address of each region you use. The API specification names none, so there is no default.
   *
   * `/v3` is appended if it is missing; another version is refused.
   * Environment: `AGENT_PLATFORM_BASE_URL_EU`, `AGENT_PLATFORM_BASE_URL_NA`.
   */
  readonly baseUrls?: { readonly [Name in Region]?: string | undefined } | undefined;
  /** Sends the requests. Default: the runtime's `fetch`, which takes `fetchOptions`. */
  readonly fetch?: FetchFunction | undefined;
  /** The destination of log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /** The least severe level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`. */
  readonly logLevel?: LogLevel | undefined;
  /** Callbacks invoked during each call, for tracing and metrics. */
  readonly hooks?: Hooks | undefined;
  /**
   * The most bytes of a response that are read, after decompression. Default 64 MiB.
   *
   * For a response with an error status, at most 1 MiB is read.
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
