import { type UnknownEventError, WebhookPayloadError } from '../errors/index.js';
import { isLong, MASK } from '../ground/echoes.js';
import { type Issue, IssueList, wrongType } from '../ground/issues.js';
import { isObject } from '../ground/json.js';
import type { DriftReporter } from '../validation/drift.js';
import { type ValidationMode, validateOwn } from '../validation/validate.js';
import { type DefinedEvent, isWebhookEventType, type WebhookEvent, webhookEvents } from './events.js';
import { maskRepeated, withoutRepeated } from './repeated-secret.js';
import type { Genuine } from './secrets.js';

// A delivery is raw, then verified, then an event. This file has the three types and the steps between them.

/** A delivery as it arrived, an envelope (6.1): nothing of it is verified, only `presented` is to be looked at. */
export interface RawDelivery {
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The secret that it presents. */
  readonly presented: unknown;
  /** The whole body, which may hold more than an envelope has. */
  readonly body: unknown;
  /** The text of the body; undefined where a body parser has made an object of it. */
  readonly text: string | undefined;
}

/** A delivery whose secret was genuine, and is gone. Not yet known to be an event of the specification. */
export interface VerifiedDelivery {
  readonly type: unknown;
  readonly payload: Record<string, unknown>;
  readonly workspace: string | undefined;
  /** Fields of the envelope that the specification does not show (6.1), the secret masked; undefined where there are none. */
  readonly envelope: Readonly<Record<string, unknown>> | undefined;
  /** The type as it may stand in logs and messages. */
  readonly typeLabel: string;
  /** The same, with the workspace. */
  readonly label: string;
  /** The text of the body, cut where the secret stands; undefined where a body parser has made an object of it. */
  readonly pieces: readonly string[] | undefined;
}

/** Any verified delivery: an event, one of an unknown type, or one that does not fit the specification. */
export type ReceivedWebhook = WebhookEvent | UnknownWebhookEvent | InvalidWebhookEvent;

/** A verified event of a type that this version does not know, as sent, less the secret. */
export type UnknownWebhookEvent = UnknownEventError['event'];

/** A verified delivery that is no event of the specification: no type, or a payload that does not fit 6.3. */
export interface InvalidWebhookEvent {
  /** `type` of the envelope; undefined where it was missing or no string. */
  readonly type: string | undefined;
  /** The payload as sent, less `workspaceSecret`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The name of the workspace whose secret it was, where the secrets were named. */
  readonly workspace?: string;
  /** Each issue, with its path in the envelope. */
  readonly issues: readonly Issue[];
  /** The same as an error, ready to be thrown or reported. */
  readonly error: WebhookPayloadError;
}

/**
 * The text of a body that was received as text or bytes. Anything else is what a body parser has already made, and is
 * taken as it is. Bytes that are not UTF-8 become replacement characters: a genuine event must not be lost over a broken emoji
 * in a chat.
 */
export function decodeBody(received: unknown): unknown {
  const text = isBytes(received) ? decoder.decode(received) : received;
  return typeof text === 'string' && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** Bytes of a body as it was received; undefined where a body parser has made an object of it. */
export function sizeOf(body: unknown): number | undefined {
  if (isBytes(body)) return body.byteLength;
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : undefined;
}

/** Tells a body that is larger than a limit; of one that is already parsed, nothing cheap can tell. */
export function exceeds(body: unknown, limit: number): boolean {
  // No UTF-16 unit takes more than three bytes: most bodies need no counting.
  if (typeof body === 'string' && body.length * 3 <= limit) return false;
  return (sizeOf(body) ?? 0) > limit;
}

/**
 * Parses a decoded body to a raw delivery, or returns nothing where it is not JSON. What is no envelope presents no secret.
 * The parser's own error is not kept, because its message quotes the body.
 */
export function parseDelivery(body: unknown): RawDelivery | undefined {
  if (body === undefined) return undefined;
  if (typeof body !== 'string') return isStream(body) ? undefined : openEnvelope(body, undefined);
  try {
    return openEnvelope(JSON.parse(body), body);
  } catch {
    return undefined;
  }
}

const decoder = /* @__PURE__ */ new TextDecoder();
const BYTE_ORDER_MARK = 0xfeff;

function openEnvelope(body: unknown, text: string | undefined): RawDelivery {
  const { type, payload } = isObject(body) ? body : {};
  if (!isObject(payload)) return { type, payload: {}, presented: undefined, body, text };
  const presented = Object.hasOwn(payload, 'workspaceSecret') ? payload.workspaceSecret : undefined;
  return { type, payload, presented, body, text };
}

/** Tells a stream of the Web or of Node, which nobody has read. No JSON value has methods. */
function isStream(body: object | null): boolean {
  const { getReader, pipe } = (body ?? {}) as { readonly getReader?: unknown; readonly pipe?: unknown };
  return typeof (getReader ?? pipe) === 'function';
}

/** Tells bytes, not by `instanceof`: a Buffer of another realm (a test runner's, a worker's) is bytes too. */
function isBytes(body: unknown): body is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}

