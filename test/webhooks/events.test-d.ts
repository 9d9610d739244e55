import type {
  AgentEventPayload,
  AgentEventPayloadSchema,
  BugReportedPayload,
  BugReportedPayloadSchema,
  ChatDelegatedPayload,
  ChatDelegatedPayloadSchema,
  ClientEventPayload,
  ClientEventPayloadSchema,
  ConversationUpdatedPayload,
  ConversationUpdatedPayloadSchema,
  EventChannel,
  FormSubmittedPayload,
  FormSubmittedPayloadSchema,
  LeadCapturedPayload,
  LeadCapturedPayloadSchema,
  MessageChannel,
  MessageReceivedPayload,
  MessageReceivedPayloadSchema,
  OrganisationEventPayload,
  OrganisationEventPayloadSchema,
  WebhookDelivery,
  WebhookEvent,
  WebhookEventOf,
  WebhookEventType,
  WebhookPayloadOf,
  WebhookTestPayload,
  WebhookTestPayloadSchema,
  webhookDeliverySchema,
  webhookEvents,
} from 'agent-platform-sdk';
import type * as z from 'zod/v4/mini';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2
    ? (<T>() => T extends Required<A> ? 1 : 2) extends <T>() => T extends Required<B> ? 1 : 2
      ? true
      : false
    : false;

/** Compiles only where the two are one type. */
type Holds<T extends true> = T;
/** Flattens a type, so that an interface and what is inferred can be compared field by field. */
type Flat<T> = { [Key in keyof T]: T[Key] };

export type SchemasEqualTheirInterfaces = [
  Holds<Equal<Flat<z.infer<typeof AgentEventPayloadSchema>>, Flat<AgentEventPayload>>>,
  Holds<Equal<Flat<z.infer<typeof BugReportedPayloadSchema>>, Flat<BugReportedPayload>>>,
  Holds<Equal<Flat<z.infer<typeof ChatDelegatedPayloadSchema>>, Flat<ChatDelegatedPayload>>>,
  Holds<Equal<Flat<z.infer<typeof ClientEventPayloadSchema>>, Flat<ClientEventPayload>>>,
  Holds<Equal<Flat<z.infer<typeof ConversationUpdatedPayloadSchema>>, Flat<ConversationUpdatedPayload>>>,
  Holds<Equal<Flat<z.infer<typeof FormSubmittedPayloadSchema>>, Flat<FormSubmittedPayload>>>,
  Holds<Equal<Flat<z.infer<typeof LeadCapturedPayloadSchema>>, Flat<LeadCapturedPayload>>>,
  Holds<Equal<Flat<z.infer<typeof MessageReceivedPayloadSchema>>, Flat<MessageReceivedPayload>>>,
  Holds<Equal<Flat<z.infer<typeof OrganisationEventPayloadSchema>>, Flat<OrganisationEventPayload>>>,
  Holds<Equal<Flat<z.infer<typeof WebhookTestPayloadSchema>>, Flat<WebhookTestPayload>>>,
];

// @ts-expect-error The comparison itself tells an optional field from a required one.
export type ComparisonWorks = Holds<Equal<{ a?: string | undefined }, { a: string | undefined }>>;

export type PayloadsOfTheTable = [
  Holds<Equal<WebhookPayloadOf<'lead_captured'>, LeadCapturedPayload>>,
  Holds<Equal<WebhookPayloadOf<'agent_created' | 'agent_deleted'>, AgentEventPayload>>,
  Holds<Equal<WebhookPayloadOf<'message_received'>['channel'], MessageChannel>>,
  Holds<Equal<WebhookPayloadOf<'bug_reported'>['channel'], EventChannel>>,
  Holds<Equal<WebhookPayloadOf<'conversation_updated'>['channel'], string | undefined>>,
  Holds<Equal<WebhookEvent['type'], WebhookEventType>>,
];

type Lead = (typeof webhookEvents)['lead_captured'];

export type FactsOfTheTable = [
  Holds<Equal<Lead['channels'], readonly EventChannel[]>>,
  Holds<Equal<(typeof webhookEvents)['message_received']['channels'], readonly MessageChannel[]>>,
  Holds<Equal<(typeof webhookEvents)['webhook_test']['channels'], undefined>>,
];

type LeadDelivery = WebhookDelivery<'lead_captured'>;

export type DeliveryAsPosted = [
  Holds<Equal<z.infer<ReturnType<typeof webhookDeliverySchema<'lead_captured'>>>, LeadDelivery>>,
  Holds<Equal<LeadDelivery['type'], 'lead_captured'>>,
  Holds<Equal<Flat<LeadDelivery['payload']>, Flat<LeadCapturedPayload & { workspaceSecret: string }>>>,
];

export function narrowsByTypeAsPosted(delivery: WebhookDelivery): string | undefined {
  return delivery.type === 'lead_captured' ? delivery.payload.leadEmail : delivery.payload.workspaceSecret;
}

export function narrowsByType(event: WebhookEvent): string | undefined {
  switch (event.type) {
    case 'lead_captured': {
      const lead: LeadCapturedPayload = event.payload;
      return lead.leadEmail;
    }
    case 'webhook_test':
      return event.payload.message;
    default:
      // @ts-expect-error Not every event has a lead.
      return event.payload.leadEmail;
  }
}

export function distributes(event: WebhookEventOf<'webhook_test' | 'message_received'>): string {
  return event.type === 'webhook_test' ? event.payload.message : event.payload.messageContent;
}

// @ts-expect-error A misspelt field of an open payload does not compile.
export const misspelt = (event: WebhookEventOf<'lead_captured'>) => event.payload.leadEmial;
// @ts-expect-error The secret is no part of a payload.
export const secret = (event: WebhookEventOf<'lead_captured'>) => event.payload.workspaceSecret;
