import { MASK } from '../redact.js';
import { isWebhookEventType } from './events.js';
import type { Genuine } from './secrets.js';

/** An envelope (document, 6.1) as it came: nothing of it is verified, only `presented` is to be looked at. */
export interface Envelope {
  readonly type: unknown;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly presented: unknown;
}

/** A delivery whose secret was genuine, and is gone. Whether it is an event of the document is not known yet. */
export interface VerifiedDelivery {
  readonly type: unknown;
  readonly payload: Record<string, unknown>;
  readonly workspace: string | undefined;
  /** The type as it may stand in logs and messages. */
  readonly label: string;
}

/** A verified delivery, with what its key is made of. */
export interface ReceivedDelivery extends VerifiedDelivery {
  /** The body as text, without the secret. Written only where it is asked for. */
  readonly content: () => string;
}

/** Takes the parts of an envelope out of any JSON value. What is no envelope presents no secret. */
export function openEnvelope(value: unknown): Envelope {
  const { type, payload } = isRecord(value) ? value : {};
  if (!isRecord(payload)) return { type, payload: {}, presented: undefined };
  const presented = Object.hasOwn(payload, 'workspaceSecret') ? payload.workspaceSecret : undefined;
  return { type, payload, presented };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Takes the secret out of an envelope that was found genuine. What the caller passed in is left as it is. */
export function removeSecret(envelope: Envelope, { workspace }: Genuine): VerifiedDelivery {
  const { workspaceSecret, ...payload } = envelope.payload;
  return { type: envelope.type, payload, workspace, label: labelOf(envelope.type, workspaceSecret) };
}

/** A sender's mistake can put anything in `type`, the secret included. */
function labelOf(type: unknown, secret: unknown): string {
  if (typeof type !== 'string') return '(no type)';
  if (isWebhookEventType(type)) return type;
  // What was found genuine is text, and not empty.
  return JSON.stringify(type.replaceAll(String(secret), MASK).slice(0, 100));
}
