import { endpoints } from '../../endpoints/endpoints.js';
import type { Conversation } from '../../schemas/conversation.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Retrieves chats and calls between an end user and an agent.
 *
 * @group Conversations
 */
export class ConversationsResource extends Resource {
  /**
   * Retrieves a conversation (specification, 4.6).
   *
   * The caller must own the agent to read its conversations.
   *
   * @param id - The ids of the agent and the conversation, by name, so that nobody swaps them.
   * @returns The conversation. `externalFlowV4Session.sessionKey` and `voice.listenUrl` are secrets: call
   * `redact()` before you log it.
   * @throws {RequestValidationError} If an id is not usable; nothing was sent.
   * @throws {ApiError} If the service responds with an error status, for example because the caller does not
   * own the agent. The specification does not say which status that gets (section 7).
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
   * const conversation = await platform.conversations.get({ agentId: 'agent_1', convoId: 'convo_1' });
   * console.log(conversation.userEmail, conversation.state);
   * ```
   */
  get(
    id: {
      /** The agent's id. */
      readonly agentId: string;
      /** The conversation's id. */
      readonly convoId: string;
    },
    options?: RequestOptions,
  ): ApiPromise<Conversation> {
    return this.send(endpoints.getConversation, { path: id }, options);
  }
}
