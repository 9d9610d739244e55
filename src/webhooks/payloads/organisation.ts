import { requiredText, text } from '../../schemas/leaf.js';
import { openObject } from '../../schemas/object.js';
import { createdAt, lifecycleOperation } from './leaf.js';

/** Payload of `organisation_created`, `organisation_updated` and `organisation_deleted` (document, 6.3). */
export interface OrganisationEventPayload {
  /** Organisation id. */
  organisationId: string;
  /** Organisation name. */
  organisationName?: string | undefined;
  /** What happened. The document lists the three values for the group, not one for each event type. */
  operation: 'created' | 'updated' | 'deleted';
  /** When the event was created, in milliseconds since the Unix epoch. */
  createdAt: number;
}

/** Schema of {@link OrganisationEventPayload}. */
export const OrganisationEventPayloadSchema = openObject({
  organisationId: requiredText,
  organisationName: text,
  operation: lifecycleOperation,
  createdAt,
});
