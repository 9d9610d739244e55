import * as z from 'zod/mini';
import { anythings, requiredDictionary, requiredNumber, requiredText, text } from '../../schemas/fields.js';
import { openObject } from '../../schemas/object.js';
import {
  type EventAgentPlatform,
  EventAgentPlatformSchema,
  type EventChannel,
  EventChannelSchema,
  type EventOperation,
  type FormType,
  FormTypeSchema,
  type MessageChannel,
  MessageChannelSchema,
  RegionSchema,
} from '../../schemas/values.js';
import type { Region } from '../../utils/regions.js';
import { checkName } from '../../validation/check-options.js';

// The events of the service as data. A new event is its payload, its line in `WebhookEvents` and its row in
// `webhookEvents`; the compiler then asks for its fixture.
//
// The specification gives names and types of the payload fields (6.3); meanings are read from the names.
// It doesn't describe formats of strings, nor contents of open objects and lists. The doc comments of payloads
// are the words of openapi.json, up to their first tag.

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

/** In every payload: milliseconds since the Unix epoch (specification, 6.1). */
const createdAt = requiredNumber;

/** The values that the specification lists for the `operation` of an event (6.3): a closed list. */
/* @__NO_SIDE_EFFECTS__ */
function operation<const Values extends readonly EventOperation[]>(...values: Values) {
  return z.enum(values);
}

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
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
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
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
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
  operation: operation('delegated'),
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
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
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
  operation: operation('reported'),
  createdAt,
}));

/** Payload of `agent_created`, `agent_updated` and `agent_deleted` (specification, 6.3). */
export interface AgentEventPayload {
  /** Agent id. */
  agentId: string;
  /** Agent name. */
  agentName?: string | undefined;
  /** Platform of the agent. The API specification doesn't say which code is which. */
  agentPlatform?: EventAgentPlatform | undefined;
  /** Operation. All three values are listed for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link AgentEventPayload}. */
export const AgentEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  agentPlatform: z.optional(EventAgentPlatformSchema),
  operation: operation('created', 'updated', 'deleted'),
  createdAt,
}));

/**
 * Payload of `webhook_test`, which verifies that a receiver is reachable and configured (specification, 6.3).
 */
export interface WebhookTestPayload {
  /** Message of the test. */
  message: string;
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
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
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
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
  operation: operation('captured'),
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
  formType: FormType;
  /** Data of the form, as key-value pairs. */
  formData: Record<string, unknown>;
  /** Channel (Set B). */
  channel: EventChannel;
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link FormSubmittedPayload}. */
export const FormSubmittedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  formType: FormTypeSchema,
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
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link OrganisationEventPayload}. */
export const OrganisationEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  organisationId: requiredText,
  organisationName: text,
  operation: operation('created', 'updated', 'deleted'),
  createdAt,
}));

/** Payload of `client_created`, `client_updated` and `client_deleted` (specification, 6.3). */
export interface ClientEventPayload {
  /** Organisation id. */
  organisationId: string;
  /** Organisation name. */
  organisationName?: string | undefined;
  /** Client id. That it is the `ID` of an `OrgClient` is an assumption. */
  clientId: string;
  /** Client name. */
  clientName?: string | undefined;
  /** Client email. */
  clientEmail?: string | undefined;
  /** Operation. All three values are listed for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link ClientEventPayload}. */
export const ClientEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  organisationId: requiredText,
  organisationName: text,
  clientId: requiredText,
  clientName: text,
  clientEmail: text,
  operation: operation('created', 'updated', 'deleted'),
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
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link ConversationUpdatedPayload}. */
export const ConversationUpdatedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  sessionId: text,
  channel: text,
  region: z.optional(RegionSchema),
  lightConvoData: requiredDictionary,
  turns: z.array(z.unknown()),
  messagesHistory: anythings,
  operation: operation('updated'),
  createdAt,
}));

/**
 * The payload of each event type, for the compiler, which holds `webhookEvents` to it. It is written out:
 * inferred from the schemas, it would cost every program that is compiled against this package two thousand
 * instantiations of Zod's types.
 */
export interface WebhookEvents {
  message_received: MessageReceivedPayload;
  chat_delegated: ChatDelegatedPayload;
  bug_reported: BugReportedPayload;
  agent_deleted: AgentEventPayload;
  webhook_test: WebhookTestPayload;
  lead_captured: LeadCapturedPayload;
  form_submitted: FormSubmittedPayload;
  organisation_created: OrganisationEventPayload;
  organisation_updated: OrganisationEventPayload;
  organisation_deleted: OrganisationEventPayload;
  client_created: ClientEventPayload;
  client_updated: ClientEventPayload;
  client_deleted: ClientEventPayload;
  agent_created: AgentEventPayload;
  agent_updated: AgentEventPayload;
  conversation_updated: ConversationUpdatedPayload;
}

/** The event types that this version knows. */
export type WebhookEventType = keyof WebhookEvents;

/** The payload of an event type: `WebhookPayloadOf<'lead_captured'>` is {@link LeadCapturedPayload}. */
export type WebhookPayloadOf<Type extends WebhookEventType> = WebhookEvents[Type];

/** A verified event of a type, as passed to handlers and returned by `parseWebhook`. */
export type WebhookEventOf<Type extends WebhookEventType> = {
  [One in Type]: {
    /** The event type. */
    readonly type: One;
    /** The payload as sent, without `workspaceSecret`. Unlisted fields are kept. */
    readonly payload: WebhookPayloadOf<One>;
    /** The name of the workspace that sent it; absent if the secrets have no names. */
    readonly workspace?: string;
  };
}[Type];

