import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt, lifecycleOperation } from './leaf.js';

/** Payload of `client_created`, `client_updated` and `client_deleted` (document, 6.3). */
export interface ClientEventPayload {
  /** Id of the organisation that the client belongs to. */
  organisationId: string;
  /** Organisation name. */
  organisationName?: string | undefined;
  /** Client id: the `ID` of an `OrgClient`. */
  clientId: string;
  /** Client name. */
  clientName?: string | undefined;
  /** Client email. */
  clientEmail?: string | undefined;
  /** What happened. The document lists the three values for the group, not one for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link ClientEventPayload}. */
export const ClientEventPayloadSchema = openObject({
  organisationId: requiredText,
  organisationName: text,
  clientId: requiredText,
  clientName: text,
  clientEmail: text,
  operation: lifecycleOperation,
  createdAt,
});
