import { endpoints } from '../../endpoints/endpoints.js';
import type { MembersAndTeams } from '../../schemas/members-and-teams.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Clients (dashboard users) and teams of an organisation, used for the assignment of chats.
 *
 * @group Organisations
 */
export class OrgsResource extends Resource {
  /**
   * Lists the clients (dashboard users) and teams of an organisation, used for the assignment of chats
   * (specification, 4.1).
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
   * @param orgId - The organisation's id.
   * @returns `{ clients, teams }`. Clients carry marked fields such as `dashboardPassword`: mask them with
   * `redact()` before you log them.
   * @throws {RequestValidationError} If `orgId` is not a usable id; nothing was sent.
   * @throws {ApiError} If the service responds with an error status.
   * @throws {ConnectionError} If no response came; `TimeoutError` and `AbortError` are its subclasses.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response cannot be used, or departs in `validation: 'strict'`.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * const { clients, teams } = await platform.orgs.listMembersAndTeams('org_1');
   * console.log(clients.filter((client) => client.status === 'online').length, teams.length);
   * ```
   */
  listMembersAndTeams(orgId: string, options?: RequestOptions): ApiPromise<MembersAndTeams> {
    return this.send(endpoints.listMembersAndTeams, { path: { orgId } }, options);
  }
}
