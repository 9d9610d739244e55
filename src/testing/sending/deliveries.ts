import { ConfigurationError } from '../../errors/index.js';
import { redact } from '../../utils/redact.js';
import type { WebhookReceiver } from '../../webhooks/receiver.js';
import type { Generation } from '../fake/generation.js';
import { Log, type LogListener } from '../fake/log.js';
import { describeFailure } from './connection.js';
import {
  type DeliveryRecord,
  type DeliveryTarget,
  EVENT_HEADERS,
  type EventPost,
  postEvent,
} from './post.js';

/** An event of a fake on its way, with what its record says about it. */
export type FakePost = EventPost & Pick<DeliveryRecord, 'region' | 'secretOf'>;

/** The log of a fake's deliveries. Posts events, and records each delivery from its beginning. */
export class Deliveries extends Log<DeliveryRecord> {
  readonly #generation: Generation;
  /** The event of each delivery, to send it again. */
  readonly #posts = new WeakMap<DeliveryRecord, FakePost>();

  constructor(generation: Generation, listener: LogListener<DeliveryRecord>) {
    super('delivery', listener);
    this.#generation = generation;
  }

  async post(event: FakePost): Promise<DeliveryRecord> {
    const { type, region, secretOf, secret, target } = event;
    // `redact` of an object returns an object.
    const payload = redact({ ...event.payload, workspaceSecret: secret }) as DeliveryRecord['payload'];
    const address = typeof target === 'string' ? target : 'receiver';
    const delivery = this.open({
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
    this.close(delivery, { error: takeFailure(event), ...result });
    return delivery;
  }

  async repeat(id: string): Promise<DeliveryRecord> {
    const delivery = this.entries.find((each) => each.id === id);
    const event = delivery && this.#posts.get(delivery);
    if (event !== undefined) return this.post(event);
    throw new ConfigurationError(`There is no delivery "${id}".`, { option: 'id' });
  }
}

/** The failures of each receiver, by event. The response of a receiver never names them. */
const failuresOf = /* @__PURE__ */ new WeakMap<DeliveryTarget, Map<string, string>>();

/** Records what fails in a receiver of this package. Other targets have no `onRejected`. */
export function followFailures(target: DeliveryTarget): void {
  if (failuresOf.has(target) || !('onRejected' in target)) return;
  const failures = new Map<string, string>();
  failuresOf.set(target, failures);
  (target as WebhookReceiver).onError((error, { event }) => {
    if (event !== undefined) failures.set(JSON.stringify(event.payload), describeFailure(error));
  });
}

/** Returns what failed in the receiver of a post, once. */
function takeFailure({ target, payload }: EventPost): string | undefined {
  if (typeof target === 'string') return undefined;
  const failures = failuresOf.get(target);
  const event = JSON.stringify(payload);
  const failure = failures?.get(event);
  failures?.delete(event);
  return failure;
}
