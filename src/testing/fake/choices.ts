import * as z from 'zod/mini';
import { text } from '../../schemas/fields.js';
import type { Region } from '../../utils/regions.js';
import { func, oneOf, wholeNumber } from '../../validation/options.js';
import type { Caller } from './access.js';

/** The reason for an error response of the fake (section 7). */
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

/** The statuses of error responses. The specification gives only the 400 of a duplicate key (4.2, section 7). */
const statuses: Readonly<Record<RefusalReason, number>> = {
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
};

/** The status and the `code` of one error response. */
export interface RefusalChoice {
  /** The HTTP status, from 400 to 599. */
  readonly status?: number | undefined;
  /** `code` of the error body. Default: the name of the status, such as `NOT_FOUND`. */
  readonly code?: string | undefined;
}

/** A request whose permission is to be decided. */
export interface PermitQuestion {
  /** The holder of the token. */
  readonly caller: Caller;
  /** The key of the operation in `endpoints`, such as `'getTool'`; of a custom endpoint, its method and path. */
  readonly operation: string;
  /** The region whose records are used. */
  readonly region: Region;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The body, which fits the endpoint's schema. Undefined if the endpoint has none. */
  readonly body: unknown;
}

/**
 * What the fake does at points that the specification leaves open. No default is a statement about the service.
 *
 * Other choices are constants, which `fake.handle` overrides:
 *
 * - A success has status 200, which only 4.1 shows, and `message: 'OK'` (2.7).
 * - A created variable has `type: 'string'` (2.3), and the first owner of its workspace as `userId`.
 * - A release without `workspaceId` is from the caller's workspace (4.3).
 * - A release with the wrong `isImportedNumber` is refused. `errors` of a successful one is `''`.
 * - An organisation belongs to one workspace. Numbers and organisations of a deleted workspace stay (4.7).
 */
export interface FakeChoices {
  /** Status and code of some error responses. */
  readonly refusals: {
    readonly [Reason in Exclude<RefusalReason, 'duplicateKey'>]?: RefusalChoice | undefined;
  } & {
    /** The specification gives its status: 400 (4.2). */
    readonly duplicateKey?: Pick<RefusalChoice, 'code'> | undefined;
  };
  /**
   * The response to a token of the other region, which "may fail or return data of the wrong environment" (5.1):
   * `'refuse'` (default), the data of the region that was addressed, or the data of the token's region.
   */
  readonly wrongRegion: 'refuse' | 'data-of-address' | 'data-of-token';
  /**
   * Allows (`true`) or refuses (`false`) a request, or leaves it to the default (`undefined`). Which operations
   * accept which secret is not shown (5.2). Default: a secret reaches the records of its own agent or its own
   * workspace; an agent secret is not enough to list members and teams, to release a number or to delete a
   * workspace.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * // No secret deletes a workspace; everything else is as by default.
   * const careful = createFakePlatform({
   *   choices: { permits: ({ operation }) => (operation === 'deleteWorkspace' ? false : undefined) },
   * });
   * // Every secret of the region for every operation.
   * const open = createFakePlatform({ choices: { permits: () => true } });
   * console.log(careful.requests.length, open.requests.length);
   * ```
   */
  readonly permits: (question: PermitQuestion) => boolean | undefined | Promise<boolean | undefined>;
  /** Composes `ID` of a conversation (2.6: an example only). Default `` `${agentId}_${convoId}` ``. */
  readonly conversationId: (agentId: string, convoId: string) => string;
}

/** Fills in the defaults. */
export function resolveChoices(choices: Partial<FakeChoices> = {}): FakeChoices {
  const {
    refusals = {},
    wrongRegion = 'refuse',
    permits = () => undefined,
    conversationId = (agentId, convoId) => `${agentId}_${convoId}`,
  } = choices;
  return { refusals, wrongRegion, permits, conversationId };
}

/** The schema of the option `choices`. */
export function choicesSchema(): z.core.$ZodType {
  const refusal = z.optional(z.strictObject({ status: z.optional(wholeNumber(400, 599)), code: text }));
  const reasons = Object.fromEntries(Object.keys(statuses).map((reason) => [reason, refusal]));
  // The specification gives the status (4.2), so only the code is a choice.
  const duplicateKey = z.optional(z.strictObject({ code: text }));
  const fields = {
    refusals: z.optional(z.strictObject({ ...reasons, duplicateKey })),
    wrongRegion: z.optional(oneOf(['refuse', 'data-of-address', 'data-of-token'])),
    permits: z.optional(func),
    conversationId: z.optional(func),
  } satisfies Record<keyof FakeChoices, z.core.$ZodType>;
  return z.strictObject(fields);
}

/** Thrown inside the fake to refuse a request; becomes the error body of section 7. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly issues: readonly string[];

  constructor(reason: RefusalReason, message: string, issues: readonly string[] = []) {
    super(message);
    this.reason = reason;
    this.issues = issues;
  }
}

/** The status and code of an error response. */
export function statusAndCode(reason: RefusalReason, { refusals }: FakeChoices): [number, string] {
  const chosen: RefusalChoice = refusals[reason] ?? {};
  const { status = statuses[reason], code = statusName(status) } = chosen;
  return [status, code];
}

const names: Readonly<Record<number, string>> = {
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
  return names[status] ?? `HTTP_${status}`;
}
