import { endpoints } from '../../endpoints/endpoints.js';
import type { MembersAndTeams } from '../../schemas/members-and-teams.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Lists the dashboard users (clients) and teams that chats can be assigned to.
 *
 * @group Organisations
 */
export class OrgsResource extends Resource {
  /**
   * Lists the clients and teams of an organisation (specification, 4.1).
   *
   * Clients are dashboard users. Chats can be assigned to clients and teams.
   *
   * @param orgId - The organisation's id.
   * @returns `{ clients, teams }`. Clients contain secrets such as `dashboardPassword`: call `redact()` before
   * you log them.
   * @throws {RequestValidationError} If `orgId` is not a usable id; nothing was sent.
   * @throws {ApiError} If the service responds with an error status.
   * @throws {ConnectionError} If no response came. `TimeoutError` and `AbortError` are subclasses.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response is unusable, or in `'strict'` does not match the
   * specification.
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
