import { WebhookError } from '../errors/index.js';

/** The largest number of characters in events that wait to be stored. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;

/** Counts the events that wait to be stored, so that they do not fill the memory of the process. */
export class WaitingRoom {
  #chars = 0;

  /**
   * Counts an event until the task has settled.
   *
   * @param chars - The size of the event.
   * @throws {WebhookError} Too many wait already. The task is not started.
   */
  async hold<Value>(chars: number, task: () => Promise<Value>): Promise<Value> {
    if (this.#chars + chars > MAX_WAITING_CHARS) {
      throw new WebhookError(`More than ${MAX_WAITING_CHARS} characters of events wait to be stored`);
    }
    this.#chars += chars;
    try {
      return await task();
    } finally {
      this.#chars -= chars;
    }
  }
}
