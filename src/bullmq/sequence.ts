import type { StoredWebhook } from '../webhooks/inbox.js';

/** Numbers the events that are received in one millisecond, in the order in which they are stored. */
export class Sequence {
  #receivedAt = 0;
  #number = 0;

  /** Leaves the number of an event as it is, and that of the first in a millisecond away. */
  number(webhook: StoredWebhook): StoredWebhook {
    if (webhook.sequence !== undefined) return webhook;
    // One that is stored late, behind an event of a later millisecond, must not have the number of another.
    this.#number = webhook.receivedAt > this.#receivedAt ? 0 : this.#number + 1;
    this.#receivedAt = Math.max(webhook.receivedAt, this.#receivedAt);
    return this.#number === 0 ? webhook : { ...webhook, sequence: this.#number };
  }
}
