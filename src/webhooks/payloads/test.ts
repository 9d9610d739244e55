import { requiredText } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt } from './leaf.js';

/** Payload of `webhook_test` (document, 6.3), which verifies that a receiver is reachable and configured. */
export interface WebhookTestPayload {
  /** A text from the service. */
  message: string;
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link WebhookTestPayload}. */
export const WebhookTestPayloadSchema = openObject({ message: requiredText, createdAt });
