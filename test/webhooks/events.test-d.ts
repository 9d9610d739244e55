import type * as sdk from 'agent-platform-sdk';
import type { WebhookDelivery, WebhookEvent, WebhookEventOf, WebhookPayloadOf } from 'agent-platform-sdk';
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

type IsOf<Schema, Payload> = Equal<Flat<z.infer<Schema>>, Flat<Payload>>;

export type SchemasEqualTheirInterfaces = [
  Holds<IsOf<typeof sdk.AgentEventPayloadSchema, sdk.AgentEventPayload>>,
  Holds<IsOf<typeof sdk.BugReportedPayloadSchema, sdk.BugReportedPayload>>,
  Holds<IsOf<typeof sdk.ChatDelegatedPayloadSchema, sdk.ChatDelegatedPayload>>,
  Holds<IsOf<typeof sdk.ClientEventPayloadSchema, sdk.ClientEventPayload>>,
  Holds<IsOf<typeof sdk.ConversationUpdatedPayloadSchema, sdk.ConversationUpdatedPayload>>,
  Holds<IsOf<typeof sdk.FormSubmittedPayloadSchema, sdk.FormSubmittedPayload>>,
  Holds<IsOf<typeof sdk.LeadCapturedPayloadSchema, sdk.LeadCapturedPayload>>,
  Holds<IsOf<typeof sdk.MessageReceivedPayloadSchema, sdk.MessageReceivedPayload>>,
  Holds<IsOf<typeof sdk.OrganisationEventPayloadSchema, sdk.OrganisationEventPayload>>,
  Holds<IsOf<typeof sdk.WebhookTestPayloadSchema, sdk.WebhookTestPayload>>,
];

// @ts-expect-error The comparison itself tells an optional field from a required one.
export type ComparisonWorks = Holds<Equal<{ a?: string | undefined }, { a: string | undefined }>>;

export type PayloadsOfTheTable = [
  Holds<Equal<WebhookPayloadOf<'lead_captured'>, sdk.LeadCapturedPayload>>,
  Holds<Equal<WebhookPayloadOf<'agent_created' | 'agent_deleted'>, sdk.AgentEventPayload>>,
  Holds<Equal<WebhookPayloadOf<'message_received'>['channel'], sdk.MessageChannel>>,
  Holds<Equal<WebhookPayloadOf<'bug_reported'>['channel'], sdk.EventChannel>>,
  Holds<Equal<WebhookPayloadOf<'conversation_updated'>['channel'], string | undefined>>,
  Holds<Equal<WebhookEvent['type'], sdk.WebhookEventType>>,
];

type Lead = (typeof sdk.webhookEvents)['lead_captured'];

export type FactsOfTheTable = [
  Holds<Equal<Lead['channels'], readonly sdk.EventChannel[]>>,
  Holds<Equal<(typeof sdk.webhookEvents)['message_received']['channels'], readonly sdk.MessageChannel[]>>,
  Holds<Equal<(typeof sdk.webhookEvents)['webhook_test']['channels'], undefined>>,
];

type LeadDelivery = WebhookDelivery<'lead_captured'>;

export type DeliveryAsPosted = [
  Holds<Equal<z.infer<ReturnType<typeof sdk.webhookDeliverySchema<'lead_captured'>>>, LeadDelivery>>,
  Holds<Equal<LeadDelivery['type'], 'lead_captured'>>,
  Holds<Equal<Flat<LeadDelivery['payload']>, Flat<sdk.LeadCapturedPayload & { workspaceSecret: string }>>>,
];

export function narrowsByTypeAsPosted(delivery: WebhookDelivery): string | undefined {
  return delivery.type === 'lead_captured' ? delivery.payload.leadEmail : delivery.payload.workspaceSecret;
}

export function narrowsByType(event: WebhookEvent): string | undefined {
  switch (event.type) {
    case 'lead_captured': {
      const lead: sdk.LeadCapturedPayload = event.payload;
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
