import { endpoints } from '../../endpoints/endpoints.js';
import type { Variable, VariableInput } from '../../schemas/variable.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Named values that belong to an agent.
 *
 * @group Variables
 */
export class VariablesResource extends Resource {
  /**
   * Creates a variable for an agent (specification, 4.2). The key must be unique within the agent. Which
   * fields other than the key are required is not documented.
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
   * @remarks Never retried automatically, except after a 429 or when no connection was made.
   *
   * @param agentId - The agent's id.
   * @param variable - `key` is required and must be unique within the agent.
   * @returns The variable, with `id`, `type`, `agentId` and `userId`.
   * @throws {BadRequestError} If the agent already has a variable with this key. What else gets a 400 is not
   * documented.
   * @throws {RequestValidationError} If an argument is wrong; nothing was sent.
   * @throws {ApiError} If the service responds with another error status.
   * @throws {ConnectionError} If no response came. If `outcomeUnknown` is true, look in the dashboard, if it
   * shows variables, or repeat the call: a key that exists by then gets a 400 (4.2), whoever created it.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response cannot be used, or departs in `validation: 'strict'`.
   *
   * @example
   * ```ts
   * import { AgentPlatform } from 'agent-platform-sdk';
   *
   * const platform = new AgentPlatform();
   * const variable = await platform.variables.create('agent_1', {
   *   key: 'plan',
   *   type: 'string',
   *   defaultValue: 'free',
   * });
   * console.log(variable.id);
   * ```
   */
  create(agentId: string, variable: VariableInput, options?: RequestOptions): ApiPromise<Variable> {
    return this.send(endpoints.createVariable, { path: { agentId }, body: { variable } }, options);
  }
}
