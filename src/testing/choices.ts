import type { Caller } from './caller.js';
import { refuseUnknown } from './known-names.js';
import type { FakeAgent, FakeWorkspace } from './state.js';

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
  /** The HTTP status. */
  readonly status: number;
  /** `code` of the error body. */
  readonly code: string;
}

/** The status and code of every refusal. Only the 400 of a duplicate key is the document's (4.2, section 7). */
export type RefusalChoices = {
  readonly [Reason in RefusalReason]: Reason extends 'duplicateKey'
    ? {
        /** The document's own. */
        readonly status: 400;
        /** `code` of the error body. */
        readonly code: string;
      }
    : RefusalChoice;
};

/** What is asked of {@link FakeChoices.permits}. */
export interface PermitQuestion {
  /** Who calls, as the token tells. */
  readonly caller: Caller;
  /** The key of the operation in `endpoints`, such as `'getTool'`. */
  readonly operation: string;
}

/**
 * Where the document is silent, a fake must choose all the same. None of the defaults is a statement about the service.
 *
 * Chosen too, and no option: a release without `workspaceId` is from the caller's workspace (4.3); the owner of a created
 * variable, `userId`, is the first owner of its workspace (2.3); the numbers of a deleted workspace stay where they are (4.7).
 */
export interface FakeChoices {
  /** Status of a success; the document shows 200 for 4.1 alone (section 4). Default 200. */
  readonly successStatus: number;
  /** `message` of a success envelope (2.7). Default `'OK'`. */
  readonly successMessage: string;
  /** Status and code of each refusal. Defaults in {@link defaultChoices}. */
  readonly refusals: RefusalChoices;
  /**
   * What meets a token of the other region, which "may fail or return data of the wrong environment" (5.1):
   * `'refuse'` (default), the data of the region that was addressed, or the data of the region the token is from.
   */
  readonly wrongRegion: 'refuse' | 'data-of-address' | 'data-of-token';
  /** Which secret may use which operation (5.2: not shown). Default: either secret, every operation. */
  readonly permits: (question: PermitQuestion) => boolean;
  /**
   * Whether the caller owns an agent, for reading its conversations (4.6). Default: a workspace secret owns the
   * agents of its workspace, an agent secret owns its agent.
   */
  readonly ownsAgent: (caller: Caller, agent: FakeAgent) => boolean;
  /**
   * Whether the caller is an owner of a workspace, for deleting it (4.7). Default: a workspace secret speaks for
   * the owners of its workspace, and so for every workspace that shares one of them; an agent secret owns none.
   */
  readonly ownsWorkspace: (caller: Caller, workspace: FakeWorkspace) => boolean;
  /** How `ID` of a conversation is composed (2.6: an example only). Default `` `${agentId}_${convoId}` ``. */
  readonly conversationId: (agentId: string, convoId: string) => string;
  /** `type` of a created variable whose request has none (2.3). Default `'string'`, the one value shown. */
  readonly variableType: string;
  /** `errors` of a release that succeeded (4.3: a string, content not shown). Default `''`. */
  readonly releaseErrors: string;
  /**
   * How a number that cannot be released is answered (4.3: not shown): with the error body (default), or with
   * a success status and `{ isGood: false, errors }`.
   */
  readonly refusedRelease: 'error-body' | 'isGood-false';
  /**
   * What `isImportedNumber` does when the number is of the other kind (4.3: not shown): `'refuse'` (default), or
   * `'follow-request'`, which applies the rule that the request names.
   */
  readonly numberKindMismatch: 'refuse' | 'follow-request';
}

/** What a user passes: any of the choices, and any of the refusals. */
export type FakeChoicesInput = Partial<Omit<FakeChoices, 'refusals'>> & {
  /** Status and code of some refusals; the others stay as they are. */
  readonly refusals?: Partial<RefusalChoices> | undefined;
};

/** The choices of a fake that is told nothing. */
export const defaultChoices: FakeChoices = {
  successStatus: 200,
  successMessage: 'OK',
  refusals: {
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
  },
  wrongRegion: 'refuse',
  permits: () => true,
  ownsAgent: (caller, agent) =>
    caller.kind === 'agent' ? caller.agent.id === agent.id : caller.workspace.id === agent.workspaceId,
  ownsWorkspace: (caller, workspace) =>
    caller.kind === 'workspace' && caller.workspace.ownerIds.some((id) => workspace.ownerIds.includes(id)),
  conversationId: (agentId, convoId) => `${agentId}_${convoId}`,
  variableType: 'string',
  releaseErrors: '',
  refusedRelease: 'error-body',
  numberKindMismatch: 'refuse',
};

export function resolveChoices(input: FakeChoicesInput = {}): FakeChoices {
  refuseUnknown('createFakePlatform: the choice', input, defaultChoices);
  refuseUnknown('createFakePlatform: the refusal', input.refusals ?? {}, defaultChoices.refusals);
  return { ...defaultChoices, ...input, refusals: { ...defaultChoices.refusals, ...input.refusals } };
}
