import { parseJson } from '../../utils/json.js';
import type { StoredWebhook } from '../../webhooks/inbox.js';
import type { DeadLetter, DeadLetterStorage } from '../dead-letters.js';

/** The row of a dead letter. */
export interface DeadRow {
  readonly key: string;
  readonly type: string;
  readonly receivedAt: number;
  readonly failures: number;
  readonly stalls: number;
  /** When it became one, in milliseconds since the Unix epoch. */
  readonly died: number;
  readonly reason: string;
  /** The event, as JSON. */
  readonly data: string;
}

/** What is asked of the rows of dead letters. */
export interface DeadQueries {
  /** Returns those with the next keys after this one. */
  list(after: string, limit: number): Promise<readonly DeadRow[]>;
  get(key: string): Promise<DeadRow | undefined>;
  keys(): Promise<readonly string[]>;
  /** Puts one back, as if it was new. Returns false if there is none. */
  replay(key: string): Promise<boolean>;
  remove(key: string): Promise<boolean>;
}

/** Finds the dead letters of an engine of rows. */
export function deadLettersOf(rows: DeadQueries): DeadLetterStorage {
  const get = async (key: string) => {
    const row = await rows.get(key);
    return row && toDeadLetter(row);
  };
  return {
    get,
    list: async (after, limit) => (await rows.list(after, limit)).map(toDeadLetter),
    keys: () => rows.keys(),
    async replay(key, isWanted) {
      const letter = await get(key);
      return letter !== undefined && (await isWanted(letter)) && rows.replay(key);
    },
    remove: (key) => rows.remove(key),
  };
}

function toDeadLetter(row: DeadRow): DeadLetter {
  const { key, type, receivedAt, data, reason, failures, stalls, died } = row;
  // If somebody has changed the row, its JSON may be broken.
  const rest = { version: 0, key, type, payload: {}, deliveryId: '', receivedAt };
  const webhook = (parseJson(data) as StoredWebhook | undefined) ?? rest;
  return { id: key, webhook, reason, attempts: failures + stalls, failedAt: died };
}
