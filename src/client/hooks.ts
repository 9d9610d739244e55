import type {
  AgentPlatformError,
  ApiError,
  ConnectionError,
  ResponseValidationError,
} from '../errors/index.js';
import type { Region } from '../utils/regions.js';
import type { Drift } from '../validation/drift.js';

/** The call that a hook is called for. */
export interface HookCall {
  /** A UUID, the same for every hook of one call: it identifies concurrent calls. */
  readonly callId: string;
  /** The HTTP method. */
  readonly method: string;
  /**
   * The path with its parameters in braces: `/tools/{toolId}`, and `(request)` for `platform.request()`.
   *
   * Usable as a metric's label.
   */
  readonly route: string;
  /** The path relative to the base address, with `…` for each value of a query, and the token masked. */
  readonly path: string;
  /** The region of the client. */
  readonly region: Region;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** The context of `onRequest`: an attempt is about to be sent. */
export interface RequestHookContext extends HookCall {
  /** The full URL, as it is sent. */
  readonly url: string;
  /**
   * The headers that will be sent, without `authorization`. Set more of them, for example `traceparent`.
   *
   * The client sets `authorization` and `content-type` itself, and overwrites what a hook sets. Headers of a connection,
   * such as `content-length`, are refused.
   */
  readonly headers: Headers;
}

/** The context of `onResponse`: an attempt got its response, and the body was read. */
export interface ResponseHookContext extends HookCall {
  /** The HTTP status. */
  readonly status: number;
  /** The response's headers, unaltered. */
  readonly headers: Headers;
  /** Milliseconds from the start of the attempt to the end of the body. */
  readonly durationMs: number;
}

/** The context of `onRetry`: an attempt failed, and the next one follows after a delay. */
export interface RetryHookContext extends HookCall {
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
  /** The failure: no response, one with a status that is retried, or a body that was cut off. */
  readonly error: ApiError | ConnectionError | ResponseValidationError;
}

/** The context of `onDrift`: a response did not match the specification, and was passed on. */
export interface DriftHookContext extends Drift, Pick<HookCall, 'callId' | 'method' | 'route'> {
  /** The region of the client. */
  readonly region: Region;
}

/** The context of `onEnd`: a call has ended, with a result or an error. */
export interface EndHookContext extends Pick<HookCall, 'callId' | 'method' | 'route' | 'region'> {
  /** How the call ended. */
  readonly outcome: 'success' | 'error';
  /** The HTTP status of the response to the last attempt; undefined if none came. */
  readonly status: number | undefined;
  /** The number of attempts that were started; 0 if the arguments were refused. */
  readonly attempts: number;
  /** Milliseconds from the call to its end, delays included. */
  readonly durationMs: number;
  /** The error that the call rejects with; undefined for a success. */
  readonly error: AgentPlatformError | undefined;
}

/**
 * Callbacks invoked during each call, for tracing and metrics.
 *
 * `onRequest` is awaited. The others observe: they are called and not awaited. What they throw is logged at
 * `error`, with its stack.
 */
export interface Hooks {
  /** Called before each attempt, within its `timeout`. May add headers. If it throws: `HookError`. */
  readonly onRequest?: ((context: RequestHookContext) => unknown) | undefined;
  /** Called after each response of any status, once its body has been read. */
  readonly onResponse?: ((context: ResponseHookContext) => unknown) | undefined;
  /** Called before the delay that precedes a retry. */
  readonly onRetry?: ((context: RetryHookContext) => unknown) | undefined;
  /** Called if a response does not match the specification, and is passed on all the same. */
  readonly onDrift?: ((context: DriftHookContext) => unknown) | undefined;
  /** Called once at the end of each call, before its promise ends: for counters. */
  readonly onEnd?: ((context: EndHookContext) => unknown) | undefined;
}
