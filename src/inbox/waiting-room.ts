import { WebhookError } from '../errors/index.js';

/** The largest number of characters in events that wait to be stored. */
const MAX_WAITING_CHARS = 64 * 1024 * 1024;

/** Counts the events that wait to be stored, so that they do not fill the memory of the process. */
export class WaitingRoom {
  #chars = 0;

  /**
   * Counts an event, until the function that it returns is called.
   *
   * @param chars - The size of the event.
   * @throws {WebhookError} Too many wait already.
   */
  enter(chars: number): () => void {
    if (this.#chars + chars > MAX_WAITING_CHARS) {
      throw new WebhookError(`More than ${MAX_WAITING_CHARS} characters of events wait to be stored`);
    }
    this.#chars += chars;
    return () => {
      this.#chars -= chars;
    };
  }
}
