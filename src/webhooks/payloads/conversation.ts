import * as z from 'zod/mini';
import { anythings, requiredDictionary, requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/**
 * Payload of `conversation_updated` (document, 6.3), sent after a conversation is persisted. It is also posted to
 * the agent's `advanced.serverUrl` when that is configured.
 */
export interface ConversationUpdatedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** Session id. */
  sessionId?: string | undefined;
  /** The channel of the conversation. A plain string: the document gives no value set for this event. */
  channel?: string | undefined;
  /** The region of the workspace. */
  region?: 'eu' | 'na' | undefined;
  /** Light conversation metadata. Inner structure: not shown. */
  lightConvoData: Record<string, unknown>;
  /** The full chat history. Inner structure: not shown. */
  turns: unknown[];
  /** The LLM message history, when available. Inner structure: not shown. */
  messagesHistory?: unknown[] | undefined;
  /** What happened. */
  operation: 'updated';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link ConversationUpdatedPayload}. */
export const ConversationUpdatedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  sessionId: text,
  channel: text,
  region: z.optional(z.enum(['eu', 'na'])),
  lightConvoData: requiredDictionary,
  turns: z.array(z.unknown()),
  messagesHistory: anythings,
  operation: z.enum(['updated']),
  createdAt,
});
