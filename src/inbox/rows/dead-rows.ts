import { parseJson } from '../../utils/json.js';
import type { StoredWebhook } from '../../webhooks/inbox.js';
import type { DeadLetter } from '../dead-letters.js';
import { decodeType, type EventRow } from './taken.js';

/** The row of a dead letter. */
export interface DeadRow extends EventRow {
  /** When it became one, in milliseconds since the Unix epoch. */
  readonly died: number;
  readonly reason: string;
}

export function toDeadLetter(row: DeadRow): DeadLetter {
  const { key, type, receivedAt, data, reason, failures, stalls, died } = row;
  // If somebody has changed the row, its JSON may be broken.
  const rest = { version: 0, key, type: decodeType(type), payload: {}, deliveryId: '', receivedAt };
  const webhook = (parseJson(data) as StoredWebhook | undefined) ?? rest;
  return { id: key, webhook, reason, attempts: failures + stalls, failedAt: died };
}
