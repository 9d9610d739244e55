import * as z from 'zod/mini';
import {
  type EventChannel,
  EventChannelSchema,
  type MessageChannel,
  MessageChannelSchema,
} from '../schemas/channel.js';
import { anythings, requiredDictionary, requiredText, text } from '../schemas/fields.js';
import { openObject } from '../schemas/object.js';
import { REGIONS, type Region } from '../utils/regions.js';

// The events of the service as data. A new event is its payload, its line in `WebhookEvents` and its row in
// `webhookEvents`; the compiler then asks for its fixture.
//
// The specification gives names and types of the payload fields (6.3); meanings are read from the names.
// Formats of strings and contents of open objects and lists are not shown. The doc comments of payloads are
// the words of openapi.json, up to their first tag.

/** The categories of the specification's table of events (6.2). */
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

/** The agent platforms that support an event (specification, 6.2). */
export type WebhookEventPlatforms = 'both' | 'native' | 'not shown';

/** One event type as data. */
export interface WebhookEventDefinition<Type extends string = string, Payload = unknown> {
  /** `type` of the envelope. */
  readonly type: Type;
  /** Category in the specification's table. */
  readonly category: WebhookEventCategory;
  /** The agent platforms that support it. */
  readonly platforms: WebhookEventPlatforms;
  /** Schema of the payload without `workspaceSecret`, which is removed after it is verified. */
  readonly payload: z.ZodMiniType<Payload, Payload>;
}

/** A verified event, as passed to handlers and returned by `parseWebhook`. */
export interface ReceivedEvent<Type extends string, Payload> {
  /** The event type. */
  readonly type: Type;
  /** The payload as sent, without `workspaceSecret`. Unlisted fields are kept. */
  readonly payload: Payload;
  /** The name of the workspace that sent it; absent if the secrets have no names. */
  readonly workspace?: string;
}

/** A delivery as the service posts it (specification, 6.1), before it is verified. */
export interface WebhookEnvelope {
  /** The event type. */
  type: string;
  /** The payload as posted. */
  payload: {
    /**
     * The workspace secret, with which a receiver verifies the delivery. It is an API token as well.
     *
     * @remarks `redact()` masks it.
     */
    workspaceSecret: string;
    /** The fields of the event. */
    [field: string]: unknown;
  };
}

/**
 * Schema of {@link WebhookEnvelope}, for programs that keep deliveries as posted, such as gateways and tests.
 * It does not verify the secret.
 */
export const WebhookEnvelopeSchema: z.ZodMiniType<WebhookEnvelope, WebhookEnvelope> =
  /* @__PURE__ */ openObject(() => ({
    type: requiredText,
    payload: z.looseObject({ workspaceSecret: requiredText }),
  }));

/** In every payload: milliseconds since the Unix epoch (specification, 6.1). */
const createdAt = /* @__PURE__ */ z.number();
/** The `operation` of agent, organisation and client events: a closed list (specification, 6.3). */
const lifecycleOperation = /* @__PURE__ */ z.enum(['created', 'updated', 'deleted']);

/** Payload of `message_received` (specification, 6.3). */
export interface MessageReceivedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** Content of the message. */
  messageContent: string;
  /** Channel of the message (Set A). */
  channel: MessageChannel;
  /** Type of the message. */
  messageType?: string | undefined;
  /** Sender of the message. */
  from?: string | undefined;
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link MessageReceivedPayload}. */
export const MessageReceivedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  messageContent: requiredText,
  channel: MessageChannelSchema,
  messageType: text,
  from: text,
  createdAt,
}));

/** Payload of `chat_delegated` (specification, 6.3). */
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
  /** Id of the user who delegated the chat. */
  delegatedByUserId?: string | undefined;
  /** Name of the user who delegated the chat. */
  delegatedByUserName?: string | undefined;
  /** Name of the customer. */
  customerName?: string | undefined;
  /** Email of the customer. */
  customerEmail?: string | undefined;
  /** Phone number of the customer. */
  customerPhone?: string | undefined;
  /** Channel of the chat (Set B). */
  channel: EventChannel;
  /** Operation. */
  operation: 'delegated';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link ChatDelegatedPayload}. */
export const ChatDelegatedPayloadSchema = /* @__PURE__ */ openObject(() => ({
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
}));

/** Payload of `bug_reported` (specification, 6.3). */
export interface BugReportedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** Description of the bug. */
  bugDescription: string;
  /** CDN URL of the screenshot. Only the URL is placed in the payload. */
  imageUrl?: string | undefined;
  /** Id of the user who reported the bug. */
  reportedByUserId?: string | undefined;
  /** Name of the user who reported the bug. */
  reportedByUserName?: string | undefined;
  /** Email of the user who reported the bug. */
  reportedByUserEmail?: string | undefined;
  /** Channel (Set B). */
  channel: EventChannel;
  /** Operation. */
  operation: 'reported';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link BugReportedPayload}. */
export const BugReportedPayloadSchema = /* @__PURE__ */ openObject(() => ({
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
}));

/** Payload of `agent_created`, `agent_updated` and `agent_deleted` (specification, 6.3). */
export interface AgentEventPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Platform of the agent. Which code stands for which platform is not shown. */
  agentPlatform?: 'vg' | 'vf' | undefined;
  /** Operation. All three values are listed for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link AgentEventPayload}. */
export const AgentEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  agentPlatform: z.optional(z.enum(['vg', 'vf'])),
  operation: lifecycleOperation,
  createdAt,
}));

