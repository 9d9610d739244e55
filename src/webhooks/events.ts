import type * as z from 'zod/mini';
import { type AgentEventPayload, AgentEventPayloadSchema } from './payloads/agent.js';
import { type BugReportedPayload, BugReportedPayloadSchema } from './payloads/bug.js';
import { type ChatDelegatedPayload, ChatDelegatedPayloadSchema } from './payloads/chat.js';
import { type ClientEventPayload, ClientEventPayloadSchema } from './payloads/client.js';
import {
  type ConversationUpdatedPayload,
  ConversationUpdatedPayloadSchema,
} from './payloads/conversation.js';
import { type FormSubmittedPayload, FormSubmittedPayloadSchema } from './payloads/form.js';
import { type LeadCapturedPayload, LeadCapturedPayloadSchema } from './payloads/lead.js';
import { type MessageReceivedPayload, MessageReceivedPayloadSchema } from './payloads/message.js';
import { type OrganisationEventPayload, OrganisationEventPayloadSchema } from './payloads/organisation.js';
import { type WebhookTestPayload, WebhookTestPayloadSchema } from './payloads/test.js';

/** The categories of the document's table of events (6.2). */
export type WebhookEventCategory =
  | 'Message'
  | 'Chat'
  | 'Bug'
  | 'Agent'
  | 'Test'
  | 'Lead'
  | 'Form'
  | 'Organisation'
  | 'Client'
  | 'Conversation';

/** Which agent platforms send an event (document, 6.2); `'not shown'` where the document does not say. */
export type WebhookEventPlatforms = 'both' | 'native' | 'not shown';

/** One event type as data. */
export interface WebhookEventDefinition<Type extends string = string, Payload = unknown> {
  /** `type` of the envelope. */
  readonly type: Type;
  /** Category in the document's table. */
  readonly category: WebhookEventCategory;
  /** The agent platforms that send it. */
  readonly platforms: WebhookEventPlatforms;
  /** Schema of the payload less `workspaceSecret`, which is verified and removed before. */
  readonly payload: z.ZodMiniType<Payload, Payload>;
}

/** A verified event: what a handler is given, and what a webhook is parsed to. */
export interface ReceivedEvent<Type extends string, Payload> {
  /** The event type. */
  readonly type: Type;
  /** The payload as sent, less `workspaceSecret`. Fields the document does not list are kept. */
  readonly payload: Payload;
  /** Whose secret it was, where the secrets were named. */
  readonly workspace?: string;
}

/**
 * The event of each type. Written out, not inferred from the table of schemas: every program that is compiled against
 * this package would pay for that with two thousand instantiations of Zod's types.
 */
export interface WebhookEvents {
  /** Category: Message (6.2). */
  message_received: ReceivedEvent<'message_received', MessageReceivedPayload>;
  /** Category: Chat (6.2). */
  chat_delegated: ReceivedEvent<'chat_delegated', ChatDelegatedPayload>;
  /** Category: Bug (6.2). */
  bug_reported: ReceivedEvent<'bug_reported', BugReportedPayload>;
  /** Category: Agent (6.2). */
  agent_deleted: ReceivedEvent<'agent_deleted', AgentEventPayload>;
  /** Category: Test (6.2). */
  webhook_test: ReceivedEvent<'webhook_test', WebhookTestPayload>;
  /** Category: Lead (6.2). */
  lead_captured: ReceivedEvent<'lead_captured', LeadCapturedPayload>;
  /** Category: Form (6.2). */
  form_submitted: ReceivedEvent<'form_submitted', FormSubmittedPayload>;
  /** Category: Organisation (6.2). */
  organisation_created: ReceivedEvent<'organisation_created', OrganisationEventPayload>;
  /** Category: Organisation (6.2). */
  organisation_updated: ReceivedEvent<'organisation_updated', OrganisationEventPayload>;
  /** Category: Organisation (6.2). */
  organisation_deleted: ReceivedEvent<'organisation_deleted', OrganisationEventPayload>;
  /** Category: Client (6.2). */
  client_created: ReceivedEvent<'client_created', ClientEventPayload>;
  /** Category: Client (6.2). */
  client_updated: ReceivedEvent<'client_updated', ClientEventPayload>;
  /** Category: Client (6.2). */
  client_deleted: ReceivedEvent<'client_deleted', ClientEventPayload>;
  /** Category: Agent (6.2). */
  agent_created: ReceivedEvent<'agent_created', AgentEventPayload>;
  /** Category: Agent (6.2). */
  agent_updated: ReceivedEvent<'agent_updated', AgentEventPayload>;
  /** Category: Conversation (6.2). */
  conversation_updated: ReceivedEvent<'conversation_updated', ConversationUpdatedPayload>;
}

