import { ConfigurationError } from '../../errors/index.js';
import type { ChangeEmitter } from '../fake/changes.js';
import { takeFailure } from './failures.js';
import { type DeliveryRecord, type EventPost, postEvent } from './post.js';

/** The newest deliveries that are kept. */
const MAX_DELIVERIES = 10_000;

/** An event of a fake on its way, with what its record says about it. */
export type FakePost = EventPost & Pick<DeliveryRecord, 'region' | 'secretOf'>;

/** Posts the events of a fake, and records each delivery when it ends. */
export class Deliveries {
  readonly records: DeliveryRecord[] = [];
  readonly #changes: ChangeEmitter;
  /** What was posted, by the id of its delivery. */
  readonly #posts = new Map<string, FakePost>();
  #lastId = 0;

  constructor(changes: ChangeEmitter) {
    this.#changes = changes;
  }

  async post(event: FakePost): Promise<DeliveryRecord> {
    this.#lastId += 1;
    const id = `delivery_${this.#lastId}`;
    this.#posts.set(id, event);
    const { region, secretOf } = event;
    const posted = await postEvent(event);
    const { error = takeFailure(event) } = posted;
    const delivery = { id, region, secretOf, ...posted, error };
    // Unless it was cleared meanwhile.
    if (this.#posts.get(id) === event) this.records.push(delivery);
    if (this.records.length > MAX_DELIVERIES) this.#posts.delete(this.records.shift()?.id ?? id);
    this.#changes.emit({ type: 'delivery', delivery });
    return delivery;
  }

  async repeat(id: string): Promise<DeliveryRecord> {
    const event = this.#posts.get(id);
    if (event !== undefined) return this.post(event);
    throw new ConfigurationError(`There is no delivery "${id}".`, { option: 'id' });
  }

  /** Forgets every delivery, including those under way. */
  clear(): void {
    this.records.length = 0;
    this.#posts.clear();
    this.#changes.emit({ type: 'changed', what: 'deliveries' });
  }

  /** Forgets every delivery; ids start again at 1. */
  reset(): void {
    this.clear();
    this.#lastId = 0;
  }
}
