/** Every reason for which the fake answers with the error body of section 7. */
export type RefusalReason =
  | 'invalidRequest'
  | 'duplicateKey'
  | 'unauthenticated'
  | 'wrongRegion'
  | 'notPermitted'
  | 'notAgentOwner'
  | 'notWorkspaceOwner'
  | 'primaryWorkspace'
  | 'notFound'
  | 'numberKindMismatch'
  | 'unknownRoute'
  | 'handlerFailed';

/** The status and the `code` of one refusal. */
export interface RefusalChoice {
  /** The HTTP status, from 200 to 599. */
  readonly status: number;
  /** `code` of the error body. */
  readonly code: string;
}

/** The status and code of every refusal. Only the 400 of a duplicate key is the specification's (4.2, section 7). */
export type RefusalChoices = {
  readonly [Reason in RefusalReason]: Reason extends 'duplicateKey'
    ? {
        /** The specification's own. */
        readonly status: 400;
        /** `code` of the error body. */
        readonly code: string;
      }
    : RefusalChoice;
};

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

/** The status and code of every refusal of a fake that is told nothing. */
export const defaultRefusals: RefusalChoices = {
  invalidRequest: { status: 400, code: 'invalid_request' },
  duplicateKey: { status: 400, code: 'duplicate_key' },
  unauthenticated: { status: 401, code: 'unauthenticated' },
  wrongRegion: { status: 401, code: 'unauthenticated' },
  notPermitted: { status: 403, code: 'forbidden' },
  notAgentOwner: { status: 403, code: 'forbidden' },
  notWorkspaceOwner: { status: 403, code: 'forbidden' },
  primaryWorkspace: { status: 403, code: 'primary_workspace' },
  notFound: { status: 404, code: 'not_found' },
  numberKindMismatch: { status: 400, code: 'number_kind_mismatch' },
  unknownRoute: { status: 404, code: 'unknown_route' },
  handlerFailed: { status: 500, code: 'internal_error' },
};
