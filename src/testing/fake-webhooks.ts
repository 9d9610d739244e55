import type { Region } from '../ground/regions.js';
import type { Clock } from '../webhooks/clock.js';
import {
  isWebhookEventType,
  type WebhookEventType,
  type WebhookPayloadOf,
  webhookEvents,
} from '../webhooks/events.js';
import { type DeliveryRecord, type DeliveryTarget, deliver, type EventPost } from './deliver.js';
import { createFixtures, type DeepPartial } from './fixtures/fixtures.js';
import { targetAddress } from './hosts.js';
import { randomNumbers } from './random.js';
import { type RecordedWebhook, readRecordingFile } from './recording.js';
import type { FakeWorkspace } from './records.js';
import { existing, type World } from './state.js';

/** The most copies of an event that one call posts. */
const MAX_COPIES = 1_000;

/** The owner of webhooks: a workspace in a region. */
export interface WebhookOwner {
  /** Default `'eu'`. */
  readonly region?: Region | undefined;
  /**
   * The workspace whose secret the payload carries; at an agent's own address, that of the agent's workspace instead.
   * Default: the first of the region.
   */
  readonly workspaceId?: string | undefined;
}

/** Limits what a subscriber gets. */
export interface SubscribeOptions extends WebhookOwner {
  /** Only these types are sent (6.2); types that the specification does not know are possible. Default: every one. */
  readonly events?: readonly (WebhookEventType | (string & {}))[] | undefined;
  /**
   * Ends with the next `reset`. Default: as it is where the address is subscribed already; else false, and true for what is
   * subscribed over HTTP.
   */
  readonly untilReset?: boolean | undefined;
}

/** Options of {@link FakeWebhooks.send}. */
export interface SendOptions extends WebhookOwner {
  /** The number of copies that are posted, all at once and all alike: from 1 to 1000. Default 1. */
  readonly copies?: number | undefined;
  /** Puts a wrong secret into the payload. Default false. */
  readonly forged?: boolean | undefined;
}

/** Options of {@link FakeWebhooks.sendAll}. */
export interface SendAllOptions extends SendOptions {
  /** Sends them in another order, one that depends on this seed: order is not guaranteed (6.4). */
  readonly shuffle?: number | undefined;
}

/** One event of several to be sent. */
export type EventToSend = {
  readonly [Type in WebhookEventType]: {
    /** The event type. */
    readonly type: Type;
    /** Laid over the payload of the fixture. */
    readonly overrides?: DeepPartial<WebhookPayloadOf<Type>> | undefined;
  };
}[WebhookEventType];

/** A subscriber of a fake's events. */
export interface Subscription {
  /** `subscription_1`: tells it from the others. */
  readonly id: string;
  /** The address it is posted to; `'receiver'` for a receiver in process. */
  readonly address: string;
  /** The region whose events it gets. */
  readonly region: Region;
  /** The workspace whose events it gets. */
  readonly workspaceId: string;
  /** The types it gets; undefined for every one. */
  readonly events: readonly string[] | undefined;
  /** Ends with the next `reset`. */
  readonly untilReset: boolean;
}

type Subscribed = Pick<Subscription, 'address' | 'region' | 'workspaceId'>;

/** An address is subscribed once for each workspace. */
export function isSameSubscription(one: Subscribed, other: Subscribed): boolean {
  return (
    one.address === other.address && one.region === other.region && one.workspaceId === other.workspaceId
  );
}

type Payload = Readonly<Record<string, unknown>>;

/** The payload that {@link FakeWebhooks.send} takes for an event of one's own: `createdAt` may be left out, and is put in. */
export type PayloadToSend<Sent> = Omit<Sent, 'createdAt'> & Partial<Pick<Sent, keyof Sent & 'createdAt'>>;

/** Hears of what is delivered, and of who subscribes; and says whether the oldest of so many deliveries is forgotten. */
interface WebhookListener {
  readonly forgetsOldest: (count: number) => boolean;
  readonly delivered: (delivery: DeliveryRecord) => void;
  readonly changed: (what: 'subscriptions' | 'deliveries') => void;
}

/** A subscription with its target. */
interface Subscriber extends Subscription {
  readonly target: string | DeliveryTarget;
}

/** A target of an event, and the workspace whose secret the payload carries. */
interface Address extends Pick<EventPost, 'target' | 'via'> {
  readonly owner: FakeWorkspace;
}