/** The event types this version knows. */
export type WebhookEventType = keyof WebhookEvents;

/** The event of a type: `WebhookEventOf<'lead_captured'>`. */
export type WebhookEventOf<Type extends WebhookEventType> = WebhookEvents[Type];

/** The payload of an event type: `WebhookPayloadOf<'lead_captured'>` is {@link LeadCapturedPayload}. */
export type WebhookPayloadOf<Type extends WebhookEventType> = WebhookEvents[Type]['payload'];

/** A verified event of any type: `switch (event.type)` narrows the payload. */
export type WebhookEvent = WebhookEvents[WebhookEventType];

type Table = {
  readonly [Type in WebhookEventType]: WebhookEventDefinition<Type, WebhookPayloadOf<Type>>;
};
type Rows = { readonly [Type in WebhookEventType]: Omit<Table[Type], 'type'> };

/* @__NO_SIDE_EFFECTS__ */
function row<Payload>(
  category: WebhookEventCategory,
  platforms: WebhookEventPlatforms,
  payload: z.ZodMiniType<Payload, Payload>,
): Omit<WebhookEventDefinition<string, Payload>, 'type'> {
  return { category, platforms, payload };
}

/* @__NO_SIDE_EFFECTS__ */
function table(rows: Rows): Table {
  const entries = Object.entries(rows).map(([type, about]) => [type, { type, ...about }]);
  // The cast gives the entries back the keys they were made from.
  return Object.fromEntries(entries) as Table;
}

/**
 * All sixteen event types (document, 6.2 and 6.3): category, the agent platforms that send it, schema of the payload.
 * The event types, the receiver, the fake and the OpenAPI document all read this table.
 *
 * @example
 * ```ts
 * import { webhookEvents } from 'agent-platform-sdk';
 *
 * webhookEvents.lead_captured.platforms; // 'native'
 * Object.keys(webhookEvents); // ['message_received', 'chat_delegated', …]
 * ```
 */
export const webhookEvents = table({
  message_received: row('Message', 'both', MessageReceivedPayloadSchema),
  chat_delegated: row('Chat', 'both', ChatDelegatedPayloadSchema),
  bug_reported: row('Bug', 'both', BugReportedPayloadSchema),
  agent_deleted: row('Agent', 'both', AgentEventPayloadSchema),
  webhook_test: row('Test', 'both', WebhookTestPayloadSchema),
  lead_captured: row('Lead', 'native', LeadCapturedPayloadSchema),
  form_submitted: row('Form', 'native', FormSubmittedPayloadSchema),
  organisation_created: row('Organisation', 'both', OrganisationEventPayloadSchema),
  organisation_updated: row('Organisation', 'both', OrganisationEventPayloadSchema),
  organisation_deleted: row('Organisation', 'both', OrganisationEventPayloadSchema),
  client_created: row('Client', 'both', ClientEventPayloadSchema),
  client_updated: row('Client', 'both', ClientEventPayloadSchema),
  client_deleted: row('Client', 'both', ClientEventPayloadSchema),
  agent_created: row('Agent', 'not shown', AgentEventPayloadSchema),
  agent_updated: row('Agent', 'not shown', AgentEventPayloadSchema),
  conversation_updated: row('Conversation', 'not shown', ConversationUpdatedPayloadSchema),
});

/**
 * Tells whether this version knows an event type.
 *
 * @example
 * ```ts
 * import { isWebhookEventType } from 'agent-platform-sdk';
 *
 * isWebhookEventType('lead_captured'); // true
 * isWebhookEventType('lead_scored'); // false
 * ```
 */
export function isWebhookEventType(type: string): type is WebhookEventType {
  // A list of one name would be taken for the name.
  return typeof type === 'string' && Object.hasOwn(webhookEvents, type);
}
