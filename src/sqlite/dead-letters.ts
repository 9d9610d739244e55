import type { DeadLetter, DeadLetterStorage } from '../inbox/dead-letters.js';
import type { DeadRow } from './events.js';
import { fileFailure } from './failure.js';
import type { InboxFile } from './file.js';
import { storedOf } from './run.js';

/** How long a change waits for other processes that write, in ms. */
const WRITE_TIMEOUT_MS = 2_000;

/** The dead letters in a file. */
export class DeadRows implements DeadLetterStorage {
  readonly #file: InboxFile;

  constructor(file: InboxFile) {
    this.#file = file;
  }

  async list(start: number, limit: number): Promise<DeadLetter[]> {
    return this.#ask((file) => file.read(() => file.events.deadLetters(start, limit).map(toDeadLetter)));
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    return this.#ask((file) => file.read(() => find(file, id)));
  }

  async ids(): Promise<readonly string[]> {
    return this.#ask((file) => file.read(() => file.events.deadKeys()));
  }

  async replay(id: string, isWanted: (letter: DeadLetter) => boolean): Promise<boolean> {
    return this.#ask(async (file) => {
      const letter = await file.read(() => find(file, id));
      if (letter === undefined || !isWanted(letter)) return false;
      return file.write(() => file.events.replay(id, Date.now()), WRITE_TIMEOUT_MS);
    });
  }

  async remove(id: string): Promise<boolean> {
    return this.#ask((file) => file.write(() => file.events.remove(id), WRITE_TIMEOUT_MS));
  }

  async #ask<Value>(query: (file: InboxFile) => Promise<Value>): Promise<Value> {
    try {
      return await query(this.#file);
    } catch (error) {
      throw fileFailure('The dead letters are out of reach', error);
    }
  }
}

function find({ events }: InboxFile, id: string): DeadLetter | undefined {
  const row = events.deadLetter(id);
  return row && toDeadLetter(row);
}

function toDeadLetter(row: DeadRow): DeadLetter {
  const { key, type, received, reason, failures, stalls, died } = row;
  // What is left of a damaged one.
  const rest = { version: 0, key, type, payload: {}, deliveryId: '', receivedAt: received };
  return { id: key, webhook: storedOf(row) ?? rest, reason, attempts: failures + stalls, failedAt: died };
}
