import * as z from 'zod/mini';
import { type EventChannel, EventChannelSchema } from '../../schemas/channel.js';
import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of `bug_reported` (document, 6.3). */
export interface BugReportedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** What the reporter wrote. */
  bugDescription: string;
  /** CDN URL of the screenshot. Only its URL is sent, never the picture itself. */
  imageUrl?: string | undefined;
  /** Id of the user who reported it. */
  reportedByUserId?: string | undefined;
  /** Name of the user who reported it. */
  reportedByUserName?: string | undefined;
  /** Email of the user who reported it. */
  reportedByUserEmail?: string | undefined;
  /** The channel of the conversation: Set B of the document. */
  channel: EventChannel;
  /** What happened. */
  operation: 'reported';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link BugReportedPayload}. */
export const BugReportedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  bugDescription: requiredText,
  imageUrl: text,
  reportedByUserId: text,
  reportedByUserName: text,
  reportedByUserEmail: text,
  channel: EventChannelSchema,
  operation: z.enum(['reported']),
  createdAt,
});
