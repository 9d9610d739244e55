import { ConfigurationError } from '../../errors/index.js';
import type { ChangeEmitter } from '../fake/changes.js';
import type { Generation } from '../fake/generation.js';
import { Journal, NOT_KEPT } from '../fake/journal.js';
import { takeFailure } from './failures.js';
import { addressOf, type DeliveryRecord, type EventPost, maskedPayload, postEvent } from './post.js';

/** An event of a fake on its way, with what its record says about it. */
export type FakePost = EventPost & Pick<DeliveryRecord, 'region' | 'secretOf'>;

/** Posts the events of a fake, and records each delivery from its beginning. */
export class Deliveries {
  readonly #journal: Journal<DeliveryRecord>;
  readonly #generation: Generation;
  /** What was posted. */
  readonly #posts = new WeakMap<DeliveryRecord, FakePost>();

  constructor(changes: ChangeEmitter, generation: Generation) {
    this.#generation = generation;
    this.#journal = new Journal<DeliveryRecord>({
      prefix: 'delivery',
      bodiesOf: ({ payload, response }) => [payload, response],
      withoutBodies: (delivery) => {
        this.#posts.delete(delivery);
        return { payload: { forgotten: NOT_KEPT }, response: NOT_KEPT };
      },
      onEntry: (delivery) => changes.emit({ type: 'delivery', delivery }),
      onClear: () => changes.emit({ type: 'changed', what: 'deliveries' }),
    });
  }

  get records(): readonly DeliveryRecord[] {
    return this.#journal.entries;
  }

  async post(event: FakePost): Promise<DeliveryRecord> {
    const { type, region, secretOf, via } = event;
    const delivery = this.#journal.open({
      at: Date.now(),
      type,
      region,
      secretOf,
      address: addressOf(event),
      via,
      outcome: undefined,
      status: undefined,
      response: undefined,
      error: undefined,
      payload: maskedPayload(event),
      duration: undefined,
    });
    this.#posts.set(delivery, event);
    const { ended, done } = this.#generation.begin();
    const posted = await postEvent(event, ended);
    done();
    const { outcome, status, response, error = takeFailure(event), duration } = posted;
    this.#journal.close(delivery, { outcome, status, response, error, duration });
    return delivery;
  }

  async repeat(id: string): Promise<DeliveryRecord> {
    const delivery = this.records.find((each) => each.id === id);
    const event = delivery && this.#posts.get(delivery);
    if (event !== undefined) return this.post(event);
    const reason =
      delivery === undefined ? `There is no delivery "${id}".` : `Delivery "${id}": ${NOT_KEPT}.`;
    throw new ConfigurationError(reason, { option: 'id' });
  }

  /** Forgets every delivery, including those under way; ids start again at 1. */
  clear(): void {
    this.#journal.clear();
  }
}
