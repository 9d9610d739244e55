import * as z from 'zod/mini';
import { type EventChannel, EventChannelSchema } from '../../schemas/channel.js';
import { requiredDictionary, requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of `form_submitted` (document, 6.3). Native platform only: it supports UI-engine forms. */
export interface FormSubmittedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** Kind of the form; not described further. */
  formType: 'ui_engine_form' | 'ui_engine_input';
  /** What was filled in, as key-value pairs. */
  formData: Record<string, unknown>;
  /** The channel it came through: Set B of the document. */
  channel: EventChannel;
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link FormSubmittedPayload}. */
export const FormSubmittedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  formType: z.enum(['ui_engine_form', 'ui_engine_input']),
  formData: requiredDictionary,
  channel: EventChannelSchema,
  createdAt,
});
