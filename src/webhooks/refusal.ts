/** Why a delivery was refused before any handler could see it. */
export type RejectionReason =
  /** 405: not a POST. */
  | 'method_not_allowed'
  /** 413: more than `maxBodyBytes`. */
  | 'body_too_large'
  /** 400: cut off, stalled until the deadline, or read before by someone who left nothing of it. */
  | 'body_unreadable'
  /** 400: not JSON. */
  | 'not_json'
  /** 401: the secret is missing or wrong. After a rotation, look here. */
  | 'verification_failed'
  /** 500: the function `secret` failed, so that nothing can be said about the delivery. */
  | 'lookup_failed'
  /** 400: verified, but not as the document says, and no `onInvalid` is registered. */
  | 'invalid_event';

/** Ends the reading of a delivery. Internal: the receiver answers it, `parseWebhookRequest` translates it. */
export class Refusal extends Error {
  readonly reason: RejectionReason;
  /** Bytes received, or announced, where that is known. */
  readonly size: number | undefined;

  constructor(reason: RejectionReason, size?: number, cause?: unknown) {
    super(reason, cause === undefined ? undefined : { cause });
    this.reason = reason;
    this.size = size;
  }
}
