import { ConfigurationError } from '../errors/index.js';
import { typeName } from '../utils/issues.js';
import { hintFor } from '../utils/suggest.js';
import type { WebhookContext, WebhookFailure, WebhookHandler, WebhookRejection } from './context.js';
import {
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEvents,
} from './events.js';
import {
  type InvalidWebhookEvent,
  isInvalidEvent,
  type ReceivedWebhook,
  type UnknownWebhookEvent,
} from './payload.js';

type AnyHandler = WebhookHandler<never>;

/** The functions that are registered at a receiver or for a worker. */
export class Registry {
  readonly everyType: WebhookHandler[] = [];
  readonly unhandled: WebhookHandler[] = [];
  readonly unknown: WebhookHandler<UnknownWebhookEvent>[] = [];
  readonly invalid: WebhookHandler<InvalidWebhookEvent>[] = [];
  readonly error: ((error: unknown, failure: WebhookFailure) => unknown)[] = [];
  readonly rejected: ((rejection: WebhookRejection) => unknown)[] = [];
  readonly byType = new Map<string, AnyHandler[]>();

  /** Returns the handlers of an event: those of its type, then those of any type, as they were registered. */
  for(event: ReceivedWebhook): readonly AnyHandler[] {
    if (isInvalidEvent(event)) return this.invalid;
    if (!isWebhookEventType(event.type)) return this.unknown;
    const handlers = [...(this.byType.get(event.type) ?? []), ...this.everyType];
    return handlers.length > 0 ? handlers : this.unhandled;
  }

  /** Whether valid events of a type, known or unknown, have a handler. */
  handles(type: string): boolean {
    if (!isWebhookEventType(type)) return this.unknown.length > 0;
    return this.byType.has(type) || this.everyType.length > 0 || this.unhandled.length > 0;
  }
}

/** Registers handlers: the part that a receiver and the handlers of a worker share. */
export abstract class WebhookRegistration {
  /** @internal */
  protected readonly registry: Registry;
  readonly #hasInbox: boolean;

  /** @internal */
  protected constructor(registry: Registry, hasInbox: boolean) {
    this.registry = registry;
    this.#hasInbox = hasInbox;
  }

  /**
   * Registers a handler for one event type. Several run concurrently, and each runs even if others fail.
   *
   * @throws {ConfigurationError} This version does not know the type: its events go to `onUnknown`.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).on(
   *   'lead_captured',
   *   ({ payload }, { deliveryId }) => console.log(deliveryId, payload.leadEmail),
   * );
   * ```
   */
  on<Type extends WebhookEventType>(
    type: Type,
    handler: (event: WebhookEventOf<Type>, context: WebhookContext) => unknown,
  ): this {
    if (!isWebhookEventType(type)) {
      const hint = hintFor(String(type), Object.keys(webhookEvents));
      throw new ConfigurationError(
        `on(type, handler): ${JSON.stringify(type)} is not an event type. ${hint}\n` +
          '  Unknown types go to onUnknown, all others to onAny, failures to onError.',
        { option: 'type' },
      );
    }
    this.#check('on', handler);
    const { byType } = this.registry;
    byType.set(type, [...(byType.get(type) ?? []), handler]);
    return this;
  }

  /**
   * Registers a handler for every event of a known type. It runs beside those of the type.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onAny(
   *   ({ type, payload }) => console.log(type, new Date(payload.createdAt)),
   * );
   * ```
   */
  onAny(handler: WebhookHandler<WebhookEvent>): this {
    this.#check('onAny', handler);
    this.registry.everyType.push(handler);
    return this;
  }

  /**
   * Registers a handler for events of a known type that have no other handler.
   *
   * Without one they are acknowledged with 200, and each type is logged once at `warn`.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET })
   *   .on('lead_captured', ({ payload }) => console.log(payload.leadEmail))
   *   .onUnhandled(({ type, payload }) => console.log('kept for later', type, payload));
   * ```
   */
  onUnhandled(handler: WebhookHandler<WebhookEvent>): this {
    this.#check('onUnhandled', handler);
    this.registry.unhandled.push(handler);
    return this;
  }

  /**
   * Registers a handler for verified events of a type that this version does not know.
   *
   * Without one they are acknowledged with 200, and each type is logged once at `warn`.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onUnknown(
   *   ({ type }) => console.warn('update agent-platform-sdk to type', type),
   * );
   * ```
   */
  onUnknown(handler: WebhookHandler<UnknownWebhookEvent>): this {
    this.#check('onUnknown', handler);
    this.registry.unknown.push(handler);
    return this;
  }

  /**
   * Registers a handler for verified events whose payload does not match the API specification.
   *
   * Without one they are refused with 400, and passed to `onError` with their payload.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onInvalid(
   *   ({ type, issues, payload }) => console.error('kept for later', type, issues, payload),
   * );
   * ```
   */
  onInvalid(handler: WebhookHandler<InvalidWebhookEvent>): this {
    this.#check('onInvalid', handler);
    this.registry.invalid.push(handler);
    return this;
  }

  /**
   * Registers a listener for every failure: see {@link WebhookFailure}. What the listener throws is logged
   * and ignored.
   *
   * @example
   * ```ts
   * import { createWebhookReceiver } from 'agent-platform-sdk';
   *
   * createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET }).onError(
   *   (error, { stage, event }) => console.error('not handled', stage, event?.type, error),
   * );
   * ```
   */
  onError(listener: (error: unknown, failure: WebhookFailure) => unknown): this {
    checkFunction('onError', listener);
    this.registry.error.push(listener);
    return this;
  }

  /** With an inbox, handlers belong to its workers: at the receiver they would never run. */
  #check(name: string, handler: unknown): void {
    if (this.#hasInbox) {
      throw new ConfigurationError(
        `${name}: a receiver with an inbox runs no handlers. Pass them to the worker:\n` +
          '  inbox.work({ lead_captured: (event) => … }), ' +
          "or createWebhookHandlers().on('lead_captured', …)",
        { option: name },
      );
    }
    checkFunction(name, handler);
  }
}

export function checkFunction(name: string, given: unknown): void {
  if (typeof given === 'function') return;
  throw new ConfigurationError(`${name} takes a function, got ${typeName(given)}.`, { option: name });
}
