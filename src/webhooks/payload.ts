import { type UnknownEventError, WebhookPayloadError } from '../errors/index.js';
import { type Issue, wrongType } from '../utils/issues.js';
import { isObject } from '../utils/json.js';
import type { DriftReporter } from '../validation/drift.js';
import { type ValidationMode, validateOwn } from '../validation/validate.js';
import { isWebhookEventType, type WebhookEvent, webhookEvents } from './events.js';
import type { SecretOwner } from './secrets/known.js';

// From the bytes of a body to an event: decode, parse, remove the secret, validate.

/** A parsed body. Nothing of it is verified. */
export interface ParsedBody {
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The secret that it carries. */
  readonly secret: unknown;
  /** The names of all fields of the envelope, in their order. */
  readonly fields: readonly string[];
  /** The text it was parsed from; undefined if a body parser has made the object. */
  readonly text: string | undefined;
}

/** A body whose secret was valid and is removed. It may still be an event of any type and shape. */
export interface VerifiedWebhook {
  readonly type: unknown;
  readonly payload: Record<string, unknown>;
  readonly workspace?: string;
}

/** Any verified webhook: an event, one of an unknown type, or one that does not match the API specification. */
export type ReceivedWebhook = WebhookEvent | UnknownWebhookEvent | InvalidWebhookEvent;

/** A verified event of a type that this version does not know, as sent, without the secret. */
export type UnknownWebhookEvent = UnknownEventError['event'];

/** A verified webhook without a type, or with a payload that does not match section 6.3 of the specification. */
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

const decoder = /* @__PURE__ */ new TextDecoder();
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Returns the text of a body that was received as text or bytes; anything else as it is.
 *
 * Bytes that are not UTF-8 become replacement characters: an event must not be lost over a broken emoji in a chat.
 */
export function decodeBody(received: unknown): unknown {
  const text = isBytes(received) ? decoder.decode(received) : received;
  return typeof text === 'string' && text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

/** Bytes of a body as it was received; undefined if a body parser has made an object of it. */
export function sizeOf(body: unknown): number | undefined {
  if (isBytes(body)) return body.byteLength;
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : undefined;
}

/** Whether a body is larger than a limit. False for an object, whose size is unknown. */
export function exceeds(body: unknown, limit: number): boolean {
  // No UTF-16 unit takes more than three bytes, so most bodies need no counting.
  if (typeof body === 'string' && body.length * 3 <= limit) return false;
  return (sizeOf(body) ?? 0) > limit;
}

/** Whether a value is bytes. `instanceof` would miss a Buffer of another realm, such as a test runner's. */
function isBytes(body: unknown): body is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(body) || Object.prototype.toString.call(body) === '[object ArrayBuffer]';
}

/**
 * Parses a decoded body, or returns undefined if it is not JSON. Anything but an envelope carries no secret.
 *
 * The parser's own error is dropped, because its message quotes the body.
 */
export function parseBody(body: unknown): ParsedBody | undefined {
  let whole = body;
  if (typeof body === 'string') {
    try {
      whole = JSON.parse(body);
    } catch {
      return undefined;
    }
  }
  if (whole === undefined || isNodeStream(whole)) return undefined;
  const envelope = isObject(whole) ? whole : {};
  const payload = isObject(envelope.payload) ? envelope.payload : {};
  return {
    type: envelope.type,
    payload,
    secret: Object.hasOwn(payload, 'workspaceSecret') ? payload.workspaceSecret : undefined,
    fields: Object.keys(envelope),
    text: typeof body === 'string' ? body : undefined,
  };
}

/** Whether a value is a Node stream that nobody has read. No JSON value has methods. */
function isNodeStream(body: unknown): boolean {
  return typeof (body as { readonly pipe?: unknown } | null)?.pipe === 'function';
}

/** The settings by which a verified webhook is validated. */
export interface EventValidation {
  readonly validation: ValidationMode;
  /** Receives the drift that the mode forgives. */
  readonly drift: DriftReporter;
}

/**
 * Removes the secret from a body that was verified. What the caller passed in stays unchanged.
 *
 * Unknown fields of the envelope are reported as drift, by name. They are no error in any mode: the specification does not say
 * that the envelope is closed.
 */
export function removeSecret(
  { type, payload, fields }: ParsedBody,
  { workspace }: SecretOwner,
  { validation, drift }: EventValidation,
): VerifiedWebhook {
  const unknown = fields.filter((name) => name !== 'type' && name !== 'payload');
  if (unknown.length > 0 && validation !== 'off') {
    const issues = unknown
      .slice(0, 100)
      .map((name): Issue => ({ path: [name], code: 'unrecognized_key', message: 'unknown field' }));
    void drift.report({ source: labelOf(type, undefined), region: undefined, issues });
  }
  const { workspaceSecret, ...rest } = payload;
  return { type, payload: rest, ...workspaceOf({ workspace }) };
}

/** Validates a verified webhook against the table of events, and reports the drift that is forgiven. */
export function toEvent(verified: VerifiedWebhook, { validation, drift }: EventValidation): ReceivedWebhook {
  const { type, payload } = verified;
  if (typeof type !== 'string') {
    const issue = { path: ['type'], code: 'invalid_type', message: wrongType('string', type) };
    return invalidEvent(verified, undefined, [issue]);
  }
  const event = { ...verified, type };
  if (!isWebhookEventType(type)) return event;
  const verdict = validateOwn(webhookEvents[type].payload, payload, validation);
  const issues = (verdict.ok ? verdict.drift : verdict.issues).map(insidePayload);
  if (!verdict.ok) return invalidEvent(verified, type, issues);
  if (issues.length > 0) void drift.report({ source: type, region: undefined, issues });
  // The payload fits the schema of its type, or the mode trusts it.
  return event as unknown as WebhookEvent;
}

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

/** The name of an event in logs and messages: type and workspace, which may hold anything, quoted and cut. */
export function labelOf(type: unknown, workspace: string | undefined): string {
  const cut = (text: string) => JSON.stringify(text.slice(0, 100));
  const name = typeof type !== 'string' ? '(no type)' : isWebhookEventType(type) ? type : cut(type);
  return workspace === undefined ? name : `${name} of ${cut(workspace)}`;
}

/** The workspace as a field of an event, which is absent if the secrets are not named. */
export function workspaceOf({ workspace }: { readonly workspace?: string | undefined }): {
  readonly workspace?: string;
} {
  return workspace === undefined ? {} : { workspace };
}