/**
 * Sends the service's events to whoever subscribed. The specification does not say which action emits which event,
 * so nothing is sent on its own.
 */
export class FakeWebhooks {
  readonly #world: World;
  readonly #clock: Clock;
  readonly #on: WebhookListener;
  readonly #deliveries: DeliveryRecord[] = [];
  /** Bodies that were posted, by the ids of their deliveries: they hold secrets, which no record shows. */
  readonly #posts = new Map<string, EventPost>();
  #subscribers: readonly Subscriber[] = [];
  #lastSubscription = 0;
  #lastDelivery = 0;
  #lastCreatedAt = 0;

  /** @internal */
  constructor(world: World, clock: Clock, on: WebhookListener) {
    this.#world = world;
    this.#clock = clock;
    this.#on = on;
  }

  /** Every delivery so far, in the order in which they ended. */
  get deliveries(): readonly DeliveryRecord[] {
    return this.#deliveries;
  }

  /** Subscriptions, in their order. */
  get subscriptions(): readonly Subscription[] {
    return this.#subscribers.map(({ target: _, ...subscription }) => subscription);
  }

  /**
   * Subscribes an address, over real HTTP, or a receiver in process. An address is subscribed once for each workspace: to
   * subscribe it again replaces the `events` it gets, and `untilReset` where that is given.
   *
   * @returns A function that ends the subscription.
   * @throws {TypeError} When the address is not an `http:` or `https:` URL, the receiver has no `fetch`, or the workspace is not there.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret });
   * fake.webhooks.subscribe(receiver, { events: ['lead_captured'] });
   *
   * const [delivery] = await fake.webhooks.send('lead_captured', { leadName: 'Dana' });
   * console.log(delivery?.status); // 200
   * ```
   */
  subscribe(target: string | URL | DeliveryTarget, options: SubscribeOptions = {}): () => void {
    const isAddress = typeof target === 'string' || target instanceof URL;
    // From JavaScript it may be anything, and each delivery would fail.
    if (!isAddress && typeof (target as DeliveryTarget | undefined)?.fetch !== 'function') {
      throw new TypeError('subscribe: the target must be an address or a receiver');
    }
    const address = isAddress ? targetAddress('The address', String(target)) : 'receiver';
    const { region, workspace } = this.#ownerOf(options);
    const isSame = (other: Subscriber): boolean =>
      isAddress && isSameSubscription(other, { address, region, workspaceId: workspace.id });
    const before = this.#subscribers.find(isSame);
    const subscriber: Subscriber = {
      id: before?.id ?? `subscription_${++this.#lastSubscription}`,
      address,
      target: isAddress ? address : target,
      events: options.events && [...options.events],
      region,
      workspaceId: workspace.id,
      untilReset: options.untilReset ?? before?.untilReset ?? false,
    };
    this.#subscribers = [...this.#subscribers.filter((other) => !isSame(other)), subscriber];
    this.#on.changed('subscriptions');
    return () => this.unsubscribe(subscriber.id);
  }

  /**
   * Ends a subscription.
   *
   * @returns False where there is none with this id.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks } = createFakePlatform();
   * webhooks.subscribe('http://127.0.0.1:3000/webhooks');
   * for (const { id } of webhooks.subscriptions) webhooks.unsubscribe(id);
   * ```
   */
  unsubscribe(id: string): boolean {
    const others = this.#subscribers.filter((other) => other.id !== id);
    const isThere = others.length < this.#subscribers.length;
    this.#subscribers = others;
    if (isThere) this.#on.changed('subscriptions');
    return isThere;
  }

  /**
   * Sends a valid event, with `createdAt` of now, to every subscriber of its type; `conversation_updated` goes to the
   * agent's `advanced.serverUrl` too (6.3, rule 1). Resolves when all deliveries have ended, and never rejects
   * because of one. `agentPlatform` is that of the agent that the payload names.
   *
   * @returns The outcome of each delivery. Empty where nobody subscribed.
   * @throws {TypeError} When `copies` is out of its bounds, or the service would never send it: only the native platform sends
   *   the event (6.2), and the agent that the payload names is on the other.
   */
  send<Type extends WebhookEventType>(
    type: Type,
    overrides?: DeepPartial<WebhookPayloadOf<Type>>,
    options: SendOptions = {},
  ): Promise<readonly DeliveryRecord[]> {
    return this.#post({ type, payload: this.#payloadOf(type, overrides, options) }, options);
  }

