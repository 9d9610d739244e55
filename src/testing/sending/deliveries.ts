import { ConfigurationError } from '../../errors/index.js';
import { redact } from '../../utils/redact.js';
import type { Generation } from '../fake/generation.js';
import { Log, type LogListener } from '../fake/log.js';
import { takeFailure } from './failures.js';
import { type DeliveryRecord, EVENT_HEADERS, type EventPost, postEvent } from './post.js';

/** An event of a fake on its way, with what its record says about it. */
export type FakePost = EventPost & Pick<DeliveryRecord, 'region' | 'secretOf'>;

/** Posts the events of a fake, and records each delivery from its beginning. */
export class Deliveries {
  readonly #log: Log<DeliveryRecord>;
  readonly #generation: Generation;
  /** The event of each delivery, to send it again. */
  readonly #posts = new WeakMap<DeliveryRecord, FakePost>();

  constructor(generation: Generation, listener: LogListener<DeliveryRecord>) {
    this.#generation = generation;
    this.#log = new Log('delivery', listener);
  }

  get records(): readonly DeliveryRecord[] {
    return this.#log.entries;
  }

  async post(event: FakePost): Promise<DeliveryRecord> {
    const { type, region, secretOf, secret, target } = event;
    // `redact` of an object returns an object.
    const payload = redact({ ...event.payload, workspaceSecret: secret }) as DeliveryRecord['payload'];
    const address = typeof target === 'string' ? target : 'receiver';
    const delivery = this.#log.open({
      at: Date.now(),
      type,
      region,
      secretOf,
      address,
      headers: EVENT_HEADERS,
      payload,
    });
    this.#posts.set(delivery, event);
    const { ended, done } = this.#generation.begin();
    const { location: _, ...result } = await postEvent(event, ended);
    done();
    this.#log.close(delivery, { error: takeFailure(event), ...result });
    return delivery;
  }

  async repeat(id: string): Promise<DeliveryRecord> {
    const delivery = this.records.find((each) => each.id === id);
    const event = delivery && this.#posts.get(delivery);
    if (event !== undefined) return this.post(event);
    throw new ConfigurationError(`There is no delivery "${id}".`, { option: 'id' });
  }

  /** Forgets every delivery, including those under way; ids start again at 1. */
  clear(): void {
    this.#log.clear();
  }
}
