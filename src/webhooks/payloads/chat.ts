import * as z from 'zod/mini';
import { type EventChannel, EventChannelSchema } from '../../schemas/channel.js';
import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of `chat_delegated` (document, 6.3). */
export interface ChatDelegatedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** Id of the user that the chat is assigned to. */
  assignedToUserId: string;
  /** Name of the user that the chat is assigned to. */
  assignedToUserName?: string | undefined;
  /** Email of the user that the chat is assigned to. */
  assignedToUserEmail?: string | undefined;
  /** Id of the user who delegated it. */
  delegatedByUserId?: string | undefined;
  /** Name of the user who delegated it. */
  delegatedByUserName?: string | undefined;
  /** Name of the customer. */
  customerName?: string | undefined;
  /** Email of the customer. */
  customerEmail?: string | undefined;
  /** Phone number of the customer. */
  customerPhone?: string | undefined;
  /** The channel of the chat: Set B of the document. */
  channel: EventChannel;
  /** What happened. */
  operation: 'delegated';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link ChatDelegatedPayload}. */
export const ChatDelegatedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  assignedToUserId: requiredText,
  assignedToUserName: text,
  assignedToUserEmail: text,
  delegatedByUserId: text,
  delegatedByUserName: text,
  customerName: text,
  customerEmail: text,
  customerPhone: text,
  channel: EventChannelSchema,
  operation: z.enum(['delegated']),
  createdAt,
});
