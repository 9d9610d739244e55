import type { Region } from '../../utils/regions.js';
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
}

/** The subscriptions of a fake, in their order. */
export class Subscriptions {
  readonly #onChange: () => void;
  #subscribers: readonly Subscriber[] = [];
  /** A reset returns to these. */
  #kept = { subscribers: [] as readonly Subscriber[], lastId: 0 };
  #lastId = 0;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  list(): readonly Subscription[] {
    return this.#subscribers.map(({ target: _, ...subscription }) => subscription);
  }

  /** Adds a subscriber, and returns its id. One of the same address and workspace is replaced. */
  add(subscriber: Omit<Subscriber, 'id'>): string {
    const { target, region, workspaceId } = subscriber;
    const isSame = (other: Subscriber): boolean =>
      other.target === target && other.region === region && other.workspaceId === workspaceId;
    const before = typeof target === 'string' ? this.#subscribers.find(isSame) : undefined;
    if (before === undefined) this.#lastId += 1;
    const id = before?.id ?? `subscription_${this.#lastId}`;
    const others = this.#subscribers.filter((other) => other !== before);
    this.#change([...others, { ...subscriber, id }]);
    return id;
  }

  /** Removes a subscriber. Returns false if there is none with this id. */
  remove(id: string): boolean {
    const others = this.#subscribers.filter((other) => other.id !== id);
    const wasThere = others.length < this.#subscribers.length;
    if (wasThere) this.#change(others);
    return wasThere;
  }

  /** Keeps the subscribers so far at each reset. */
  keep(): void {
    this.#kept = { subscribers: this.#subscribers, lastId: this.#lastId };
  }

  /** Removes the others; ids go on after theirs. */
  reset(): void {
    this.#lastId = this.#kept.lastId;
    this.#change(this.#kept.subscribers);
  }

  /** The targets for an event of a workspace. */
  targetsOf(type: string, region: Region, workspaceId: string): readonly (string | DeliveryTarget)[] {
    return this.#subscribers
      .filter((each) => each.region === region && each.workspaceId === workspaceId)
      .filter(({ events }) => events === undefined || events.includes(type))
      .map(({ target }) => target);
  }

  #change(subscribers: readonly Subscriber[]): void {
    this.#subscribers = subscribers;
    this.#onChange();
  }
}
