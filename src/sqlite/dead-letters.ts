import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import { parseJson } from '../utils/json.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { DeadRow } from './events.js';
import type { InboxFile } from './file.js';

/** Finds the dead letters in a file. */
export class DeadRows implements DeadLetterStorage {
  readonly #file: InboxFile;

  constructor(file: InboxFile) {
    this.#file = file;
  }

  async list(after: string, limit: number): Promise<DeadLetter[]> {
    return this.#file.read(() => this.#file.events.deadLetters(after, limit).map(toDeadLetter));
  }

  async get(key: string): Promise<DeadLetter | undefined> {
    return this.#file.read(() => {
      const row = this.#file.events.deadLetter(key);
      return row && toDeadLetter(row);
    });
  }

  async keys(): Promise<readonly string[]> {
    return this.#file.read(() => this.#file.events.deadKeys());
  }

  async replay(key: string, isWanted: (letter: DeadLetter) => boolean): Promise<boolean> {
    const letter = await this.get(key);
    if (letter === undefined || !isWanted(letter)) return false;
    return this.#file.write(() => this.#file.events.replay(key));
  }

  async remove(key: string): Promise<boolean> {
    return this.#file.write(() => this.#file.events.remove(key));
  }
}

function toDeadLetter(row: DeadRow): DeadLetter {
  const { key, type, received, data, reason, failures, stalls, died } = row;
  // If somebody has changed the row, its JSON may be broken.
  const rest = { version: 0, key, type, payload: {}, deliveryId: '', receivedAt: received };
  const webhook = (parseJson(data) as StoredWebhook | undefined) ?? rest;
  return { id: key, webhook, reason, attempts: failures + stalls, failedAt: died };
}
