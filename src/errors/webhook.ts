import { formatIssues, type Issue } from '../utils/issues.js';
import { AgentPlatformError, setUnprinted } from './base.js';

/** The base of the errors about a received webhook. */
export class WebhookError extends AgentPlatformError {
  static override readonly errorName: string = 'WebhookError';
  declare readonly type:
    | 'webhook_error'
    | 'webhook_verification_error'
    | 'webhook_payload_error'
    | 'unknown_event_error'
    | 'inbox_full_error'
    | 'file_gone_error'
    | 'inbox_replicas_error';

  /**
   * Whether processing the same webhook again can succeed.
   *
   * True if a handler or an inbox failed; false if the webhook itself is wrong, such as a
   * {@link WebhookPayloadError}. Keep such a webhook where someone looks at it.
   */
  get retryable(): boolean {
    return this.type === 'webhook_error' || this.type.startsWith('inbox_');
  }
}

/** The secret in the payload is missing or not one of yours (specification, 6.4). Do not act on it. */
export class WebhookVerificationError extends WebhookError {
  static override readonly errorName = 'WebhookVerificationError';
  declare readonly type: 'webhook_verification_error';
}

/** The delivery is not JSON or no envelope (6.1), or its payload does not match 6.3. */
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
