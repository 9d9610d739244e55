import { type MessageChannel, MessageChannelSchema } from '../../schemas/channel.js';
import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of `message_received` (document, 6.3). */
export interface MessageReceivedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** The message. */
  messageContent: string;
  /** The channel it came through: Set A of the document. */
  channel: MessageChannel;
  /** Type of the message. Values: not shown. */
  messageType?: string | undefined;
  /** Who sent it. Format: not shown. */
  from?: string | undefined;
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link MessageReceivedPayload}. */
export const MessageReceivedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  messageContent: requiredText,
  channel: MessageChannelSchema,
  messageType: text,
  from: text,
  createdAt,
});