/** Takes the secret out of a raw delivery that was found genuine. What the caller passed in is left as it is. */
export function removeSecret(raw: RawDelivery, { workspace }: Genuine): VerifiedDelivery {
  const { workspaceSecret, ...payload } = raw.payload;
  // Genuine, so it is text and not empty.
  const secret = String(workspaceSecret);
  // A sender's mistake can put anything in `type`, the secret included. A type of the specification is none.
  const sent = typeof raw.type === 'string' ? raw.type : undefined;
  const shown = sent === undefined || isWebhookEventType(sent) ? sent : maskRepeated(sent, secret);
  const pieces = raw.text === undefined ? undefined : cutAt(secret, raw.text);
  return {
    type: shown ?? raw.type,
    payload: withoutRepeated(payload, secret, pieces),
    workspace,
    envelope: extraFields(raw, secret),
    typeLabel: labelOf(shown, undefined),
    label: labelOf(shown, workspace),
    pieces,
  };
}

/** A text of JSON, cut where a secret stands as JSON writes it; a short one only as a whole text, for it may stand in any number. */
export function cutAt(secret: string, text: string): readonly string[] {
  const written = JSON.stringify(secret);
  return text.split(isLong(secret) ? written.slice(1, -1) : written);
}

/** The fields of an envelope beside `type` and `payload`. The secret may be repeated in them, or stand there by mistake. */
function extraFields({ body }: RawDelivery, secret: string): VerifiedDelivery['envelope'] {
  // Only an object has presented a secret.
  const { type, payload, ...extra } = body as Record<string, unknown>;
  if (Object.keys(extra).length === 0) return undefined;
  // Another secret of a rotation may stand there.
  if (Object.hasOwn(extra, 'workspaceSecret')) extra.workspaceSecret = MASK;
  return maskRepeated(extra, secret);
}

/** An event as logs and messages name it: type and workspace, which may hold anything, quoted and cut. */
export function labelOf(type: string | undefined, workspace: string | undefined): string {
  const cut = (text: string) => JSON.stringify(text.slice(0, 100));
  const shown = type === undefined ? '(no type)' : isWebhookEventType(type) ? type : cut(type);
  return workspace === undefined ? shown : `${shown} of ${cut(workspace)}`;
}

/** The settings by which a verified delivery is validated. */
export interface EventValidation {
  readonly validation: ValidationMode;
  /** Told of the drift that the mode forgives. */
  readonly drift: DriftReporter;
}

/**
 * Holds a verified delivery against the table of events, or against the definition of its type by the user. Reports the drift that
 * is forgiven.
 */
export function toEvent(
  verified: Omit<VerifiedDelivery, 'pieces'>,
  { validation, drift }: EventValidation,
  own: DefinedEvent | undefined,
): ReceivedWebhook {
  const { type, payload, envelope, typeLabel } = verified;
  if (envelope !== undefined && validation !== 'off') {
    // Reported, and an error in no mode: the specification does not say that the envelope is closed.
    const issues = new IssueList();
    for (const field of Object.keys(envelope)) issues.add(() => unknownField(field));
    void drift.report({ source: typeLabel, region: undefined, issues: issues.all(), envelope });
  }
  if (typeof type !== 'string') {
    const issue = { path: ['type'], code: 'invalid_type', message: wrongType('string', type) };
    return invalidEvent(verified, undefined, [issue]);
  }
  const verdict = isWebhookEventType(type)
    ? validateOwn(webhookEvents[type].payload, payload, validation)
    : own?.validate(payload, validation);
  const event = { type, payload, ...workspaceOf(verified) };
  if (verdict === undefined) return event;
  const issues = (verdict.ok ? verdict.drift : verdict.issues).map(insidePayload);
  if (!verdict.ok) return invalidEvent(verified, type, issues);
  if (issues.length > 0) void drift.report({ source: type, region: undefined, issues });
  // As it was sent; of an event of the user's own, as its schema returns it, which its type says.
  event.payload = verdict.value as typeof payload;
  return event;
}

function invalidEvent(
  verified: Omit<VerifiedDelivery, 'pieces'>,
  type: string | undefined,
  issues: readonly Issue[],
): InvalidWebhookEvent {
  const { payload, label } = verified;
  const message = `The webhook ${label} does not fit its schema`;
  const error = new WebhookPayloadError(message, { issues, payload });
  return { type, payload, ...workspaceOf(verified), issues, error };
}

function unknownField(name: string): Issue {
  return { path: [name], code: 'unrecognized_key', message: 'unknown field' };
}

function insidePayload(issue: Issue): Issue {
  return { ...issue, path: ['payload', ...issue.path] };
}

/** The workspace as a field of an event, which has none where the secrets were not named. */
export function workspaceOf({ workspace }: { readonly workspace?: string | undefined }): {
  readonly workspace?: string;
} {
  return workspace === undefined ? {} : { workspace };
}

/** Tells an event that does not fit the specification: only such a one has issues. */
export function isInvalidEvent(event: ReceivedWebhook): event is InvalidWebhookEvent {
  return 'issues' in event;
}

/** Tells an event whose payload its schema has accepted, or the mode trusts, from one of an unknown type. */
export function isKnownEvent(event: WebhookEvent | UnknownWebhookEvent): event is WebhookEvent {
  return isWebhookEventType(event.type);
}
