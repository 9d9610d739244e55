import { WebhookError } from '../errors/index.js';
import { isInvalidEvent, isKnownEvent, type ReceivedWebhook } from './delivery.js';
import type { WebhookEvent } from './events.js';

/**
 * Returns what an event is a snapshot of, such as the id of a conversation, or undefined for an event that is none. Workspaces
 * are told apart.
 */
export type NewestOnly = (event: WebhookEvent) => string | undefined;

/** What decides which of two snapshots is the older one. */
export interface Snapshot {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly receivedAt: number;
  /** The place among those that were received in the same millisecond. */
  readonly sequence?: number | undefined;
}

/**
 * Tells the older of two snapshots: by `createdAt`, which every payload carries (specification, 6.1); where that is the same or
 * missing, by the order in which they were accepted.
 */
export function isOlder(one: Snapshot, other: Snapshot): boolean {
  const [created, otherCreated] = [one.payload.createdAt, other.payload.createdAt];
  if (typeof created === 'number' && typeof otherCreated === 'number' && created !== otherCreated) {
    return created < otherCreated;
  }
  if (one.receivedAt !== other.receivedAt) return one.receivedAt < other.receivedAt;
  return (one.sequence ?? 0) < (other.sequence ?? 0);
}

/** Asks what an event is a snapshot of. Only known and valid events are. Rejects what is no text. */
export function snapshotKey(newestOnly: NewestOnly, event: ReceivedWebhook): string | undefined {
  if (isInvalidEvent(event) || !isKnownEvent(event)) return undefined;
  const key: unknown = newestOnly(event);
  if (key === undefined) return undefined;
  if (typeof key === 'string') return JSON.stringify([event.workspace ?? null, key]);
  throw new WebhookError(`newestOnly returned ${typeof key}: it returns a string, or undefined`);
}
