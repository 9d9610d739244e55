import type { AgentPlatformError, ApiError, ConnectionError } from '../errors/index.js';
import type { Region } from '../utils/regions.js';
import type { Drift } from '../validation/drift.js';

/** The call that a hook is called for. */
export interface HookCall {
  /** A UUID, the same for every hook of one call: it identifies concurrent calls. */
  readonly callId: string;
  /** The HTTP method. */
  readonly method: string;
  /** The operation, with the parameters in braces: `/tools/{toolId}`. Few values: fit for a metric's label. */
  readonly route: string;
  /** The path as sent, relative to the base address: `/tools/tool_1`. */
  readonly path: string;
  /** The region that is called. */
  readonly region: Region;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** The context of `onRequest`: an attempt is about to be sent. */
export interface RequestHookContext extends HookCall {
  /** The whole address: the base address and `path`. */
  readonly url: string;
  /**
   * The headers that will be sent, without `authorization`. Set more here, for example `traceparent`. `authorization`
   * and `content-type` are the client's own, whatever is set.
   */
  readonly headers: Headers;
}

/** The context of `onResponse`: an attempt has its response, and the body was read. */
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
  /** The reason: no response, or one with a status that is retried. */
  readonly error: ApiError | ConnectionError;
}

/** The context of `onDrift`: a validation has forgiven something. */
export interface DriftHookContext extends Drift, Pick<HookCall, 'callId' | 'method' | 'route'> {
  /** The region that was called. */
  readonly region: Region;
}

/** The context of `onEnd`: a call has ended, whichever way. */
export interface EndHookContext extends Pick<HookCall, 'callId' | 'method' | 'route' | 'region'> {
  /** The end of the call. */
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
 * `onRequest` is awaited. The others observe: they are called and not awaited, and what they throw is logged with its
 * stack, at `error`.
 */
export interface Hooks {
  /** Before each attempt, within its `timeout`. May add headers; what it throws ends the call with a `HookError`. */
  readonly onRequest?: ((context: RequestHookContext) => unknown) | undefined;
  /** After each response, of whatever status, once its body was read. */
  readonly onResponse?: ((context: ResponseHookContext) => unknown) | undefined;
  /** Before the delay that precedes another attempt. */
  readonly onRetry?: ((context: RetryHookContext) => unknown) | undefined;
  /** For what the validation of a response has forgiven. */
  readonly onDrift?: ((context: DriftHookContext) => unknown) | undefined;
  /** Once for each call, at its end, before its promise settles: for counters and durations. */
  readonly onEnd?: ((context: EndHookContext) => unknown) | undefined;
}
