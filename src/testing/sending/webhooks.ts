import { ConfigurationError } from '../../errors/index.js';
import { typeName } from '../../utils/issues.js';
import type { Region } from '../../utils/regions.js';
import { checkOptions } from '../../validation/check-options.js';
import { isWebhookEventType, type WebhookEventType } from '../../webhooks/events/table.js';
import type { Generation } from '../fake/generation.js';
import type { LogListener } from '../fake/log.js';
import { unknownRecord } from '../fake/records/collection.js';
import type { FakeWorkspace } from '../fake/records/records.js';
import type { Store } from '../fake/records/region-store.js';
import { copyOf } from '../fixtures/overlay.js';
import { Deliveries, type FakePost, followFailures } from './deliveries.js';
import {
  eventSchema,
  type SendOptions,
  type SubscribeOptions,
  sendSchema,
  subscribeSchema,
  type WebhookOwner,
} from './options.js';
import { checkSpelling, completePayload, type Payload, type PayloadToSend } from './payload.js';
import { type DeliveryRecord, type DeliveryTarget, targetAddress } from './post.js';
import { type RecordedWebhook, readRecordingFile } from './recording.js';
import { type Subscription, Subscriptions } from './subscriptions.js';

/** A clock that jumps by more was set, as by fake timers. */
const CLOCK_JUMP_MS = 1_000;

/**
 * Sends the service's events to subscribers. Nothing is sent by itself, because the specification does not say
 * which action emits which event (6.4).
 */
export class FakeWebhooks {
  readonly #store: Store;
  readonly #subscriptions: Subscriptions;
  readonly #deliveries: Deliveries;
  #lastCreatedAt = 0;

  /** @internal */
  constructor(
    store: Store,
    generation: Generation,
    listener: LogListener<DeliveryRecord> & { readonly onSubscriptions: () => void },
  ) {
    this.#store = store;
    this.#subscriptions = new Subscriptions(listener.onSubscriptions);
    this.#deliveries = new Deliveries(generation, listener);
  }

  /** The deliveries so far, in the order of posting, those under way too: the newest 10,000. */
  get deliveries(): readonly DeliveryRecord[] {
    return this.#deliveries.entries;
  }

  /** The subscriptions, in their order. */
  get subscriptions(): readonly Subscription[] {
    return this.#subscriptions.list();
  }

