/** The reason for which a delivery was refused before it was verified. */
export type RejectionReason =
  /** 405: not a POST. */
  | 'method_not_allowed'
  /** 413: more than `maxBodyBytes`. */
  | 'body_too_large'
  /**
   * 503: unverified bodies would hold more than `maxUnverifiedBytes` in all, and this one had held the most for the longest.
   */
  | 'overloaded'
  /** 400: cut off, stalled until the deadline, or read before by someone who left nothing of it. */
  | 'body_unreadable'
  /** 400: empty, or not JSON although a genuine secret stands in it: cut off. */
  | 'not_json'
  /** 401: the secret is missing or wrong, whatever else the body is. After a rotation, look here. */
  | 'verification_failed';

/** The end of a delivery, in one word: stands in logs, and decides the answer. */
export type DeliveryOutcome = keyof typeof statuses;

/** A response that fits any server. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, with lower-case names. */
  readonly headers: Record<string, string>;
  /** Empty, or a short JSON `{ message, code }`. Never holds anything of the payload or of a handler's error. */
  readonly body: string;
}

/** Ends a delivery that is refused. Internal: the receiver answers it, `parseWebhookRequest` translates it. */
export class RejectedDelivery extends Error {
  readonly reason: RejectionReason;
  /** Bytes received, or announced, where that is known. */
  readonly size: number | undefined;

  /** Advice, where the receiver seems to be mounted wrongly. */
  readonly hint: string | undefined;

  constructor(reason: RejectionReason, size?: number, hint?: string) {
    super(reason);
    this.reason = reason;
    this.size = size;
    this.hint = hint;
  }
}

const rejections = {
  method_not_allowed: 405,
  body_too_large: 413,
  overloaded: 503,
  body_unreadable: 400,
  not_json: 400,
  verification_failed: 401,
} as const satisfies Record<RejectionReason, number>;

/** The status of each outcome. 200 alone is success for the service (specification, 6.4). */
// Not by a spread, which no bundler drops where the receiver is not used.
const statuses = /* @__PURE__ */ Object.assign({}, rejections, {
  handled: 200,
  stored: 200,
  duplicate: 200,
  no_handler: 200,
  invalid_event: 400,
  lookup_failed: 500,
  handler_failed: 500,
  dedupe_unavailable: 500,
  deadline_passed: 500,
  not_stored: 500,
  internal_error: 500,
  copy_pending: 503,
} as const);

export function isRejection(outcome: DeliveryOutcome): outcome is RejectionReason {
  return Object.hasOwn(rejections, outcome);
}

export function statusOf(outcome: DeliveryOutcome): number {
  return statuses[outcome];
}

export function respond(outcome: DeliveryOutcome): WebhookResponse {
  const status = statusOf(outcome);
  if (status === 200) return { status, headers: {}, body: '' };
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (status === 405) headers.allow = 'POST';
  return { status, headers, body: JSON.stringify({ message: outcome.replaceAll('_', ' '), code: outcome }) };
}
