import { isObject } from '../ground/json.js';
import { MASK } from '../ground/redact.js';
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
  const { type, payload } = isObject(value) ? value : {};
  if (!isObject(payload)) return { type, payload: {}, presented: undefined };
  const presented = Object.hasOwn(payload, 'workspaceSecret') ? payload.workspaceSecret : undefined;
  return { type, payload, presented };
}

/** Takes the secret out of an envelope that was found genuine. What the caller passed in is left as it is. */
export function removeSecret(envelope: Envelope, { workspace }: Genuine): VerifiedDelivery {
  const { workspaceSecret, ...payload } = envelope.payload;
  const { type } = envelope;
  // A sender's mistake can put anything in `type`, the secret included, which is text and not empty.
  const shown = typeof type === 'string' ? type.replaceAll(String(workspaceSecret), MASK) : undefined;
  return { type, payload, workspace, label: labelOf(shown, workspace) };
}

/** An event as logs and messages name it: type and workspace, which may hold anything, quoted and cut. */
export function labelOf(type: string | undefined, workspace: string | undefined): string {
  const cut = (text: string) => JSON.stringify(text.slice(0, 100));
  const what = type === undefined ? '(no type)' : isWebhookEventType(type) ? type : cut(type);
  return workspace === undefined ? what : `${what} of ${cut(workspace)}`;
}
