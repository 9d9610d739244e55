import * as z from 'zod/mini';
import { type EventChannel, EventChannelSchema } from '../../schemas/channel.js';
import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of `lead_captured` (document, 6.3). Native platform only: it supports automatic lead collection. */
export interface LeadCapturedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Name of the lead. */
  leadName?: string | undefined;
  /** Email of the lead. */
  leadEmail?: string | undefined;
  /** Phone number of the lead. */
  leadPhone?: string | undefined;
  /** The channel it came through: Set B of the document. */
  channel: EventChannel;
  /** What happened. */
  operation: 'captured';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link LeadCapturedPayload}. */
export const LeadCapturedPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  leadName: text,
  leadEmail: text,
  leadPhone: text,
  channel: EventChannelSchema,
  operation: z.enum(['captured']),
  createdAt,
});
