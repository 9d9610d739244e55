import * as z from 'zod/v4/mini';
import { text } from '../../schemas/fields.js';
import type { Region } from '../../utils/regions.js';
import { func, wholeNumber } from '../../validation/check-options.js';
import type { Caller } from './caller.js';
import { collectionNames } from './records/kinds.js';
import { REFUSAL_REASONS, type RefusalChoices } from './refusals.js';

/** A request that `permits` decides about. */
export interface PermitQuestion {
  /** The holder of the token. */
  readonly caller: Caller;
  /** The key in `endpoints`, such as `'getTool'`; for a custom endpoint, its method and path. */
  readonly operation: string;
  /** The region whose records are used. */
  readonly region: Region;
  /** The path parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The body, which fits the endpoint's schema. Undefined if the endpoint has none. */
  readonly body: unknown;
}

/**
 * The decisions of the fake where the specification is silent. The defaults say nothing about the service.
 *
 * Other choices are constants, which `fake.handle` overrides:
 *
 * - A token of the other region is refused: 5.1 says that it may fail, or return data of the wrong environment.
 * - `ID` and `userID` of a new conversation are `<agentId>_<convoId>` (2.6: an example only). Its times are in
 *   seconds (2.6: UNIX timestamps).
 * - `Bearer` of the header is accepted in any case, and with several spaces after it (5.2 shows one form).
 * - A success has status 200, which only 4.1 shows, and `message: 'OK'` (2.7).
 * - A created variable has `type: 'string'` (2.3), and the first owner of its workspace as `userId`.
 * - A release without `workspaceId` is from the caller's workspace (4.3).
 * - A release with the wrong `isImportedNumber` is refused. `errors` of a successful one is `''`.
 * - Every body is validated. `ownerIds` and `memberIds` of a workspace have no effect on secrets (5.2).
 * - `memberIds` of a team hold the `ID` of each client: 2.1 does not say which id.
 * - `vg` is the native platform, `vf` the external one (6.3). Leads belong to agents.
 * - An organisation belongs to one workspace. Numbers and organisations of a deleted workspace stay (4.7).
 */
export interface FakeChoices {
  /** Status and code of some error responses. */
  readonly refusals: RefusalChoices;
  /**
   * Allows (`true`) or refuses (`false`) a request; `undefined` leaves it to the default.
   *
   * The specification does not say which operations accept which secret (5.2). By default, a secret reaches the
   * records of its own agent or workspace, and an agent secret may not list members and teams, release a number or
   * delete a workspace.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * // Only owners may delete a workspace (4.7): here, the secret of `acme` acts for somebody else.
   * const fake = createFakePlatform({
   *   choices: {
   *     permits: ({ operation, caller }) =>
   *       operation === 'deleteWorkspace' && caller.workspace.id === 'acme' ? false : undefined,
   *   },
   * });
   * fake.add.workspace({ id: 'acme', secret: 'secret-of-acme' });
   * // Every secret of the region for every operation.
   * const open = createFakePlatform({ choices: { permits: () => true } });
   * console.log(fake.requests.length, open.requests.length);
   * ```
   */
  readonly permits: (question: PermitQuestion) => boolean | undefined | Promise<boolean | undefined>;
}

/** The schema of the option `choices`. */
export function choicesSchema(): z.core.$ZodType {
  const choice = { status: z.optional(wholeNumber(400, 599)), code: text };
  const refusal = z.optional(z.strictObject(choice));
  const reasons = Object.fromEntries(REFUSAL_REASONS.map((reason) => [reason, refusal]));
  // The specification gives the status (4.2), so only the code is a choice.
  const duplicateKey = z.optional(z.strictObject({ code: text }));
  const ofKinds = Object.fromEntries(collectionNames.map((name) => [name, refusal]));
  const notFound = z.optional(z.strictObject({ ...choice, ...ofKinds }));
  const fields = {
    refusals: z.optional(z.strictObject({ ...reasons, duplicateKey, notFound })),
    permits: z.optional(func),
  } satisfies Record<keyof FakeChoices, z.core.$ZodType>;
  return z.strictObject(fields);
}
