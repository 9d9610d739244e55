import { endpoints } from '../../endpoints/endpoints.js';
import type { Variable, VariableInput } from '../../schemas/variable.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Creates the named values of an agent.
 *
 * @group Variables
 */
export class VariablesResource extends Resource {
  /**
   * Creates a variable for an agent (specification, 4.2).
   *
   * The key must be unique within the agent. The specification does not say which other fields are required.
   *
   * @remarks Retried only after a 429, or when no connection was made.
   *
   * @param agentId - The agent's id.
   * @param variable - `key` is required and must be unique within the agent.
   * @returns The variable, with `id`, `type`, `agentId` and `userId`.
   * @throws {BadRequestError} If the agent already has a variable with this key. The specification does not
   * say what else gets a 400.
   * @throws {RequestValidationError} If an argument is wrong; nothing was sent.
   * @throws {ApiError} If the service responds with another error status.
   * @throws {ConnectionError} If no response came. If `outcomeUnknown` is true, repeat the call: a 400 (4.2)
   * means that the key exists now, though not who created it.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response is unusable, or in `'strict'` does not match the
   * specification.
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
