import type { Region } from '../../utils/regions.js';
import type { ChangeEmitter } from '../fake/changes.js';
import type { DeliveryTarget } from './post.js';

/** A subscriber of a fake's events. */
export interface Subscription {
  /** `subscription_1`. */
  readonly id: string;
  /** The address it is posted to; `'receiver'` for a receiver in process. */
  readonly address: string;
  /** The region whose events it receives. */
  readonly region: Region;
  /** The workspace whose events it receives. */
  readonly workspaceId: string;
  /** The types it receives; undefined for all. */
  readonly events: readonly string[] | undefined;
}

interface Subscriber extends Subscription {
  readonly target: string | DeliveryTarget;
  /** Added over HTTP: ends with the next reset, because no program holds it. */
  readonly isOverHttp: boolean;
}

/** The subscriptions of a fake, in their order. */
export class Subscriptions {
  readonly #changes: ChangeEmitter;
  #subscribers: readonly Subscriber[] = [];
  #lastId = 0;

  constructor(changes: ChangeEmitter) {
    this.#changes = changes;
  }

  list(): readonly Subscription[] {
    return this.#subscribers.map(({ target: _, isOverHttp: __, ...subscription }) => subscription);
  }

  /** Adds a subscriber, and returns its id. One of the same address and workspace is replaced. */
  add(subscriber: Omit<Subscriber, 'id'>): string {
    const { target, region, workspaceId } = subscriber;
    const before = this.#subscribers.find(
      (other) =>
        typeof target === 'string' &&
        other.target === target &&
        other.region === region &&
        other.workspaceId === workspaceId,
    );
    if (before === undefined) this.#lastId += 1;
    const id = before?.id ?? `subscription_${this.#lastId}`;
    // The program's own subscription stays its own.
    const isOverHttp = subscriber.isOverHttp && before?.isOverHttp !== false;
    const others = this.#subscribers.filter((other) => other !== before);
    this.#keep([...others, { ...subscriber, id, isOverHttp }]);
    return id;
  }

  /** Removes a subscriber. Returns false if there is none with this id. */
  remove(id: string): boolean {
    const others = this.#subscribers.filter((other) => other.id !== id);
    const wasThere = others.length < this.#subscribers.length;
    if (wasThere) this.#keep(others);
    return wasThere;
  }

  /** Removes the subscribers that were added over HTTP. */
  removeOverHttp(): void {
    this.#keep(this.#subscribers.filter(({ isOverHttp }) => !isOverHttp));
  }

  /** The targets for an event of a workspace. */
  targetsOf(type: string, region: Region, workspaceId: string): readonly (string | DeliveryTarget)[] {
    return this.#subscribers
      .filter((each) => each.region === region && each.workspaceId === workspaceId)
      .filter(({ events }) => events === undefined || events.includes(type))
      .map(({ target }) => target);
  }

  #keep(subscribers: readonly Subscriber[]): void {
    this.#subscribers = subscribers;
    this.#changes.emit({ type: 'changed', what: 'subscriptions' });
  }
}
