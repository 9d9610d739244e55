import { formatIssues, type Issue } from '../utils/issues.js';
import { AgentPlatformError, setUnprinted, type WebhookErrorType } from './base.js';
import { ConfigurationError } from './request.js';

/**
 * The base of the errors about a received webhook.
 *
 * A handler can throw one to say what becomes of an event in an inbox: with `retryable: false`, it's a dead letter at
 * once; with `retryAfter`, it runs again after that many milliseconds, at most `backoff.maxDelay`. If several
 * handlers of an event fail, it's retried unless all say otherwise, and the longest delay counts.
 *
 * @throws {ConfigurationError} `retryAfter` is not a number of milliseconds above 0.
 *
 * @example
 * ```ts
 * import { WebhookError } from 'agent-platform-sdk';
 *
 * export function checkCrm({ ok, status, headers }: Response): void {
 *   if (status === 422) throw new WebhookError('the CRM refuses this lead', { retryable: false });
 *   const seconds = Number(headers.get('retry-after')) || 60;
 *   if (status === 429) throw new WebhookError('the CRM is busy', { retryAfter: seconds * 1_000 });
 *   if (!ok) throw new Error(`the CRM responded with ${status}`);
 * }
 * ```
 */
export class WebhookError extends AgentPlatformError {
  static override readonly errorName: string = 'WebhookError';
  declare readonly type: WebhookErrorType;

  /**
   * Whether processing the same webhook again can succeed.
   *
   * True if a handler or an inbox failed; false if the webhook itself is wrong, such as a
   * {@link WebhookPayloadError}, or if a handler said so. Keep such a webhook where someone looks at it.
   */
  declare readonly retryable: boolean;
  /** Milliseconds until the webhook should be processed again; undefined if nobody has said so. */
  declare readonly retryAfter?: number;

  constructor(
    message: string,
    options: { cause?: unknown; retryable?: boolean | undefined; retryAfter?: number | undefined } = {},
  ) {
    super(message, options);
    const { retryable = /^(webhook_error|inbox_|file_)/.test(this.type), retryAfter } = options;
    setUnprinted(this, { retryable });
    if (retryAfter === undefined) return;
    if (typeof retryAfter !== 'number' || !(retryAfter > 0)) {
      const problem = `WebhookError: retryAfter must be milliseconds above 0, got ${String(retryAfter)}.`;
      throw new ConfigurationError(problem, { option: 'retryAfter', cause: this });
    }
    this.retryAfter = retryAfter;
  }
}

/** The secret in the payload is missing or not one of yours (specification, 6.4). Do not act on it. */
export class WebhookVerificationError extends WebhookError {
  static override readonly errorName = 'WebhookVerificationError';
  declare readonly type: 'webhook_verification_error';
}

/** The delivery is not JSON, is not an envelope (6.1), or has a payload that does not match 6.3. */
export class WebhookPayloadError extends WebhookError {
  static override readonly errorName = 'WebhookPayloadError';
  declare readonly type: 'webhook_payload_error';

  /** Each issue with its path in the envelope. */
  readonly issues: readonly Issue[];
  /**
   * The payload as sent, without `workspaceSecret`; undefined if the delivery is not JSON, or was not read.
   *
   * Not enumerable, so that printing the error does not print it.
   */
  declare readonly payload: Readonly<Record<string, unknown>> | undefined;

  constructor(
    message: string,
    options: { issues: readonly Issue[]; payload?: WebhookPayloadError['payload']; cause?: unknown },
  ) {
    super(`${message}${formatIssues(options.issues)}`, options);
    this.issues = options.issues;
    setUnprinted(this, { payload: options.payload });
  }
}

/** The delivery is authentic, but its type is unknown to this version: see `event`. */
export class UnknownEventError extends WebhookError {
  static override readonly errorName = 'UnknownEventError';
  declare readonly type: 'unknown_event_error';

  /** The event as received, without its secret. Not enumerable, so that it is not printed with the error. */
  declare readonly event: {
    /** The event type. */
    readonly type: string;
    /** The payload as sent, without `workspaceSecret`. */
    readonly payload: Record<string, unknown>;
    /** The name of the workspace that sent it, if the secrets are named. */
    readonly workspace?: string;
  };

  /** @param shownType - The type for the message: quoted and cut, because a sender can put anything there. */
  constructor(
    event: UnknownEventError['event'],
    shownType: string = JSON.stringify(event.type.slice(0, 100)),
  ) {
    super(
      `The webhook event type ${shownType} is not known to this version\n` +
        '  The delivery is authentic: handle `error.event`, or update agent-platform-sdk.',
    );
    setUnprinted(this, { event });
  }
}
