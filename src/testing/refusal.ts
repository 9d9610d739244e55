import type { ErrorBody } from '../schemas/error-body.js';
import type { FakeChoices, RefusalReason } from './choices.js';
import { jsonResponse } from './json-response.js';

/** Thrown inside the fake where the service refuses a request; becomes the error body of section 7. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly issues: readonly string[];

  constructor(reason: RefusalReason, message: string, issues: readonly string[] = []) {
    super(message);
    this.reason = reason;
    this.issues = issues;
  }
}

export function refusalResponse(refusal: Refusal, choices: FakeChoices): Response {
  const { status, code } = choices.refusals[refusal.reason];
  return jsonResponse(errorBody(refusal.message, code, refusal.issues), status);
}

/** The error body of section 7: `issues` only where there are some, and no other property. */
export function errorBody(message: string, code: string, issues: readonly string[] = []): ErrorBody {
  return issues.length === 0
    ? { message, code }
    : { message, code, issues: issues.map((text) => ({ message: text })) };
}
