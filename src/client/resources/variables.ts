import { endpoints } from '../../endpoints/endpoints.js';
import type { Variable, VariableInput } from '../../schemas/variable.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import type { Send } from '../transport/send.js';

/** Variables: named values that belong to an agent. */
export class VariablesResource {
  readonly #send: Send;

  constructor(send: Send) {
    this.#send = send;
  }

  /**
   * Creates a variable for an agent, under a key that the agent does not have yet (specification, 4.2). Which fields other
   * than the key are required is not documented.
   *
   * The token is a workspace secret, for workspace-level operations, or an agent secret, for agent-specific ones (5.2). Which of
   * them this operation accepts is not shown.
   *
   * @remarks Never retried automatically, except after a 429 or when no connection was made.
   *
   * @param agentId - The agent's id.
   * @param variable - `key` is required and must be unique within the agent.
   * @returns The variable with what the service set: `id`, `agentId`, `userId`.
   * @throws {BadRequestError} If the agent already has a variable with this key.
   * @throws {RequestValidationError} If an argument is wrong; nothing was sent.
   * @throws {ApiError} If the service responds with another error status.
   * @throws {ConnectionError} If no response came. With `outcomeUnknown`, repeat the call: a 400 then means that the key exists,
   * whoever created it (4.2).
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response does not match the API specification.
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
    return this.#send(endpoints.createVariable, { path: { agentId }, body: { variable } }, options);
  }
}
