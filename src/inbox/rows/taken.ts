import { parseJson } from '../../utils/json.js';
import type { InboxEvent } from '../engine.js';

/** An event that a worker has taken. */
export interface TakenRow extends InboxEvent {
  readonly id: number;
  /** The number of times that it was taken. A run can only record its end if no later one has taken the event. */
  readonly run: number;
}

/** The same as its row describes it. */
export interface EventRow extends TakenRow {
  /** The event, as JSON. */
  readonly data: string;
}

export function toEvent(row: EventRow): TakenRow {
  return { ...row, type: decodeType(row.type), data: parseJson(row.data) };
}

/** The longest beginning of a type that is in its column, in characters: each look reads all types that wait. */
const TYPE_CHARS = 200;

/**
 * Returns a type for its column, as JSON without the quotes. Usual types stay as they are.
 *
 * Postgres takes no NUL and no half of an emoji, and some runtimes cut what they read of SQLite at a NUL.
 */
export function encodeType(type: string): string {
  return JSON.stringify(type.slice(0, TYPE_CHARS)).slice(1, -1);
}

export function decodeType(type: string): string {
  // Somebody has changed the row, or it is in a file of 0.4.
  return (parseJson(`"${type}"`) as string | undefined) ?? type;
}
