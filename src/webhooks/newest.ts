import { WebhookError } from '../errors/index.js';
import { isInvalidEvent, isKnownEvent, type ReceivedWebhook } from './delivery.js';
import type { WebhookEvent } from './events.js';

/**
 * Returns what an event is a snapshot of, such as the id of a conversation, or undefined for an event that is none. Workspaces
 * are told apart.
 */
export type NewestOnly = (event: WebhookEvent) => string | undefined;

/** The values by which the older of two snapshots is told. */
export interface Age {
  /** `createdAt` of the payload; undefined where it is no number. */
  readonly createdAt: number | undefined;
  readonly receivedAt: number;
  /** The place among those that were received in the same millisecond. */
  readonly sequence: number;
}

export function ageOf(
  { createdAt }: { readonly createdAt?: unknown },
  receivedAt: number,
  sequence: number,
): Age {
  return { createdAt: typeof createdAt === 'number' ? createdAt : undefined, receivedAt, sequence };
}

/**
 * Tells the older of two snapshots: by `createdAt`, which every payload carries (specification, 6.1); where that is the same or
 * missing, by the order in which they were accepted.
 */
export function isOlder(one: Age, other: Age): boolean {
  const [created, otherCreated] = [one.createdAt, other.createdAt];
  if (created !== otherCreated && created !== undefined && otherCreated !== undefined) {
    return created < otherCreated;
  }
  if (one.receivedAt !== other.receivedAt) return one.receivedAt < other.receivedAt;
  return one.sequence < other.sequence;
}

/**
 * Asks what an event is a snapshot of. Only known and valid events are. Throws for what is no text.
 *
 * @param unnamed - Tells a workspace without a name from others: its events must not make those of another old.
 */
export function snapshotKey(
  newestOnly: NewestOnly,
  event: ReceivedWebhook,
  unnamed: string | undefined,
): string | undefined {
  if (isInvalidEvent(event) || !isKnownEvent(event)) return undefined;
  const key: unknown = newestOnly(event);
  if (key === undefined) return undefined;
  if (typeof key === 'string')
    return JSON.stringify([event.workspace ?? (unnamed === undefined ? null : [unnamed]), key]);
  // From JavaScript, it may be a promise: where nobody waits for one that rejects, the process ends.
  Promise.resolve(key).catch(() => undefined);
  throw new WebhookError(`newestOnly returned ${typeof key}: it returns a string, or undefined`);
}
