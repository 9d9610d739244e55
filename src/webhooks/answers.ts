import type { RejectionReason } from './refusal.js';

/** How a delivery ended. */
export type Outcome = keyof typeof statuses;

/** A response that fits any server. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, with lower-case names. */
  readonly headers: Record<string, string>;
  /** Empty, or a short JSON `{ message, code }`. Never holds anything of the payload or of a handler's error. */
  readonly body: string;
}

/** Refused before any handler could see it. */
const rejections = {
  method_not_allowed: 405,
  body_too_large: 413,
  body_unreadable: 400,
  not_json: 400,
  invalid_event: 400,
  verification_failed: 401,
  lookup_failed: 500,
} as const satisfies Record<RejectionReason, number>;

/** The status of each outcome. 200 alone is success for the service (document, 6.4). */
// Not by a spread, which no bundler drops where the receiver is not used.
const statuses = /* @__PURE__ */ Object.assign({}, rejections, {
  handled: 200,
  stored: 200,
  duplicate: 200,
  no_handler: 200,
  handler_failed: 500,
  dedupe_unavailable: 500,
  deadline_passed: 500,
  not_stored: 500,
  internal_error: 500,
  copy_pending: 503,
} as const);

export function isRejection(outcome: Outcome): outcome is RejectionReason {
  return Object.hasOwn(rejections, outcome);
}

export function statusOf(outcome: Outcome): number {
  return statuses[outcome];
}

export function respond(outcome: Outcome): WebhookResponse {
  const status = statusOf(outcome);
  if (status === 200) return { status, headers: {}, body: '' };
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (status === 405) headers.allow = 'POST';
  return { status, headers, body: JSON.stringify({ message: outcome.replaceAll('_', ' '), code: outcome }) };
}
