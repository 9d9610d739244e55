import * as z from 'zod/mini';
import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt, lifecycleOperation } from './leaf.js';

/** Payload of `agent_created`, `agent_updated` and `agent_deleted` (document, 6.3). */
export interface AgentEventPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** The platform the agent runs on: `vg` or `vf`. The document does not say which code is which platform. */
  agentPlatform?: 'vg' | 'vf' | undefined;
  /** What happened. The document lists the three values for the group, not one for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link AgentEventPayload}. */
export const AgentEventPayloadSchema = openObject({
  agentId: requiredText,
  agentName: text,
  agentPlatform: z.optional(z.enum(['vg', 'vf'])),
  operation: lifecycleOperation,
  createdAt,
});
