import { type UnknownEventError, WebhookPayloadError } from '../errors/index.js';
import { type Issue, MAX_ISSUES, wrongType } from '../utils/issues.js';
import type { DriftReporter } from '../validation/drift.js';
import { type ValidationMode, validateOwn } from '../validation/validate.js';
import type { AuthenticBody } from './authenticate.js';
import {
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventCategory,
  webhookEvents,
} from './events/table.js';

// From an authentic body to an event: remove the secret, validate.

/** An authentic body without its secret. Its event may still be of any type and shape. */
export interface VerifiedWebhook {
  readonly type: unknown;
  readonly payload: Record<string, unknown>;
  readonly workspace?: string;
}

/**
 * Any verified webhook: a known event, one of an unknown type, or an invalid one.
 */
export type ReceivedWebhook = WebhookEvent | UnknownWebhookEvent | InvalidWebhookEvent;

/** A verified event whose type this version does not know, without the secret. */
export type UnknownWebhookEvent = UnknownEventError['event'];

/**
 * A verified webhook that cannot be handled.
 *
 * It has no type, lacks the id of the agent, organisation or client that it is about, or does not match the API
 * specification in `validation: 'strict'`.
 */
export interface InvalidWebhookEvent {
  /** `type` of the envelope; undefined if it is missing or not a string. */
  readonly type: string | undefined;
  /** The payload as sent, without `workspaceSecret`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The name of the workspace that sent it, if the secrets are named. */
  readonly workspace?: string;
  /** Each issue, with its path in the envelope. */
  readonly issues: readonly Issue[];
  /** The same as an error, ready to be thrown or reported. */
  readonly error: WebhookPayloadError;
}

/** The settings by which events are validated. */
export interface EventValidation {
  readonly validation: ValidationMode;
  /** Receives the drift that the mode accepts. It never rejects. */
  readonly drift: Pick<DriftReporter, 'report'>;
}

/**
 * Removes the secret from an authentic body. What the caller passed in stays unchanged.
 *
 * Unknown fields of the envelope are never an error: the specification does not say that it is closed. An
 * event has no place for them, so that they are left out is reported as drift, by name.
 */
export function removeSecret(
  { type, payload, fields, owner }: AuthenticBody,
  { validation, drift }: EventValidation,
): VerifiedWebhook {
  const unknown = fields.filter((name) => name !== 'type' && name !== 'payload');
  if (unknown.length > 0 && validation !== 'off') {
    const issues = unknown
      .slice(0, MAX_ISSUES)
      .map((name): Issue => ({ path: [name], code: 'unrecognized_key', message: 'unknown field' }));
    const left = { source: labelOf(type, undefined), region: undefined, issues };
    void drift.report(left, 'has fields beside `type` and `payload`, which are not passed on');
  }
  const { workspaceSecret, ...rest } = payload;
  return { type, payload: rest, ...workspaceOf(owner) };
}

/** Whether a verified webhook has a type, as every event has. */
export function hasType(verified: VerifiedWebhook): verified is VerifiedWebhook & UnknownWebhookEvent {
  return typeof verified.type === 'string';
}

/** A webhook as handlers get it, and where it does not match the specification. */
export interface ValidatedWebhook {
  readonly event: ReceivedWebhook;
  readonly drift: readonly Issue[];
}

/** Validates a verified webhook against the table of events, and reports the drift that the mode accepts. */
export function toEvent(verified: VerifiedWebhook, { validation, drift }: EventValidation): ValidatedWebhook {
  const invalid = (type: string | undefined, issues: readonly Issue[]): ValidatedWebhook => ({
    event: invalidEvent(verified, type, issues),
    drift: [],
  });
  if (!hasType(verified)) {
    const issue = { path: ['type'], code: 'invalid_type', message: wrongType('string', verified.type) };
    return invalid(undefined, [issue]);
  }
  const { type, payload } = verified;
  if (!isWebhookEventType(type)) return { event: verified, drift: [] };
  const definition = webhookEvents[type];
  const verdict = validateOwn(definition.payload, payload, validation);
  if (!verdict.ok) return invalid(type, verdict.issues.map(insidePayload));
  const subject = SUBJECTS[definition.category];
  const id = subject && payload[subject];
  if (validation !== 'off' && subject !== undefined && (id === undefined || id === null)) {
    const message = wrongType('string', id);
    return invalid(type, [{ path: ['payload', subject], code: 'invalid_type', message }]);
  }
  const found = verdict.drift.map(insidePayload);
  if (found.length > 0) void drift.report({ source: type, region: undefined, issues: found });
  // Any field of the payload may have another type: `drift` says which.
  return { event: verified as unknown as WebhookEvent, drift: found };
}

/** The id of the record that an event is about, by category: an event without it says nothing. */
const SUBJECTS: { readonly [Category in WebhookEventCategory]?: string } = {
  Agent: 'agentId',
  Organisation: 'organisationId',
  Client: 'clientId',
};

function insidePayload(issue: Issue): Issue {
  return { ...issue, path: ['payload', ...issue.path] };
}

function invalidEvent(
  verified: VerifiedWebhook,
  type: string | undefined,
  issues: readonly Issue[],
): InvalidWebhookEvent {
  const { payload } = verified;
  const message = `The webhook ${labelOf(type, verified.workspace)} does not match its schema`;
  const error = new WebhookPayloadError(message, { issues, payload });
  return { type, payload, ...workspaceOf(verified), issues, error };
}

/** Whether an event does not match the API specification: only such an event has issues. */
export function isInvalidEvent(event: ReceivedWebhook): event is InvalidWebhookEvent {
  return 'issues' in event;
}

const MAX_LABEL_LENGTH = 100;

/** Names an event in logs and messages by its type and workspace, which may be any text: quoted and cut. */
export function labelOf(type: unknown, workspace: string | undefined): string {
  const cut = (text: string) => JSON.stringify(cutType(text));
  const name = typeof type !== 'string' ? '(no type)' : isWebhookEventType(type) ? type : cut(type);
  return workspace === undefined ? name : `${name} of ${cut(workspace)}`;
}

/** Cuts a type, which may be any text, for a field of a log line. */
export function cutType<Type extends string | undefined>(type: Type) {
  return type?.slice(0, MAX_LABEL_LENGTH);
}

/** Returns the workspace as a field of an event; no field if the secrets are not named. */
export function workspaceOf({ workspace }: { readonly workspace?: string | undefined }): {
  readonly workspace?: string;
} {
  return workspace === undefined ? {} : { workspace };
}