  /**
   * Subscribes an address, over real HTTP, or a receiver in process. An address has one subscription for each
   * workspace: a second one replaces the first.
   *
   * @returns A function that ends the subscription.
   * @throws {ConfigurationError} If the target is neither an `http:` or `https:` URL nor a receiver, an
   * option is wrong, or the workspace does not exist.
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
    checkOptions(subscribeSchema, options, { of: 'webhooks.subscribe' });
    for (const type of options.events ?? []) checkSpelling(type);
    const isAddress = typeof target === 'string' || target instanceof URL;
    if (!isAddress && typeof target?.fetch !== 'function') {
      const problem = `webhooks.subscribe: expected an address or a receiver, got ${typeName(target)}.`;
      throw new ConfigurationError(problem, { option: 'target' });
    }
    const address = isAddress ? targetAddress('webhooks.subscribe', String(target)) : 'receiver';
    if (!isAddress) followFailures(target);
    const { region, workspace } = this.#ownerOf(options);
    const id = this.#subscriptions.add({
      address,
      target: isAddress ? address : target,
      events: options.events && [...options.events],
      region,
      workspaceId: workspace.id,
    });
    return () => void this.unsubscribe(id);
  }

  /**
   * Ends a subscription. Returns false if there is none with this id.
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
    return this.#subscriptions.remove(id);
  }

  /**
   * Sends an event to every subscriber of its type. `conversation_updated` also goes to the agent's
   * `advanced.serverUrl` (6.3, rule 1). Resolves when all deliveries have ended, even if some failed.
   *
   * For an event of the specification, `payload` is merged into its fixture, and `agentPlatform` is that of
   * the agent. For any other type, `payload` is sent unchanged. `createdAt` is now unless given.
   *
   * @returns The outcome of each delivery, at least one.
   * @throws {ConfigurationError} If there is no subscriber, an option is wrong, the agent's platform does not
   * send the event (6.2), or the type looks like a typo: it differs from a documented one only in case,
   * separators or one letter.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   * import { createFakePlatform } from 'agent-platform-sdk/testing';
   *
   * const { webhooks, seed } = createFakePlatform();
   * webhooks.subscribe(createWebhookReceiver({ secret: seed.eu.workspaceSecret }));
   * await webhooks.send('lead_captured', { leadName: 'Dana' }, { copies: 2 });
   * await webhooks.send('invoice_paid', { amount: 9 });
   * ```
   */
  async send<Type extends WebhookEventType | (string & {})>(
    type: Type,
    payload?: PayloadToSend<Type>,
    options: SendOptions = {},
  ): Promise<readonly DeliveryRecord[]> {
    checkOptions(sendSchema, options, { of: 'webhooks.send' });
    checkOptions(eventSchema, { type, payload }, { of: 'webhooks.send' });
    checkSpelling(type);
    const { createdAt = this.#now(), ...fields }: Payload = payload ?? {};
    const { region } = this.#ownerOf(options);
    const place = { region, state: this.#store[region] };
    const all = isWebhookEventType(type) ? completePayload(type, fields, place) : fields;
    const deliveries = await this.#post(type, { ...all, createdAt }, options);
    if (deliveries.length === 0) throw this.#nobodySubscribed(`send: ${type}`, options);
    return deliveries;
  }

  /**
   * Sends recorded webhooks again, one after the other. Only the secret is that of the workspace here.
   *
   * @param recording - A file of `agent-platform-sdk listen --record`, or its lines.
   * @throws {ConfigurationError} If a line of the file is not a recorded webhook.
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
    checkOptions(sendSchema, options, { of: 'webhooks.replay' });
    const isFile = typeof recording === 'string' || recording instanceof URL;
    const records: DeliveryRecord[] = [];
    for (const { type, payload } of isFile ? readRecordingFile(recording) : recording) {
      records.push(...(await this.#post(type, payload, options)));
    }
    if (records.length === 0) throw this.#nobodySubscribed('replay: the recording', options);
    return records;
  }

  /**
   * Repeats a delivery: the same payload, to the same target. The service has no automatic retry; a receiver
   * should still handle duplicates (6.4).
   *
   * @throws {ConfigurationError} If there is no delivery with this id.
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
  async resend(id: string): Promise<DeliveryRecord> {
    return this.#deliveries.repeat(id);
  }

  /** Forgets every delivery, including those under way; ids start again at 1. */
  clear(): void {
    this.#deliveries.clear();
  }

  /**
   * Keeps the subscriptions so far at each reset, as the command does with its own.
   *
   * @internal
   */
  keepSubscriptions(): void {
    this.#subscriptions.keep();
  }

  /**
   * Forgets every delivery, and ends the subscriptions, unless they are kept.
   *
   * @internal
   */
  reset(keepSubscriptions: boolean): void {
    this.#deliveries.clear();
    this.#lastCreatedAt = 0;
    if (!keepSubscriptions) this.#subscriptions.reset();
  }

  #post(type: string, payload: Payload, options: SendOptions): Promise<readonly DeliveryRecord[]> {
    const { region, workspace } = this.#ownerOf(options);
    const { copies = 1, forged = false } = options;
    const { agents, workspaces } = this.#store[region];
    // A copy, because it may be delivered again later.
    const event = { type, payload: copyOf(payload), region };
    const secretFrom = ({ id, secret }: FakeWorkspace) =>
      forged ? { secret: `forged-${id}`, secretOf: undefined } : { secret, secretOf: id };
    const posts = this.#subscriptions
      .targetsOf(type, region, workspace.id)
      .map((target): FakePost => ({ ...event, target, ...secretFrom(workspace) }));
    const agent = type === 'conversation_updated' ? agents.get(String(payload.agentId)) : undefined;
    const target = agent?.advanced.serverUrl;
    // The secret is that of the agent's own workspace; if that was removed, there is none.
    const home = workspaces.get(agent?.workspaceId ?? '');
    if (target !== undefined && home !== undefined) {
      posts.push({ ...event, target, ...secretFrom(home) });
    }
    const all = Array.from({ length: copies }, () => posts).flat();
    return Promise.all(all.map((post) => this.#deliveries.post(post)));
  }

  /** Without an error, `deliveries.every(…)` would hold for no delivery at all. */
  #nobodySubscribed(what: string, options: SendOptions): ConfigurationError {
    const { region, workspace } = this.#ownerOf(options);
    const known = this.subscriptions.map(
      ({ id, address, region: of, workspaceId, events }) =>
        `\n  ${id}: ${events?.join(', ') ?? 'all events'} of ${workspaceId} (${of}) to ${address}`,
    );
    const list = known.length === 0 ? ' There are no subscriptions.' : ` Subscriptions:${known.join('')}`;
    const problem = `webhooks.${what} has no subscriber in ${workspace.id} (${region}).`;
    return new ConfigurationError(`${problem} Add one with webhooks.subscribe.${list}`, { option: 'type' });
  }

  #ownerOf({ region = 'eu', workspaceId }: WebhookOwner): { region: Region; workspace: FakeWorkspace } {
    const state = this.#store[region];
    const id = workspaceId ?? state.workspaces.keys().next().value ?? '';
    const workspace = state.workspaces.get(id);
    if (workspace === undefined) throw unknownRecord('workspaces', id, { region, state });
    return { region, workspace };
  }

  /** The current time, but never the same twice: two events would be duplicates of each other. */
  #now(): number {
    const now = Date.now();
    const isSameClock = Math.abs(now - this.#lastCreatedAt) < CLOCK_JUMP_MS;
    this.#lastCreatedAt = isSameClock ? Math.max(now, this.#lastCreatedAt + 1) : now;
    return this.#lastCreatedAt;
  }
}
