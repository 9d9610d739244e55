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
export type WebhookEventPlatforms = 'both' | 'native' | 'external-flow' | 'not shown';

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

/** Lets a row show its payload's documented interface; that schema and interface are equal, a type test holds. */
/* @__NO_SIDE_EFFECTS__ */
function row<Payload>(
  category: WebhookEventCategory,
  platforms: WebhookEventPlatforms,
  payload: z.ZodMiniType<Payload, Payload>,
): Omit<WebhookEventDefinition<string, Payload>, 'type'> {
  return { category, platforms, payload };
}

type Rows = Readonly<Record<string, ReturnType<typeof row<unknown>>>>;
type PayloadIn<Row> = Row extends { readonly payload: z.ZodMiniType<infer Payload> } ? Payload : never;
type Table<Of extends Rows> = {
  readonly [Type in keyof Of & string]: WebhookEventDefinition<Type, PayloadIn<Of[Type]>>;
};

/* @__NO_SIDE_EFFECTS__ */
function table<Of extends Rows>(rows: Of): Table<Of> {
  const entries = Object.entries(rows).map(([type, about]) => [type, { type, ...about }]);
  // The cast gives the entries back the keys they were made from.
  return Object.fromEntries(entries) as Table<Of>;
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
  message_received: row<MessageReceivedPayload>('Message', 'both', MessageReceivedPayloadSchema),
  chat_delegated: row<ChatDelegatedPayload>('Chat', 'both', ChatDelegatedPayloadSchema),
  bug_reported: row<BugReportedPayload>('Bug', 'both', BugReportedPayloadSchema),
  agent_deleted: row<AgentEventPayload>('Agent', 'both', AgentEventPayloadSchema),
  webhook_test: row<WebhookTestPayload>('Test', 'both', WebhookTestPayloadSchema),
  lead_captured: row<LeadCapturedPayload>('Lead', 'native', LeadCapturedPayloadSchema),
  form_submitted: row<FormSubmittedPayload>('Form', 'native', FormSubmittedPayloadSchema),
  organisation_created: row<OrganisationEventPayload>('Organisation', 'both', OrganisationEventPayloadSchema),
  organisation_updated: row<OrganisationEventPayload>('Organisation', 'both', OrganisationEventPayloadSchema),
  organisation_deleted: row<OrganisationEventPayload>('Organisation', 'both', OrganisationEventPayloadSchema),
  client_created: row<ClientEventPayload>('Client', 'both', ClientEventPayloadSchema),
  client_updated: row<ClientEventPayload>('Client', 'both', ClientEventPayloadSchema),
  client_deleted: row<ClientEventPayload>('Client', 'both', ClientEventPayloadSchema),
  agent_created: row<AgentEventPayload>('Agent', 'not shown', AgentEventPayloadSchema),
  agent_updated: row<AgentEventPayload>('Agent', 'not shown', AgentEventPayloadSchema),
  conversation_updated: row<ConversationUpdatedPayload>(
    'Conversation',
    'not shown',
    ConversationUpdatedPayloadSchema,
  ),
});

/** The event types this version knows. */
export type WebhookEventType = keyof typeof webhookEvents;

/** The payload of an event type: `WebhookPayloadOf<'lead_captured'>` is {@link LeadCapturedPayload}. */
export type WebhookPayloadOf<Type extends WebhookEventType> = PayloadIn<(typeof webhookEvents)[Type]>;

/** The event of a type: `WebhookEventOf<'lead_captured'>`. */
export type WebhookEventOf<Type extends WebhookEventType> = Type extends WebhookEventType
  ? {
      /** The event type. */
      readonly type: Type;
      /** The payload as sent, less `workspaceSecret`. Fields the document does not list are kept. */
      readonly payload: WebhookPayloadOf<Type>;
      /** Whose secret it was, where the secrets were named. */
      readonly workspace?: string;
    }
  : never;

/** A verified event of any type: `switch (event.type)` narrows the payload. */
export type WebhookEvent = WebhookEventOf<WebhookEventType>;

/** Tells whether this version knows an event type. */
export function isWebhookEventType(type: string): type is WebhookEventType {
  return Object.hasOwn(webhookEvents, type);
}
