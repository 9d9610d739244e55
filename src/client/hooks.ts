import type { AgentPlatformError, ApiError, ConnectionError } from '../errors/index.js';
import type { Region } from '../ground/regions.js';
import type { Drift } from '../validation/drift.js';

/** The call a hook is told about. */
export interface HookCall {
  /** The HTTP method. */
  readonly method: string;
  /** The operation, with the parameters in braces: `/tools/{toolId}`. Few values: fit for a metric's label. */
  readonly route: string;
  /** The path as sent, relative to the base address: `/tools/tool_1`. A token or a marked field in it is masked. */
  readonly path: string;
  /** The region that is called. */
  readonly region: Region;
  /** 1 for the first attempt. */
  readonly attempt: number;
}

/** An attempt is about to be sent. */
export interface RequestHookContext extends HookCall {
  /** The whole address: the base address and `path`. */
  readonly url: string;
  /**
   * The headers that will be sent, without `authorization`. Set more here, for example `traceparent`; those that the client
   * sets itself, `authorization` and `content-type`, stay as they are, and one that frames the request, such as `host` or `expect`,
   * ends the call with a `HookError`.
   */
  readonly headers: Headers;
}

/** An attempt was answered, and its body was read. */
export interface ResponseHookContext extends HookCall {
  /** The HTTP status. */
  readonly status: number;
  /** The response's headers; those that carry credentials are masked. */
  readonly headers: Headers;
  /** Milliseconds from the start of the attempt to the end of the body. */
  readonly durationMs: number;
}

/** An attempt failed, and the next one follows after a wait. */
export interface RetryHookContext extends HookCall {
  /** Milliseconds until the next attempt. */
  readonly delayMs: number;
  /** The reason: no answer, or one with a status that is retried. */
  readonly error: ApiError | ConnectionError;
}

/** A call has ended, whichever way. */
export interface EndHookContext extends Pick<HookCall, 'method' | 'route' | 'region'> {
  /** The end of the call. */
  readonly outcome: 'success' | 'error';
  /** The HTTP status of the answer to the last attempt; undefined where none came. */
  readonly status: number | undefined;
  /** The number of attempts that were begun; 0 where the call was refused before. */
  readonly attempts: number;
  /** Milliseconds from the call to its end, waits included. */
  readonly durationMs: number;
  /** The error that the call rejects with; undefined for a success. */
  readonly error: AgentPlatformError | undefined;
}

/**
 * The message of the tracing channel {@link TRACING_CHANNELS | call}. The last fields are there when the call has ended, and
 * `error` where it has failed.
 */
export interface CallTrace
  extends Pick<HookCall, 'method' | 'route' | 'region'>,
    Partial<Omit<EndHookContext, 'method' | 'route' | 'region'>> {
  /** The base address, as `platform.baseUrl` has it. */
  readonly baseUrl: string;
}

/**
 * Callbacks invoked during each call, for tracing and metrics. They may be async and are awaited; what they return is not
 * used. One that throws before sending ends the call with a `HookError`; one that throws after is logged and ignored.
 */
export interface Hooks {
  /** Before each attempt. May add headers; what it throws ends the call with a `HookError`. */
  readonly onRequest?: ((context: RequestHookContext) => unknown) | undefined;
  /** After each answer whose body was read. What it throws is logged and ignored, as for the two below. */
  readonly onResponse?: ((context: ResponseHookContext) => unknown) | undefined;
  /** Before the wait for another attempt. */
  readonly onRetry?: ((context: RetryHookContext) => unknown) | undefined;
  /** For what a validation has forgiven. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /**
   * Once for each call, at its end, before its promise settles: for counters and durations. Not awaited, because the call has ended.
   * Whatever it throws is logged and ignored.
   */
  readonly onEnd?: ((context: EndHookContext) => unknown) | undefined;
}
