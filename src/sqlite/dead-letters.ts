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

  async get(id: string): Promise<DeadLetter | undefined> {
    return this.#file.read(() => {
      const row = this.#file.events.deadLetter(id);
      return row && toDeadLetter(row);
    });
  }

  async ids(): Promise<readonly string[]> {
    return this.#file.read(() => this.#file.events.deadKeys());
  }

  async replay(id: string, isWanted: (letter: DeadLetter) => boolean): Promise<boolean> {
    const letter = await this.get(id);
    if (letter === undefined || !isWanted(letter)) return false;
    return this.#file.write(() => this.#file.events.replay(id));
  }

  async remove(id: string): Promise<boolean> {
    return this.#file.write(() => this.#file.events.remove(id));
  }
}

function toDeadLetter(row: DeadRow): DeadLetter {
  const { key, type, received, data, reason, failures, stalls, died } = row;
  // If somebody has changed the row, its JSON may be broken.
  const rest = { version: 0, key, type, payload: {}, deliveryId: '', receivedAt: received };
  const webhook = (parseJson(data) as StoredWebhook | undefined) ?? rest;
  return { id: key, webhook, reason, attempts: failures + stalls, failedAt: died };
}
