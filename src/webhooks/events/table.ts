import type * as z from 'zod/v4/mini';
import { EventChannelSchema, MessageChannelSchema } from '../../schemas/values.js';
import * as payloads from './payloads.js';

// The events of the service as data. A new event is its payload in `payloads.ts`, its line in `WebhookEvents` and
// its row in `webhookEvents`; the compiler then asks for its fixture.

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

/**
 * The payload of each event type, for the compiler, which holds `webhookEvents` to it. It is written out:
 * inferred from the schemas, it would cost every program that is compiled against this package two thousand
 * instantiations of Zod's types.
 */
export interface WebhookEvents {
  message_received: payloads.MessageReceivedPayload;
  chat_delegated: payloads.ChatDelegatedPayload;
  bug_reported: payloads.BugReportedPayload;
  agent_deleted: payloads.AgentEventPayload;
  webhook_test: payloads.WebhookTestPayload;
  lead_captured: payloads.LeadCapturedPayload;
  form_submitted: payloads.FormSubmittedPayload;
  organisation_created: payloads.OrganisationEventPayload;
  organisation_updated: payloads.OrganisationEventPayload;
  organisation_deleted: payloads.OrganisationEventPayload;
  client_created: payloads.ClientEventPayload;
  client_updated: payloads.ClientEventPayload;
  client_deleted: payloads.ClientEventPayload;
  agent_created: payloads.AgentEventPayload;
  agent_updated: payloads.AgentEventPayload;
  conversation_updated: payloads.ConversationUpdatedPayload;
}

/** The event types that this version knows. */
// With `keyof` alone, the compiler's messages say `keyof WebhookEvents`.
export type WebhookEventType = Extract<keyof WebhookEvents, string>;

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
 * or an API that the specification doesn't describe (6.4). Nor does it say whether other types or
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
  message_received: row(
    'Message',
    'both',
    payloads.MessageReceivedPayloadSchema,
    MessageChannelSchema.options,
  ),
  chat_delegated: row('Chat', 'both', payloads.ChatDelegatedPayloadSchema, EventChannelSchema.options),
  bug_reported: row('Bug', 'both', payloads.BugReportedPayloadSchema, EventChannelSchema.options),
  agent_deleted: row('Agent', 'both', payloads.AgentEventPayloadSchema),
  webhook_test: row('Test', 'both', payloads.WebhookTestPayloadSchema),
  lead_captured: row('Lead', 'native', payloads.LeadCapturedPayloadSchema, EventChannelSchema.options),
  form_submitted: row('Form', 'native', payloads.FormSubmittedPayloadSchema, EventChannelSchema.options),
  organisation_created: row('Organisation', 'both', payloads.OrganisationEventPayloadSchema),
  organisation_updated: row('Organisation', 'both', payloads.OrganisationEventPayloadSchema),
  organisation_deleted: row('Organisation', 'both', payloads.OrganisationEventPayloadSchema),
  client_created: row('Client', 'both', payloads.ClientEventPayloadSchema),
  client_updated: row('Client', 'both', payloads.ClientEventPayloadSchema),
  client_deleted: row('Client', 'both', payloads.ClientEventPayloadSchema),
  agent_created: row('Agent', 'not shown', payloads.AgentEventPayloadSchema),
  agent_updated: row('Agent', 'not shown', payloads.AgentEventPayloadSchema),
  conversation_updated: row('Conversation', 'not shown', payloads.ConversationUpdatedPayloadSchema),
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
