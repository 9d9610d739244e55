import * as z from 'zod/mini';
import { requiredText } from '../schemas/leaf.js';
import { openObject } from '../schemas/object.js';
import { type WebhookEventType, type WebhookPayloadOf, webhookEvents } from './events.js';

/** A delivery of one event type as the service posts it (specification, 6.1): with the secret, before it is verified. */
export interface WebhookEnvelope<Type extends WebhookEventType = WebhookEventType> {
  /** The event type. */
  type: Type;
  /** The payload as it is posted. */
  payload: WebhookPayloadOf<Type> & {
    /** The workspace secret, to be verified by the receiver. An API token as well: `redact()` masks it. */
    workspaceSecret: string;
  };
}

/** The schema of the envelope of one event type. */
export type WebhookEnvelopeSchema<Type extends WebhookEventType> = z.ZodMiniObject<
  {
    /** The type of the event. */
    type: z.ZodMiniLiteral<Type>;
    /** The payload of that type, with `workspaceSecret`. */
    payload: z.ZodMiniType<WebhookEnvelope<Type>['payload'], WebhookEnvelope<Type>['payload']>;
  },
  z.core.$strip
>;

/** One of the schemas of the envelopes, of whichever event type. */
export type EachWebhookEnvelopeSchema = {
  [Type in WebhookEventType]: WebhookEnvelopeSchema<Type>;
}[WebhookEventType];

/** The schema of the envelopes of all event types, which `type` tells apart. */
export type AnyWebhookEnvelopeSchema = z.ZodMiniDiscriminatedUnion<
  [EachWebhookEnvelopeSchema, ...EachWebhookEnvelopeSchema[]],
  'type'
>;

/**
 * Makes the schema of a whole delivery `{ type, payload }` (specification, 6.1), `workspaceSecret` included: of one event type,
 * or of all sixteen, told apart by `type`. For programs that hold deliveries as they were posted: a gateway, a test, a schema
 * registry. It verifies nothing; a receiver does, and validates the payload too.
 *
 * @example
 * ```ts
 * import { webhookEnvelopeSchema } from 'agent-platform-sdk';
 * import * as z from 'zod';
 *
 * const LeadCaptured = webhookEnvelopeSchema('lead_captured');
 * const Delivery = webhookEnvelopeSchema();
 *
 * export function channelOf(body: unknown): string | undefined {
 *   const delivery = z.object({ body: Delivery }).parse({ body }).body;
 *   return delivery.type === 'lead_captured' ? delivery.payload.channel : undefined;
 * }
 * console.log(z.toJSONSchema(LeadCaptured));
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function webhookEnvelopeSchema<Type extends WebhookEventType>(type: Type): WebhookEnvelopeSchema<Type>;
export function webhookEnvelopeSchema(): AnyWebhookEnvelopeSchema;
export function webhookEnvelopeSchema(
  type?: WebhookEventType,
): WebhookEnvelopeSchema<WebhookEventType> | AnyWebhookEnvelopeSchema {
  if (type !== undefined) return envelopeOf(type);
  const types = Object.keys(webhookEvents) as WebhookEventType[];
  // One for each row of the table, which has some.
  const schemas = types.map((each) => envelopeOf(each)) as [
    EachWebhookEnvelopeSchema,
    ...EachWebhookEnvelopeSchema[],
  ];
  return z.discriminatedUnion('type', schemas);
}

function envelopeOf<Type extends WebhookEventType>(type: Type): WebhookEnvelopeSchema<Type> {
  if (!Object.hasOwn(webhookEvents, type)) throw new TypeError(`There is no event type ${type as string}.`);
  // Every payload of the table is an object; its row says so by its fields alone.
  const { shape } = webhookEvents[type].payload as unknown as z.ZodMiniObject;
  const payload = openObject(() => ({ ...shape, workspaceSecret: requiredText }));
  // The payload has the type of its interface, which the compiler holds equal to the schema.
  return openObject(() => ({ type: z.literal(type), payload })) as unknown as WebhookEnvelopeSchema<Type>;
}
