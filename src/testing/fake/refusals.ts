import type { CollectionName } from './records/records.js';

/** The default statuses: choices, except where an endpoint has a tag `@status`. */
const STATUSES = {
  invalidRequest: 400,
  duplicateKey: 400,
  unauthenticated: 401,
  wrongRegion: 401,
  notPermitted: 403,
  notAgentOwner: 403,
  notWorkspaceOwner: 403,
  primaryWorkspace: 403,
  notFound: 404,
  numberKindMismatch: 400,
  unknownRoute: 404,
  handlerFailed: 500,
} as const;

/** The reason for an error response of the fake (section 7). */
export type RefusalReason = keyof typeof STATUSES;

/** The status and the `code` of one error response. */
export interface RefusalChoice {
  /** The HTTP status, from 400 to 599. */
  readonly status?: number | undefined;
  /** `code` of the error body. Default: the name of the status, such as `NOT_FOUND`. */
  readonly code?: string | undefined;
}

/** The status and the `code` of `notFound`. A kind of record may have its own. */
export type NotFoundChoice = RefusalChoice & {
  readonly [Name in CollectionName]?: RefusalChoice | undefined;
};

/** Status and code of some error responses, by their reason. */
export type RefusalChoices = {
  readonly [Reason in Exclude<RefusalReason, 'duplicateKey' | 'notFound'>]?: RefusalChoice | undefined;
} & {
  /** Of one kind of record, too: `{ tools: { status: 401 } }`. */
  readonly notFound?: NotFoundChoice | undefined;
  /** The specification gives its status: 400 (4.2). */
  readonly duplicateKey?: Pick<RefusalChoice, 'code'> | undefined;
};

/** Thrown inside the fake to refuse a request; becomes the error body of section 7. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly more: RefusalDetails;

  constructor(reason: RefusalReason, message: string, more: RefusalDetails = {}) {
    super(message);
    this.reason = reason;
    this.more = more;
  }
}

interface RefusalDetails {
  readonly issues?: readonly string[];
  /** The kind of record that was not found. */
  readonly collection?: CollectionName;
}

/** The reasons of all refusals. */
export const REFUSAL_REASONS: readonly string[] = /* @__PURE__ */ Object.keys(STATUSES);

/** The status and the code of an error response. */
export function statusAndCode(
  { reason, more: { collection } }: Refusal,
  refusals: RefusalChoices,
): [number, string] {
  const chosen: NotFoundChoice = refusals[reason] ?? {};
  const { status = STATUSES[reason], code = statusName(status) }: RefusalChoice =
    (collection === undefined ? undefined : chosen[collection]) ?? chosen;
  return [status, code];
}

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  408: 'REQUEST_TIMEOUT',
  409: 'CONFLICT',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  421: 'MISDIRECTED_REQUEST',
  422: 'UNPROCESSABLE_ENTITY',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  501: 'NOT_IMPLEMENTED',
  502: 'BAD_GATEWAY',
  503: 'SERVICE_UNAVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/** The name of a status, the default `code` of an error body: `NOT_FOUND`. */
export function statusName(status: number): string {
  return STATUS_NAMES[status] ?? `HTTP_${status}`;
}
