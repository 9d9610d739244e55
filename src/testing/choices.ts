import * as z from 'zod/mini';
import { requiredText, text } from '../schemas/leaf.js';
import { closedObject } from '../schemas/object.js';
import { defined } from '../validation/option-checks.js';
import type { Caller } from './authenticate.js';
import { checkInput, InputError } from './check-input.js';
import { isWithinReach, type PermitQuestion } from './reach.js';
import type { FakeAgent, FakeWorkspace } from './records.js';
import { defaultRefusals, type RefusalChoices } from './refusals.js';

/**
 * A fake must choose where the specification is silent. None of the defaults is a statement about the service.
 *
 * Chosen too, and no option: a release without `workspaceId` is from the caller's workspace (4.3); the owner of a created
 * variable, `userId`, is the first owner of its workspace (2.3); an organisation belongs to one workspace; the numbers and the
 * organisations of a deleted workspace stay where they are (4.7); `vg` is the native platform, `vf` the other (6.3).
 */
export interface FakeChoices {
  /** Status of a success, from 200 to 299. Default 200. 4.1 answers 200 in any case: there alone the specification shows the status. */
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
  /**
   * Permits a secret an operation on the records that the request names; else the request is refused as `notPermitted`.
   * Which operations accept which secret is not shown (5.2). Default: an agent secret reaches what belongs to its agent;
   * a workspace secret reaches what belongs to its workspace: agents, tools, variables, conversations, numbers and
   * organisations. For a workspace-level operation an agent secret is not enough; those are taken to be `listMembersAndTeams`,
   * `releasePhoneNumber` and `deleteWorkspace`. The default leaves `getConversation` to {@link FakeChoices.ownsAgent}, and
   * for a workspace secret `deleteWorkspace` to {@link FakeChoices.ownsWorkspace}. `() => true` opens it for every secret.
   *
   * @example
   * ```ts
   * import { createFakePlatform, defaultChoices } from 'agent-platform-sdk/testing';
   *
   * // The default, and rented numbers stay.
   * const fake = createFakePlatform({
   *   choices: {
   *     permits: (question) =>
   *       defaultChoices.permits(question) &&
   *       !question.records.some(({ kind, record }) => kind === 'phoneNumber' && !record.imported),
   *   },
   * });
   * ```
   */
  readonly permits: (question: PermitQuestion) => boolean;
  /**
   * Tells whether the caller owns an agent, for reading its conversations (4.6). Default: a workspace secret owns the
   * agents of its workspace, an agent secret owns its agent.
   */
  readonly ownsAgent: (caller: Caller, agent: FakeAgent) => boolean;
  /**
   * Tells whether the caller is an owner of a workspace, for deleting it (4.7). Default: a workspace secret speaks for
   * the owners of its own workspace, and of no other; an agent secret owns none.
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
  permits: isWithinReach,
  ownsAgent: (caller, agent) =>
    caller.kind === 'agent' ? caller.agent.id === agent.id : caller.workspace.id === agent.workspaceId,
  ownsWorkspace: (caller, workspace) => caller.kind === 'workspace' && caller.workspace.id === workspace.id,
  conversationId: (agentId, convoId) => `${agentId}_${convoId}`,
  variableType: 'string',
  releaseErrors: '',
  refusedRelease: 'error-body',
  numberKindMismatch: 'refuse',
};

export function resolveChoices(input: FakeChoicesInput = {}): FakeChoices {
  checkNames('createFakePlatform: the choice', input, defaultChoices);
  checkNames('createFakePlatform: the refusal', input.refusals ?? {}, defaultChoices.refusals);
  const checked = checkInput(choicesSchema(), input);
  if (!checked.ok) throw new InputError('createFakePlatform: the choices are wrong', checked.issues);
  const refusals = { ...defaultChoices.refusals, ...defined(input.refusals ?? {}) };
  return { ...defaultChoices, ...defined(input), refusals };
}

/** Of a value that is misspelt, none of the rules would be the one that was meant. */
function choicesSchema() {
  const decision = z.optional(z.custom((value) => typeof value === 'function', 'expected a function'));
  const status = (least: number, most: number) => z.number().check(z.int(), z.gte(least), z.lte(most));
  const refusal = z.optional(z.strictObject({ status: status(200, 599), code: requiredText }));
  const reasons = Object.keys(defaultRefusals).map((reason) => [reason, refusal] as const);
  const duplicateKey = z.optional(z.strictObject({ status: z.literal(400), code: requiredText }));
  return closedObject(
    () =>
      ({
        successStatus: z.optional(status(200, 299)),
        successMessage: text,
        refusals: z.optional(z.strictObject({ ...Object.fromEntries(reasons), duplicateKey })),
        wrongRegion: z.optional(z.enum(['refuse', 'data-of-address', 'data-of-token'])),
        permits: decision,
        ownsAgent: decision,
        ownsWorkspace: decision,
        conversationId: decision,
        variableType: text,
        releaseErrors: text,
        refusedRelease: z.optional(z.enum(['error-body', 'isGood-false'])),
        numberKindMismatch: z.optional(z.enum(['refuse', 'follow-request'])),
      }) satisfies Record<keyof FakeChoices, z.core.$ZodType>,
  );
}

/** Refuses a name that is not one of those that are known: what is misspelt would do nothing, silently. */
export function checkNames(what: string, given: object, known: object): void {
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(known, name)) continue;
    const names = Object.keys(known).join(', ');
    throw new TypeError(`${what} "${name}" is not known. Known: ${names}.`);
  }
}