  /**
   * Sends several events, one after the other, or in another order with `shuffle`.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks } = createFakePlatform();
   * await webhooks.sendAll(
   *   [{ type: 'client_created', overrides: { clientId: 'c1' } }, { type: 'client_deleted', overrides: { clientId: 'c1' } }],
   *   { shuffle: 7 },
   * );
   * ```
   */
  async sendAll(
    events: readonly EventToSend[],
    options: SendAllOptions = {},
  ): Promise<readonly DeliveryRecord[]> {
    // Events are made before they are shuffled, so that `createdAt` tells their true order.
    const made = events.map(({ type, overrides }) => ({
      type,
      payload: this.#payloadOf(type, overrides, options),
    }));
    const records: DeliveryRecord[] = [];
    for (const event of inOrder(made, options.shuffle)) {
      records.push(...(await this.#post(event, options)));
    }
    return records;
  }

  /**
   * Sends an event of a type that the specification does not know, to subscribers of every type or of this one.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks } = createFakePlatform();
   * await webhooks.sendUnknown('lead_scored', { score: 9 });
   * ```
   */
  sendUnknown(
    type: string,
    payload: Readonly<Record<string, unknown>> = {},
    options: SendOptions = {},
  ): Promise<readonly DeliveryRecord[]> {
    if (isWebhookEventType(type)) throw new TypeError(`"${type}" is a known type: use send.`);
    const { createdAt = this.#now() } = payload;
    return this.#post({ type, payload: { ...payload, createdAt } }, options);
  }

  /**
   * Sends recorded webhooks, one after the other, as they were posted; the secret is that of the workspace here.
   *
   * @param recording - A file of `agent-platform-sdk listen --record`, or what `fixtures.fromRecording` has read.
   * @throws {TypeError} When a line of the file is no recorded webhook.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const fake = createFakePlatform();
   * fake.webhooks.subscribe('http://127.0.0.1:3000/webhooks');
   * const deliveries = await fake.webhooks.replay('events.ndjson');
   * ```
   */
  async replay(
    recording: string | URL | readonly RecordedWebhook[],
    options: SendOptions = {},
  ): Promise<readonly DeliveryRecord[]> {
    const isFile = typeof recording === 'string' || recording instanceof URL;
    const records: DeliveryRecord[] = [];
    for (const webhook of isFile ? readRecordingFile(recording) : recording) {
      records.push(...(await this.#post(webhook, options)));
    }
    return records;
  }

  /**
   * Delivers again what was delivered before: the same payload, to the same target. The service never does (6.4); a receiver
   * must recognise it as a duplicate.
   *
   * @param id - The `id` of a delivery.
   * @throws {TypeError} When there is no delivery with this id, or it is forgotten.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks, seed } = createFakePlatform();
   * webhooks.subscribe(createWebhookReceiver({ secret: seed.eu.workspaceSecret }));
   * const [first] = await webhooks.send('lead_captured');
   * const again = await webhooks.resend(first?.id ?? '');
   * console.log(again.status); // 200, and handled once
   * ```
   */
  resend(id: string): Promise<DeliveryRecord> {
    const post = this.#posts.get(id);
    if (post === undefined) throw new TypeError(`There is no delivery with the id "${id}".`);
    return this.#deliver(post);
  }

  /**
   * Forgets every delivery, those too that are still under way.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks } = createFakePlatform();
   * webhooks.clear();
   * console.log(webhooks.deliveries); // []
   * ```
   */
  clear(): void {
    this.#deliveries.length = 0;
    this.#posts.clear();
    this.#on.changed('deliveries');
  }

  /**
   * Forgets every delivery, and ends the subscriptions that are `untilReset`.
   *
   * @example
   * ```ts
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks } = createFakePlatform();
   * webhooks.reset();
   * console.log(webhooks.deliveries); // []
   * ```
   */
  reset(): void {
    this.clear();
    this.#subscribers = this.#subscribers.filter(({ untilReset }) => !untilReset);
    this.#on.changed('subscriptions');
  }

  /** Makes the payload, as the platform of the agent that it names would send it. */
  #payloadOf<Type extends WebhookEventType>(
    type: Type,
    overrides: DeepPartial<WebhookPayloadOf<Type>> | undefined,
    options: SendOptions,
  ): Payload {
    const { region } = this.#ownerOf(options);
    const event = createFixtures({ region }).event(type, overrides);
    // An interface has no index signature; a payload is a plain object all the same.
    const payload = event.payload as object as Payload;
    const agent = this.#world.state[region].agents.get(String(payload.agentId));
    if (agent?.platform === 'vf' && webhookEvents[type].platforms === 'native') {
      throw new TypeError(
        `${type} cannot be sent for the agent "${agent.id}": only the native platform sends it (6.2), and the agent's platform is "vf".`,
      );
    }
    const isPlatformOpen = 'agentPlatform' in payload && !Object.hasOwn(overrides ?? {}, 'agentPlatform');
    const platform = agent !== undefined && isPlatformOpen ? { agentPlatform: agent.platform } : {};
    // A wrong one is let through as other fields are.
    const isOpen = overrides?.createdAt === undefined;
    return { ...payload, ...platform, ...(isOpen && { createdAt: this.#now() }) };
  }

  #post(event: RecordedWebhook, options: SendOptions): Promise<readonly DeliveryRecord[]> {
    const { type } = event;
    // As it is sent, and a copy: it may be delivered again.
    const { payload, envelope } = JSON.parse(JSON.stringify(event)) as RecordedWebhook;
    const { region, workspace } = this.#ownerOf(options);
    const { copies = 1, forged = false } = options;
    if (!Number.isInteger(copies) || copies < 1 || copies > MAX_COPIES) {
      throw new TypeError(`copies must be a whole number from 1 to ${MAX_COPIES}, got ${String(copies)}.`);
    }
    const posts = [
      ...this.#subscribersOf(type, region, workspace),
      ...this.#agentAddress(type, payload, region),
    ].map(({ owner, ...address }) => ({
      ...address,
      type,
      payload,
      envelope,
      secret: forged ? `forged-${owner.id}` : owner.secret,
    }));
    const all = Array.from({ length: copies }, () => posts).flat();
    return Promise.all(all.map((post) => this.#deliver(post)));
  }

  async #deliver(post: EventPost): Promise<DeliveryRecord> {
    this.#lastDelivery += 1;
    const id = `delivery_${this.#lastDelivery}`;
    this.#posts.set(id, post);
    const record = await deliver(post, this.#clock, id);
    if (this.#posts.get(id) === post) this.#deliveries.push(record);
    if (this.#on.forgetsOldest(this.#deliveries.length))
      this.#posts.delete(this.#deliveries.shift()?.id ?? id);
    this.#on.delivered(record);
    return record;
  }

  #subscribersOf(type: string, region: Region, owner: FakeWorkspace): Address[] {
    return this.#subscribers
      .filter((each) => each.region === region && each.workspaceId === owner.id)
      .filter((each) => each.events === undefined || each.events.includes(type))
      .map(({ target }) => ({ target, via: 'subscription', owner }));
  }

  #agentAddress(type: string, { agentId }: Payload, region: Region): Address[] {
    if (type !== 'conversation_updated' || typeof agentId !== 'string') return [];
    const { agents, workspaces } = this.#world.state[region];
    const agent = agents.get(agentId);
    // Another workspace's agent is told the secret of its own; one whose workspace was removed has none.
    const owner = workspaces.get(agent?.workspaceId ?? '');
    if (agent?.advanced.serverUrl === undefined || owner === undefined) return [];
    return [{ target: agent.advanced.serverUrl, via: 'agent', owner }];
  }

  #ownerOf({ region = 'eu', workspaceId }: WebhookOwner): { region: Region; workspace: FakeWorkspace } {
    const { workspaces } = this.#world.state[region];
    const workspace = existing(region, 'workspace', workspaces, workspaceId);
    return { region, workspace };
  }

  /** The time of the clock, but later than any before, so that no two events are taken for duplicates. */
  #now(): number {
    this.#lastCreatedAt = Math.max(this.#clock.now(), this.#lastCreatedAt + 1);
    return this.#lastCreatedAt;
  }
}

function inOrder<Value>(values: readonly Value[], seed: number | undefined): readonly Value[] {
  if (seed === undefined) return values;
  const random = randomNumbers(seed);
  const drawn = values.map((value) => ({ value, place: random() }));
  return drawn.sort((a, b) => a.place - b.place).map(({ value }) => value);
}
