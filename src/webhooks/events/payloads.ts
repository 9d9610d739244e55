import * as z from 'zod/v4/mini';
import { anythings, requiredDictionary, requiredNumber, requiredText, text } from '../../schemas/fields.js';
import { openObject } from '../../schemas/object.js';
import * as values from '../../schemas/values.js';
import type { Region } from '../../utils/regions.js';

// The payloads of the events. The specification gives names and types of their fields (6.3); meanings are read from
// the names. It doesn't describe formats of strings, nor contents of open objects and lists. The doc comments are
// the words of openapi.json, up to their first tag.

/** In every payload: milliseconds since the Unix epoch (specification, 6.1). */
const createdAt = requiredNumber;

/** The values that the specification lists for the `operation` of an event (6.3): a closed list. */
/* @__NO_SIDE_EFFECTS__ */
function operation<const Values extends readonly values.EventOperation[]>(...operations: Values) {
  return z.enum(operations);
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
  channel: values.MessageChannel;
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
  channel: values.MessageChannelSchema,
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
  channel: values.EventChannel;
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
  channel: values.EventChannelSchema,
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
  channel: values.EventChannel;
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
  channel: values.EventChannelSchema,
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
  agentPlatform?: values.EventAgentPlatform | undefined;
  /** Operation. All three values are listed for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link AgentEventPayload}. */
export const AgentEventPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  agentPlatform: z.optional(values.EventAgentPlatformSchema),
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
  channel: values.EventChannel;
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
  channel: values.EventChannelSchema,
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
  formType: values.FormType;
  /** Data of the form, as key-value pairs. */
  formData: Record<string, unknown>;
  /** Channel (Set B). */
  channel: values.EventChannel;
  /** Timestamp, in milliseconds since the Unix epoch. The API specification doesn't say of what. */
  createdAt: number;
}

/** Schema of {@link FormSubmittedPayload}. */
export const FormSubmittedPayloadSchema = /* @__PURE__ */ openObject(() => ({
  agentId: requiredText,
  agentName: text,
  convoId: requiredText,
  formType: values.FormTypeSchema,
  formData: requiredDictionary,
  channel: values.EventChannelSchema,
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
  region: z.optional(values.RegionSchema),
  lightConvoData: requiredDictionary,
  turns: z.array(z.unknown()),
  messagesHistory: anythings,
  operation: operation('updated'),
  createdAt,
}));
