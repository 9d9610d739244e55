import type { Caller } from './authenticate.js';
import type { FakeAgent, FakeWorkspace } from './records.js';
import { defaultRefusals, type RefusalChoices } from './refusals.js';

/** The question that {@link FakeChoices.permits} answers. */
export interface PermitQuestion {
  /** The caller, as the token tells. */
  readonly caller: Caller;
  /** The key of the operation in `endpoints`, such as `'getTool'`. */
  readonly operation: string;
}

/**
 * A fake must choose where the specification is silent. None of the defaults is a statement about the service.
 *
 * Chosen too, and no option: a release without `workspaceId` is from the caller's workspace (4.3); the owner of a created
 * variable, `userId`, is the first owner of its workspace (2.3); the numbers of a deleted workspace stay where they are (4.7).
 */
export interface FakeChoices {
  /** Status of a success; the specification shows 200 for 4.1 alone (section 4). Default 200. */
  readonly successStatus: number;
  /** `message` of a success envelope (2.7). Default `'OK'`. */
  readonly successMessage: string;
  /** Status and code of each refusal. Defaults in {@link defaultChoices}. */
  readonly refusals: RefusalChoices;
  /**
   * The answer to a token of the other region, which "may fail or return data of the wrong environment" (5.1):
   * `'refuse'` (default), the data of the region that was addressed, or the data of the region the token is from.
   */
  readonly wrongRegion: 'refuse' | 'data-of-address' | 'data-of-token';
  /** Permits a secret an operation (5.2: not shown). Default: either secret, every operation. */
  readonly permits: (question: PermitQuestion) => boolean;
  /**
   * Tells whether the caller owns an agent, for reading its conversations (4.6). Default: a workspace secret owns the
   * agents of its workspace, an agent secret owns its agent.
   */
  readonly ownsAgent: (caller: Caller, agent: FakeAgent) => boolean;
  /**
   * Tells whether the caller is an owner of a workspace, for deleting it (4.7). Default: a workspace secret speaks for
   * the owners of its workspace, and so for every workspace that shares one of them; an agent secret owns none.
   */
  readonly ownsWorkspace: (caller: Caller, workspace: FakeWorkspace) => boolean;
  /** Composes `ID` of a conversation (2.6: an example only). Default `` `${agentId}_${convoId}` ``. */
  readonly conversationId: (agentId: string, convoId: string) => string;
  /** `type` of a created variable whose request has none (2.3). Default `'string'`, the one value shown. */
  readonly variableType: string;
  /** `errors` of a release that succeeded (4.3: a string, content not shown). Default `''`. */
  readonly releaseErrors: string;
  /**
   * The answer for a number that cannot be released (4.3: not shown): the error body (default), or a success status
   * with `{ isGood: false, errors }`.
   */
  readonly refusedRelease: 'error-body' | 'isGood-false';
  /**
   * The effect of `isImportedNumber` on a number of the other kind (4.3: not shown): `'refuse'` (default), or
   * `'follow-request'`, which applies the rule that the request names.
   */
  readonly numberKindMismatch: 'refuse' | 'follow-request';
}

/** Any of the choices, and any of the refusals, as a user passes them. */
export type FakeChoicesInput = Partial<Omit<FakeChoices, 'refusals'>> & {
  /** Status and code of some refusals; the others stay as they are. */
  readonly refusals?: Partial<RefusalChoices> | undefined;
};

/** The choices of a fake that is told nothing. */
export const defaultChoices: FakeChoices = {
  successStatus: 200,
  successMessage: 'OK',
  refusals: defaultRefusals,
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
  checkNames('createFakePlatform: the choice', input, defaultChoices);
  checkNames('createFakePlatform: the refusal', input.refusals ?? {}, defaultChoices.refusals);
  return { ...defaultChoices, ...input, refusals: { ...defaultChoices.refusals, ...input.refusals } };
}

/** Refuses a name that is not one of those that are known: what is misspelt would do nothing, silently. */
export function checkNames(what: string, given: object, known: object): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known).join(', ');
    throw new TypeError(`${what} "${name}" is not known. Known: ${names}.`);
  }
}