/**
 * Payload of `webhook_test`, which verifies that a receiver is reachable and configured (specification, 6.3).
 */
export interface WebhookTestPayload {
  /** Message of the test. */
  message: string;
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link WebhookTestPayload}. */
export const WebhookTestPayloadSchema = /* @__PURE__ */ openObject(() => ({
  message: requiredText,
  createdAt,
}));

/**
 * Payload of `lead_captured` (specification, 6.3).
 *
 * Only the native platform sends it: it supports automatic lead collection (6.2).
 */
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
  /** Channel (Set B). */
  channel: EventChannel;
  /** Operation. */
  operation: 'captured';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link LeadCapturedPayload}. */
export const LeadCapturedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  leadName: text,
  leadEmail: text,
  leadPhone: text,
  channel: EventChannelSchema,
  operation: z.enum(['captured']),
  createdAt,
}));

/**
 * Payload of `form_submitted` (specification, 6.3).
 *
 * Only the native platform sends it: it supports UI-engine forms (6.2).
 */
export interface FormSubmittedPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Conversation id. */
  convoId: string;
  /** Type of the form. */
  formType: 'ui_engine_form' | 'ui_engine_input';
  /** Data of the form, as key-value pairs. */
  formData: Record<string, unknown>;
  /** Channel (Set B). */
  channel: EventChannel;
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link FormSubmittedPayload}. */
export const FormSubmittedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  formType: z.enum(['ui_engine_form', 'ui_engine_input']),
  formData: requiredDictionary,
  channel: EventChannelSchema,
  createdAt,
}));

/**
 * Payload of `organisation_created`, `organisation_updated` and `organisation_deleted` (specification, 6.3).
 */
export interface OrganisationEventPayload {
  /** Organisation id. */
  organisationId: string;
  /** Organisation name. */
  organisationName?: string | undefined;
  /** Operation. All three values are listed for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link OrganisationEventPayload}. */
export const OrganisationEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  organisationId: requiredText,
  organisationName: text,
  operation: lifecycleOperation,
  createdAt,
}));

/** Payload of `client_created`, `client_updated` and `client_deleted` (specification, 6.3). */
export interface ClientEventPayload {
  /** Organisation id. */
  organisationId: string;
  /** Organisation name. */
  organisationName?: string | undefined;
  /** Client id: the `ID` of an `OrgClient`. */
  clientId: string;
  /** Client name. */
  clientName?: string | undefined;
  /** Client email. */
  clientEmail?: string | undefined;
  /** Operation. All three values are listed for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link ClientEventPayload}. */
export const ClientEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  organisationId: requiredText,
  organisationName: text,
  clientId: requiredText,
  clientName: text,
  clientEmail: text,
  operation: lifecycleOperation,
  createdAt,
}));

/**
 * Payload of `conversation_updated`, which is sent after a conversation is persisted (specification, 6.3).
 *
 * It is posted to the subscriber, and also to the agent's `advanced.serverUrl` if that is configured.
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
  /** Channel of the conversation. No value set is given for this event. */
  channel?: string | undefined;
  /** Region of the workspace. */
  region?: Region | undefined;
  /** Light conversation metadata. */
  lightConvoData: Record<string, unknown>;
  /** Full chat history. */
  turns: unknown[];
  /** LLM message history, if available. */
  messagesHistory?: unknown[] | undefined;
  /** Operation. */
  operation: 'updated';
  /** Time of creation, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link ConversationUpdatedPayload}. */
export const ConversationUpdatedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  sessionId: text,
  channel: text,
  region: z.optional(z.enum(REGIONS)),
  lightConvoData: requiredDictionary,
  turns: z.array(z.unknown()),
  messagesHistory: anythings,
  operation: z.enum(['updated']),
  createdAt,
}));

/**
 * The event of each type. It is written out: inferred from the table of schemas, it would cost every program
 * that is compiled against this package two thousand instantiations of Zod's types.
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

/** The event types that this version knows. */
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

function row<Payload>(
  category: WebhookEventCategory,
  platforms: WebhookEventPlatforms,
  payload: z.ZodMiniType<Payload, Payload>,
): Omit<WebhookEventDefinition<string, Payload>, 'type'> {
  return { category, platforms, payload };
}

function table(rows: () => Rows): Table {
  const entries = Object.entries(rows()).map(([type, about]) => [type, { type, ...about }]);
  // `Object.fromEntries` forgets the keys (lib.es2019.object.d.ts, TypeScript 5.9).
  return Object.fromEntries(entries) as Table;
}

/**
 * The sixteen event types, with category, supporting agent platforms and schema of the payload
 * (specification, 6.2 and 6.3).
 *
 * Only the events a receiver is subscribed to are sent (6.2). Subscriptions are changed through the dashboard
 * or an API whose shape is not shown (6.4). Whether other types or channels will be sent is not shown either.
 *
 * @remarks The event types, the receiver, the fake and openapi.json all read this table.
 *
 * @example
 * ```ts
 * import { webhookEvents } from 'agent-platform-sdk';
 *
 * webhookEvents.lead_captured.platforms; // 'native'
 * Object.keys(webhookEvents); // ['message_received', 'chat_delegated', …]
 * ```
 */
export const webhookEvents = /* @__PURE__ */ table(() => ({
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
}));

/**
 * Whether this version knows an event type.
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
  // `Object.hasOwn` would convert a list of one name to the name.
  return typeof type === 'string' && Object.hasOwn(webhookEvents, type);
}
