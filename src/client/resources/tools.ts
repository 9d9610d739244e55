import { endpoints } from '../../endpoints/endpoints.js';
import type { DefaultTool } from '../../schemas/default-tool.js';
import type { Tool } from '../../schemas/tool.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Capabilities that an agent can call, built in or custom.
 *
 * @group Tools
 */
export class ToolsResource extends Resource {
  /**
   * Lists the catalogue of built-in tools (specification, 4.4).
   *
   * `assignable_system` tools are enabled by listing their id in `nodes[].toolsIds` on an agent update; the
   * shape of that operation is not shown. `runtime_auto` tools are injected by the LLM runtime (2.5).
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
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
   * const tools = await platform.tools.listDefaults();
   * console.log(tools.filter((tool) => tool.kind === 'assignable_system').map((tool) => tool.id));
   * ```
   */
  listDefaults(options?: RequestOptions): ApiPromise<DefaultTool[]> {
    return this.send(endpoints.listDefaultTools, {}, options);
  }

  /**
   * Retrieves a tool with its full configuration: fields, server URL and channels (specification, 4.5).
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
   * @param toolId - The tool's id.
   * @remarks The id `defaults` is refused: it is the path of the catalogue (4.4).
   *
   * @returns The tool. `serverUrlSecret` is a marked field: mask it with `redact()` before you log it.
   * @throws {RequestValidationError} If `toolId` is not a usable id; nothing was sent.
   * @throws {ApiError} If the service responds with an error status. Which one an unknown tool gets is not
   * documented.
   * @throws {ConnectionError} If no response came; `TimeoutError` and `AbortError` are its subclasses.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response cannot be used, or departs in `validation: 'strict'`.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * const tool = await platform.tools.get('tool_1');
   * console.log(tool.name, tool.serverUrl, tool.channels);
   * ```
   */
  get(toolId: string, options?: RequestOptions): ApiPromise<Tool> {
    return this.send(endpoints.getTool, { path: { toolId } }, options);
  }
}
