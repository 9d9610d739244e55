import { endpoints } from '../../endpoints/endpoints.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Workspaces, to which agents, conversations, leads, tools, variables and team member access belong.
 *
 * @group Workspaces
 */
export class WorkspacesResource extends Resource {
  /**
   * Deletes a workspace for good (specification, 4.7). This permanently removes its agents, conversations,
   * leads, tools, variables and team member access.
   *
   * Only workspace owners may delete a workspace. The primary workspace cannot be deleted.
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
   * @remarks Never retried automatically, except after a 429 or when no connection was made.
   *
   * @param workspaceId - The workspace's id.
   * @throws {RequestValidationError} If the id is not usable; nothing was sent.
   * @throws {ApiError} If the service responds with an error status. Which one a refused deletion gets is not
   * documented (section 7).
   * @throws {ConnectionError} If no response came. If `outcomeUnknown` is true, check in the dashboard: no
   * documented operation shows whether the workspace is gone.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response is neither an envelope nor empty.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * await platform.workspaces.delete('workspace_2');
   * ```
   */
  delete(workspaceId: string, options?: RequestOptions): ApiPromise<void> {
    return this.send(endpoints.deleteWorkspace, { path: { id: workspaceId } }, options);
  }
}
