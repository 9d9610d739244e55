import { endpoints } from '../../endpoints/endpoints.js';
import type { Conversation } from '../../schemas/conversation.js';
import type { ApiPromise } from '../api-promise.js';
import type { RequestOptions } from '../options.js';
import { Resource } from './resource.js';

/**
 * Chats and calls between an end user and an agent.
 *
 * @group Conversations
 */
export class ConversationsResource extends Resource {
  /**
   * Retrieves a conversation (specification, 4.6). The caller must own the agent to read its conversations.
   *
   * The token is a workspace secret for workspace-level operations, an agent secret for agent-specific ones.
   * Which of them this operation accepts is not shown (5.2).
   *
   * @param id - The agent's id and the conversation's id, by name: two positional strings are easily swapped.
   * @returns The conversation. Its `externalFlowV4Session.sessionKey` and `voice.listenUrl` are marked
   * fields: mask them with `redact()` before you log them.
   * @throws {RequestValidationError} If an id is not usable; nothing was sent.
   * @throws {ApiError} If the service responds with an error status. Access to an agent that the caller does
   * not own is refused; which status that gets is not documented (section 7).
   * @throws {ConnectionError} If no response came; `TimeoutError` and `AbortError` are its subclasses.
   * @throws {OperationFailedError} If a 2xx says that the operation failed: `success: false`.
   * @throws {ResponseValidationError} If the response cannot be used, or departs in `validation: 'strict'`.
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
