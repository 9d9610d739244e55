import { UnknownEventError, WebhookPayloadError } from '../errors/index.js';
import { type Issue, wrongType } from '../ground/issues.js';
import type { DriftReporter } from '../validation/drift.js';
import { type ValidationMode, validateOwn } from '../validation/validate.js';
import type { VerifiedDelivery } from './envelope.js';
import { isWebhookEventType, type WebhookEvent, webhookEvents } from './events.js';

/** A verified event of a type that this version does not know, as sent, less the secret. */
export type UnknownWebhookEvent = UnknownEventError['event'];

/** A verified delivery that is no event of the document: no type, or a payload that does not fit 6.3. */
export interface InvalidWebhookEvent {
  /** `type` of the envelope; undefined where it was missing or no string. */
  readonly type: string | undefined;
  /** The payload as sent, less `workspaceSecret`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** Whose secret it was, where the secrets were named. */
  readonly workspace?: string;
  /** Each issue, with its path in the envelope. */
  readonly issues: readonly Issue[];
  /** The same as an error, ready to be thrown or reported. */
  readonly error: WebhookPayloadError;
}

/** What a verified delivery turned out to be. */
export type Reading =
  | { readonly kind: 'event'; readonly event: WebhookEvent; readonly drift: readonly Issue[] }
  | { readonly kind: 'unknown'; readonly event: UnknownWebhookEvent; readonly error: UnknownEventError }
  | { readonly kind: 'invalid'; readonly event: InvalidWebhookEvent };

/** How strictly payloads are validated, and who is told of drift. */
export interface ReadingSettings {
  readonly validation: ValidationMode;
  readonly drift: DriftReporter;
}

/** Holds a verified delivery against the table of events. */
function readDelivery(delivery: VerifiedDelivery, mode: ValidationMode): Reading {
  const { type, payload } = delivery;
  if (typeof type !== 'string') return invalid(delivery, undefined, [missingType(type)]);
  if (!isWebhookEventType(type)) {
    const event = { type, payload, ...workspaceOf(delivery) };
    return { kind: 'unknown', event, error: new UnknownEventError(event, delivery.label) };
  }
  const verdict = validateOwn(webhookEvents[type].payload, payload, mode);
  if (!verdict.ok) return invalid(delivery, type, verdict.issues.map(insidePayload));
  // The schema of this type has accepted the payload, or the mode says that it is to be trusted.
  const event = { type, payload, ...workspaceOf(delivery) } as unknown as WebhookEvent;
  return { kind: 'event', event, drift: verdict.drift.map(insidePayload) };
}

/** Holds a verified delivery against the table of events, and reports the drift that was forgiven. */
export function readAndReport(delivery: VerifiedDelivery, { validation, drift }: ReadingSettings): Reading {
  const reading = readDelivery(delivery, validation);
  if (reading.kind === 'event' && reading.drift.length > 0) {
    void drift.report({ source: reading.event.type, region: undefined, issues: reading.drift });
  }
  return reading;
}

function invalid(delivery: VerifiedDelivery, type: string | undefined, issues: readonly Issue[]): Reading {
  const error = new WebhookPayloadError(`The webhook ${delivery.label} does not fit the document (6.3)`, {
    issues,
  });
  return {
    kind: 'invalid',
    event: { type, payload: delivery.payload, ...workspaceOf(delivery), issues, error },
  };
}

/** The workspace as a field of an event, which has none where the secrets were not named. */
export function workspaceOf({ workspace }: { readonly workspace?: string | undefined }): {
  readonly workspace?: string;
} {
  return workspace === undefined ? {} : { workspace };
}

function missingType(type: unknown): Issue {
  return { path: ['type'], code: 'invalid_type', message: wrongType('string', type) };
}

function insidePayload(issue: Issue): Issue {
  return { ...issue, path: ['payload', ...issue.path] };
}
