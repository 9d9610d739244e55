import { endpoints } from '../../endpoints/endpoints.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { Send } from '../transport/send.js';

/** Workspaces: they hold agents, conversations, leads, tools, variables and members. */
export class WorkspacesResource {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /**
   * Deletes a workspace for good (specification, 4.7): its agents, conversations, leads, tools, variables and the access
   * of its members. Only its owners may, and never the primary workspace.
   *
   * The token is a workspace secret, for workspace-level operations, or an agent secret, for agent-specific ones (5.2). Which of
   * them this operation accepts is not shown.
   *
   * @remarks Never retried automatically, except after a 429 or when no connection was made.
   *
   * @param workspaceId - The workspace's id.
   * @throws {PermissionDeniedError} If the token is not an owner's, or the workspace is the primary one (the
   * status is not documented).
   * @throws {RequestValidationError} If the id is not usable; nothing was sent.
   * @throws {ApiError} If the service responds with another error status.
   * @throws {ConnectionError} If no response came. With `outcomeUnknown`, no documented operation shows whether the workspace
   * is gone: look in the dashboard.
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
    return this.#send(endpoints.deleteWorkspace, { path: { id: workspaceId } }, options);
  }
}
