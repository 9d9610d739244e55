import { endpoints } from '../../endpoints/endpoints.js';
import type { DefaultTool } from '../../schemas/default-tool.js';
import type { Tool } from '../../schemas/tool.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Retrieves the tools that agents can call, built in or custom.
 *
 * @group Tools
 */
export class ToolsResource extends Resource {
  /**
   * Lists the catalogue of built-in tools (specification, 4.4).
   *
   * To enable an `assignable_system` tool, list its id in `nodes[].toolsIds` on an agent update. The
   * specification does not describe the rest of that update. The LLM runtime injects `runtime_auto` tools (2.5).
   *
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
   * const tools = await platform.tools.listDefaults();
   * console.log(tools.filter((tool) => tool.kind === 'assignable_system').map((tool) => tool.id));
   * ```
   */
  listDefaults(options?: RequestOptions): ApiPromise<DefaultTool[]> {
    return this.send(endpoints.listDefaultTools, {}, options);
  }

  /**
   * Retrieves a tool with its fields, server URL and channels (specification, 4.5).
   *
   * @param toolId - The tool's id.
   * @remarks The id `defaults` is refused: it is the path of the catalogue (4.4).
   *
   * @returns The tool. `serverUrlSecret` is a secret: call `redact()` before you log it.
   * @throws {RequestValidationError} If `toolId` is not a usable id; nothing was sent.
   * @throws {ApiError} If the service responds with an error status. The specification does not say which one
   * an unknown tool gets.
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
   * const tool = await platform.tools.get('tool_1');
   * console.log(tool.name, tool.serverUrl, tool.channels);
   * ```
   */
  get(toolId: string, options?: RequestOptions): ApiPromise<Tool> {
    return this.send(endpoints.getTool, { path: { toolId } }, options);
  }
}
