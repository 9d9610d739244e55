import { ConfigurationError } from '../../errors/index.js';
import { redact } from '../../utils/redact.js';
import type { ChangeEmitter } from '../changes.js';
import type { Generation } from '../fake/generation.js';
import { Journal, NOT_KEPT } from '../fake/log.js';
import { takeFailure } from './failures.js';
import { type DeliveryRecord, type EventPost, postEvent } from './post.js';

/** An event of a fake on its way, with what its record says about it. */
export type FakePost = EventPost & Pick<DeliveryRecord, 'region' | 'secretOf'>;

/** Posts the events of a fake, and records each delivery from its beginning. */
export class Deliveries {
  readonly #journal: Journal<DeliveryRecord>;
  readonly #generation: Generation;
  /** The event of each delivery, to send it again. */
  readonly #posts = new WeakMap<DeliveryRecord, FakePost>();

  constructor(changes: ChangeEmitter, generation: Generation) {
    this.#generation = generation;
    this.#journal = new Journal<DeliveryRecord>({
      prefix: 'delivery',
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
    const { type, region, secretOf, secret, target } = event;
    // `redact` of an object returns an object.
    const payload = redact({ ...event.payload, workspaceSecret: secret }) as DeliveryRecord['payload'];
    const address = typeof target === 'string' ? target : 'receiver';
    const delivery = this.#journal.open({ at: Date.now(), type, region, secretOf, address, payload });
    this.#posts.set(delivery, event);
    const { ended, done } = this.#generation.begin();
    const { location: _, ...result } = await postEvent(event, ended);
    done();
    this.#journal.close(delivery, { error: takeFailure(event), ...result });
    return delivery;
  }

  async repeat(id: string): Promise<DeliveryRecord> {
    const delivery = this.records.find((each) => each.id === id);
    const event = delivery && this.#posts.get(delivery);
    if (event !== undefined) return this.post(event);
    const reason =
      delivery === undefined
        ? `There is no delivery "${id}".`
        : `The payload of delivery "${id}" was dropped to make room for newer ones.`;
    throw new ConfigurationError(reason, { option: 'id' });
  }

  /** Forgets every delivery, including those under way; ids start again at 1. */
  clear(): void {
    this.#journal.clear();
  }
}
