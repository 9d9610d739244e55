import { endpoints } from '../../endpoints/endpoints.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Deletes workspaces, with everything that belongs to them.
 *
 * @group Workspaces
 */
export class WorkspacesResource extends Resource {
  /**
   * Deletes a workspace for good (specification, 4.7).
   *
   * This permanently removes its agents, conversations, leads, tools, variables and team member access. Only
   * workspace owners may delete a workspace. Nobody can delete the primary workspace.
   *
   * @remarks Retried only after a 429, or when no connection was made.
   *
   * @param workspaceId - The workspace's id.
   * @throws {RequestValidationError} If the id is not usable; nothing was sent.
   * @throws {ApiError} If the service responds with an error status. The specification does not say which one
   * a refused deletion gets (section 7).
   * @throws {ConnectionError} If no response came. If `outcomeUnknown` is true, look in the dashboard: the
   * specification has no operation that shows whether the workspace is gone.
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
