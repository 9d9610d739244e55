import type { RejectionReason } from './refusal.js';

/** How a delivery ended. */
export type Outcome = keyof typeof answers;

/** A response that fits any server. */
export interface WebhookResponse {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, with lower-case names. */
  readonly headers: Record<string, string>;
  /** Empty, or a short JSON `{ message, code }`. Never holds anything of the payload or of a handler's error. */
  readonly body: string;
}

type Answer = readonly [status: number, message: string];

/** Refused before any handler could see it. */
const rejections = {
  method_not_allowed: [405, 'Webhooks are delivered by POST.'],
  body_too_large: [413, 'The body is too large.'],
  body_unreadable: [400, 'The body could not be read.'],
  not_json: [400, 'The body is not JSON.'],
  invalid_event: [400, 'The event does not fit the document.'],
  verification_failed: [401, 'The workspace secret is missing or wrong.'],
  lookup_failed: [500, 'The workspace secret could not be looked up.'],
} as const satisfies Record<RejectionReason, Answer>;

/** Status and message of each outcome. 200 alone is success for the service (document, 6.4). */
const answers = {
  ...rejections,
  handled: [200, ''],
  stored: [200, ''],
  duplicate: [200, ''],
  no_handler: [200, ''],
  handler_failed: [500, 'The event was not handled.'],
  deadline_passed: [500, 'The event was not handled in time.'],
  not_stored: [500, 'The event was not stored.'],
  internal_error: [500, 'The delivery could not be processed.'],
  copy_pending: [503, 'A copy of this event is still being handled.'],
} as const satisfies Record<string, Answer>;

export function isRejection(outcome: Outcome): outcome is RejectionReason {
  return Object.hasOwn(rejections, outcome);
}

export function statusOf(outcome: Outcome): number {
  return answers[outcome][0];
}

export function respond(outcome: Outcome): WebhookResponse {
  const [status, message] = answers[outcome];
  if (message === '') return { status, headers: {}, body: '' };
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  if (status === 405) headers.allow = 'POST';
  return { status, headers, body: JSON.stringify({ message, code: outcome }) };
}
