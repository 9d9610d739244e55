import * as z from 'zod/v4/mini';
import { requiredNumber, requiredText } from '../../schemas/fields.js';
import { openObject } from '../../schemas/object.js';
import { checkName } from '../../validation/check-options.js';
import { type WebhookEventType, type WebhookPayloadOf, webhookEvents } from './table.js';

// Events as the service posts them.

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
    payload: z.looseObject({ createdAt: requiredNumber, workspaceSecret: requiredText }),
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
