/** Says why a delivery was refused before it was verified. */
export type RejectionReason =
  /** 405: not a POST. */
  | 'method_not_allowed'
  /** 413: more than `maxBodyBytes`. */
  | 'body_too_large'
  /** 503: unverified bodies exceed 64 MiB. Each counts as 4 KiB at least. */
  | 'overloaded'
  /** 400: cut off, stalled until the deadline, or read before by something else. */
  | 'body_unreadable'
  /** 400: empty, or invalid JSON although a valid secret appears in it. */
  | 'not_json'
  /** 401: the secret is missing or wrong, whatever else the body is. After a rotation, look here. */
  | 'verification_failed';

/** Says in one word how a delivery ended, in logs and for the status of the response. */
export type DeliveryOutcome =
  | RejectionReason
  | 'handled'
  | 'handler_failed'
  | 'stored'
  | 'duplicate'
  | 'no_handler'
  | 'invalid_event'
  | 'secret_failed'
  | 'deadline_passed'
  | 'not_stored'
  | 'internal_error'
  | 'duplicate_pending';

/** The end of the handlers of an event. */
export type RunOutcome = Extract<
  DeliveryOutcome,
  'handled' | 'handler_failed' | 'no_handler' | 'invalid_event'
>;

const REFUSAL_STATUSES: Readonly<Record<RejectionReason, number>> = {
  method_not_allowed: 405,
  body_too_large: 413,
  overloaded: 503,
  body_unreadable: 400,
  not_json: 400,
  verification_failed: 401,
};

/** Only 200 counts as success for the service (specification, 6.4). */
const OTHER_STATUSES: Readonly<Record<Exclude<DeliveryOutcome, RejectionReason>, number>> = {
  handled: 200,
  stored: 200,
  duplicate: 200,
  no_handler: 200,
  invalid_event: 400,
  secret_failed: 500,
  handler_failed: 500,
  deadline_passed: 500,
  not_stored: 500,
  internal_error: 500,
  duplicate_pending: 503,
};

/** Describes the response to send, for any server. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, with lower-case names. A choice: `x-delivery-id` is the id of the delivery's log lines. */
  readonly headers: Record<string, string>;
  /**
   * Empty, or a short JSON `{ message, code }`. Never contains anything of the payload or of a handler's
   * error.
   */
  readonly body: string;
}

/** Ends a delivery that is refused before it is verified. Internal: it never reaches an integrator. */
export class Rejection extends Error {
  readonly reason: RejectionReason;
  /** Bytes received or announced, if known. */
  size: number | undefined;
  /** What happened or what to do about it, if that is known. */
  readonly hint: string | undefined;
  /** The level at which it is logged. A health probe is nothing to look into. */
  readonly level: 'info' | 'warn';

  constructor(reason: RejectionReason, size?: number, hint?: string, level: 'info' | 'warn' = 'warn') {
    super(reason);
    // Until a stack is read or set, V8 keeps the functions in it, and with them the bodies that they hold
    // (src/execution/messages.cc, `ErrorUtils::SetFormattedStack`).
    this.stack = '';
    this.reason = reason;
    this.size = size;
    this.hint = hint;
    this.level = level;
  }
}

/** Whether a delivery was refused before it was verified. */
export function isRefusal(outcome: DeliveryOutcome): outcome is RejectionReason {
  return Object.hasOwn(REFUSAL_STATUSES, outcome);
}

export function statusOf(outcome: DeliveryOutcome): number {
  return isRefusal(outcome) ? REFUSAL_STATUSES[outcome] : OTHER_STATUSES[outcome];
}

/** Makes the response of an outcome. */
export function responseOf(outcome: DeliveryOutcome, deliveryId: string): WebhookResponse {
  const status = statusOf(outcome);
  const headers: Record<string, string> = { 'x-delivery-id': deliveryId };
  if (status === 200) return { status, headers, body: '' };
  headers['content-type'] = 'application/json';
  if (status === 405) headers.allow = 'POST';
  return { status, headers, body: JSON.stringify({ message: outcome.replaceAll('_', ' '), code: outcome }) };
}