/** A verified event of any type: `switch (event.type)` narrows the payload. */
export type WebhookEvent = WebhookEventOf<WebhookEventType>;

/** One event type as data. */
export interface WebhookEventDefinition<Type extends WebhookEventType = WebhookEventType> {
  /** `type` of the envelope. */
  readonly type: Type;
  /** Category in the specification's table (6.2). */
  readonly category: WebhookEventCategory;
  /** The agent platforms that support it (6.2). */
  readonly platforms: WebhookEventPlatforms;
  /** The values of `channel`: Set A or Set B. Undefined if the specification lists none for it (6.3). */
  readonly channels: WebhookPayloadOf<Type> extends { channel: infer Channel extends string }
    ? readonly Channel[]
    : undefined;
  /** Schema of the payload without `workspaceSecret`, which is removed after it is verified. */
  readonly payload: z.ZodMiniType<WebhookPayloadOf<Type>, WebhookPayloadOf<Type>>;
}

type Table = { readonly [Type in WebhookEventType]: WebhookEventDefinition<Type> };
type Rows = { readonly [Type in WebhookEventType]: Omit<Table[Type], 'type'> };

function row<Payload, Channels = undefined>(
  category: WebhookEventCategory,
  platforms: WebhookEventPlatforms,
  payload: z.ZodMiniType<Payload, Payload>,
  channels?: Channels,
) {
  return { category, platforms, payload, channels: channels as Channels };
}

function table(rows: () => Rows): Table {
  const entries = Object.entries(rows()).map(([type, about]) => [type, { type, ...about }]);
  // `Object.fromEntries` forgets the keys (lib.es2019.object.d.ts, TypeScript 5.9).
  return Object.fromEntries(entries) as Table;
}

/**
 * Describes each event type: category, agent platforms, channels and payload (specification, 6.2, 6.3).
 *
 * Only the events a receiver is subscribed to are sent (6.2). Subscriptions are changed through the dashboard
 * or an API that the specification doesn't describe (6.4). It doesn't say either whether other types or
 * channels will be sent.
 *
 * @remarks The event types, the receiver, the fake and openapi.json all read this table.
 *
 * @example
 * ```ts
 * import { webhookEvents } from 'agent-platform-sdk';
 *
 * webhookEvents.lead_captured.platforms; // 'native'
 * webhookEvents.message_received.channels; // ['whatsapp', 'instagram', …]
 * Object.keys(webhookEvents); // ['message_received', 'chat_delegated', …]
 * ```
 */
export const webhookEvents = /* @__PURE__ */ table(() => ({
  message_received: row('Message', 'both', MessageReceivedPayloadSchema, MessageChannelSchema.options),
  chat_delegated: row('Chat', 'both', ChatDelegatedPayloadSchema, EventChannelSchema.options),
  bug_reported: row('Bug', 'both', BugReportedPayloadSchema, EventChannelSchema.options),
  agent_deleted: row('Agent', 'both', AgentEventPayloadSchema),
  webhook_test: row('Test', 'both', WebhookTestPayloadSchema),
  lead_captured: row('Lead', 'native', LeadCapturedPayloadSchema, EventChannelSchema.options),
  form_submitted: row('Form', 'native', FormSubmittedPayloadSchema, EventChannelSchema.options),
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

/** A delivery of any type as the service posts it, before verification (specification, 6.1). */
export interface WebhookEnvelope {
  /** The event type. */
  type: string;
  /** The payload as posted. */
  payload: {
    /** Timestamp, in milliseconds since the Unix epoch. */
    createdAt: number;
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
 * Validates a {@link WebhookEnvelope}, for programs that keep deliveries as posted, such as gateways.
 * It does not verify the secret.
 */
export const WebhookEnvelopeSchema: z.ZodMiniType<WebhookEnvelope, WebhookEnvelope> =
  /* @__PURE__ */ openObject(() => ({
    type: requiredText,
    payload: z.looseObject({ createdAt, workspaceSecret: requiredText }),
  }));

/** A delivery of a type, or of any known one, as the service posts it: `WebhookDelivery<'lead_captured'>`. */
export type WebhookDelivery<Type extends WebhookEventType = WebhookEventType> = {
  [One in Type]: {
    /** The event type. */
    type: One;
    /** The fields of the event and, as in {@link WebhookEnvelope}, the workspace secret. */
    payload: WebhookPayloadOf<One> & Pick<WebhookEnvelope['payload'], 'workspaceSecret'>;
  };
}[Type];

/**
 * Returns the schema of {@link WebhookDelivery}. It does not verify the secret.
 *
 * @throws {ConfigurationError} If this version does not know the type.
 *
 * @example
 * ```ts
 * import { type WebhookDelivery, webhookDeliverySchema } from 'agent-platform-sdk';
 *
 * export function readRecording(text: string): WebhookDelivery<'lead_captured'> {
 *   return webhookDeliverySchema('lead_captured').parse(JSON.parse(text));
 * }
 * ```
 */
export function webhookDeliverySchema<Type extends WebhookEventType>(
  type: Type,
): z.ZodMiniType<WebhookDelivery<Type>, WebhookDelivery<Type>> {
  checkName('event type', type, Object.keys(webhookEvents));
  // The schemas in the table are those above, all of objects.
  const { shape } = webhookEvents[type].payload as unknown as z.ZodMiniObject;
  const schema = openObject(() => ({
    type: z.enum([type]),
    payload: openObject(() => ({ ...shape, workspaceSecret: requiredText })),
  }));
  // The compiler forgets which shape it is.
  return schema as unknown as z.ZodMiniType<WebhookDelivery<Type>, WebhookDelivery<Type>>;
}
