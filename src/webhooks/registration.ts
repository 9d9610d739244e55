import * as z from 'zod/mini';
import { ConfigurationError, WebhookError } from '../errors/index.js';
import { typeName } from '../utils/issues.js';
import type { Logger, LogLevel } from '../utils/logger.js';
import { hintFor } from '../utils/suggest.js';
import { checkOptions } from '../validation/options.js';
import {
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEvents,
} from './events.js';
import { checkStored, type StoredWebhook } from './inbox.js';
import { eventOptions, resolveEvents, type WebhookEventOptions } from './options.js';
import type { RejectionReason } from './outcomes.js';
import {
  type EventValidation,
  type InvalidWebhookEvent,
  isInvalidEvent,
  labelOf,
  type ReceivedWebhook,
  toEvent,
  type UnknownWebhookEvent,
  workspaceOf,
} from './payload.js';
import { Reports } from './reporter.js';

/** The delivery that an event came with. A plain object: `{ ...context }` keeps all of it. */
export interface WebhookContext {
  /** Id of this delivery, as in the logs. Two duplicates of an event are two deliveries. */
  readonly deliveryId: string;
  /**
   * Key that all duplicates and retries of the event share: 64 hexadecimal digits. Use it for rows and idempotency keys. Empty in
   * `onError` if the delivery was not verified.
   */
  readonly eventKey: string;
  /** The time at which the delivery arrived, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /**
   * Aborted at the deadline, when the delivery is responded to with 500. Of a stored event, it is the signal that `process` was given: a
   * worker of `agent-platform-sdk/bullmq` aborts it after `handlerTimeout`, when it lost the lock, and when it closes.
   */
  readonly signal: AbortSignal;
}

/**
 * Handles an event. The delivery is responded to with 200 after every handler has succeeded, and with 500 if one throws or rejects.
 *
 * @typeParam Event - The event, or the name of its type: `WebhookHandler<'lead_captured'>`.
 *
 * @example
 * ```ts
 * import type { WebhookHandler } from 'agent-platform-sdk';
 *
 * export const onLead: WebhookHandler<'lead_captured'> = ({ payload }) => console.log(payload.leadEmail);
 * ```
 */
// In a list of one, so that a union of events makes one handler, and not a union of handlers.
export type WebhookHandler<Event = WebhookEvent> = [Event] extends [WebhookEventType]
  ? (event: WebhookEventOf<Event>, context: WebhookContext) => unknown
  : (event: Event, context: WebhookContext) => unknown;

/** A failure, for `onError`. */
export interface WebhookFailure {
  /**
   * The place of the failure:
   *
   * - `'handler'`: a handler threw.
   * - `'deadline'`: the handlers had not settled at the deadline.
   * - `'dedupe'`: the key of the event could not be made, or the store failed; if the store failed, the event is handled all the same.
   * - `'inbox'`: the inbox did not store the event.
   * - `'secret'`: the secrets could not be loaded, or `verifySecret` failed.
   * - `'validation'`: the event does not match the API specification, and no `onInvalid` is registered.
   */
  readonly stage: 'handler' | 'deadline' | 'dedupe' | 'inbox' | 'secret' | 'validation';
  /** The event. Undefined before it is verified, and if none could be made of the delivery. */
  readonly event: ReceivedWebhook | undefined;
  /** The delivery it came with. */
  readonly context: WebhookContext;
}

/** A delivery that was refused before it was verified. Holds nothing of its body. */
export interface WebhookRejection {
  /** The reason for which the delivery was refused. */
  readonly reason: RejectionReason;
  /** The HTTP status of the response. */
  readonly status: number;
  /** Bytes received or announced; undefined if a body parser was in front. */
  readonly size: number | undefined;
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** What to do about it, if that is known: the secret is wrong or missing, or a framework passed something else than a request. */
  readonly hint?: string | undefined;
}

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

  /** Returns the handlers of an event: those of its type and then those of any type, each in the order of registration. */
  for(event: ReceivedWebhook): readonly AnyHandler[] {
    if (isInvalidEvent(event)) return this.invalid;
    if (!isWebhookEventType(event.type)) return this.unknown;
    const handlers = [...(this.byType.get(event.type) ?? []), ...this.everyType];
    return handlers.length > 0 ? handlers : this.unhandled;
  }

  /** Whether valid events of a type, which may be an unknown one, have a handler. */
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
   * Registers a handler for one event type. Several for one type run concurrently, and each runs whatever the others do.
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
    this.#check('on', handler);
    if (!isWebhookEventType(type)) {
      const hint = hintFor(String(type), Object.keys(webhookEvents));
      throw new ConfigurationError(
        `on: ${JSON.stringify(type)} is not an event type. ${hint}\n  Events of other types go to onUnknown.`,
        { option: 'type' },
      );
    }
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
   * Registers a listener for every failure: see {@link WebhookFailure}. What the listener throws is logged, and changes no response.
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
          "  inbox.work({ lead_captured: (event) => … }), or createWebhookHandlers().on('lead_captured', …)",
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

/**
 * Runs handlers concurrently, so that a failing one keeps none from running. Returns what they threw, when all have settled.
 *
 * @param onFailure - Called for each handler that fails, at once: another may never settle.
 */
export async function runHandlers(
  handlers: readonly AnyHandler[],
  event: ReceivedWebhook,
  context: WebhookContext,
  onFailure: (error: unknown) => void,
): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  const run = async (handler: AnyHandler) => {
    try {
      // `Registry.for` has chosen these handlers by the kind and type of this very event.
      await handler(event as never, context);
    } catch (error) {
      errors.push(error);
      onFailure(error);
    }
  };
  await Promise.all(handlers.map(run));
  return errors;
}

/** Options of {@link createWebhookHandlers}. */
export interface WebhookHandlersOptions extends WebhookEventOptions {
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /** Failures are logged at `error`, types without a handler once at `warn`. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`. */
  readonly logLevel?: LogLevel | undefined;
}

/** Handlers of a worker, which process what an inbox has stored. Made by {@link createWebhookHandlers}. */
export class WebhookHandlers extends WebhookRegistration {
  readonly #validation: EventValidation;
  readonly #reports: Reports;

  /** Use {@link createWebhookHandlers}. */
  constructor(options: WebhookHandlersOptions = {}) {
    const registry = new Registry();
    super(registry, false);
    checkOptions(z.strictObject(eventOptions), options, { of: 'createWebhookHandlers' });
    const { validation, drift, log } = resolveEvents(options);
    this.#validation = { validation, drift };
    this.#reports = new Reports(log, registry);
  }

  /**
   * Whether events of a type have a handler here. A worker gives the others back to its queue.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * const handlers = createWebhookHandlers().on('lead_captured', ({ payload }) => console.log(payload.leadEmail));
   * console.log(handlers.handles('agent_deleted')); // false
   * ```
   */
  handles(type: string): boolean {
    return this.registry.handles(type);
  }

  /**
   * Validates a stored event and runs its handlers.
   *
   * @param options - `signal` becomes the handlers' `context.signal`.
   * @throws {WebhookError} A handler failed: `cause` is what it threw, or an `AggregateError` if several did. Try again later.
   * @throws {WebhookPayloadError} The event does not match the API specification, and no `onInvalid` is registered.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers, createWebhookReceiver, type StoredWebhook } from 'agent-platform-sdk';
   *
   * const queue: StoredWebhook[] = [];
   * const inbox = { store: async (webhook: StoredWebhook) => queue.push(webhook) };
   * export const receiver = createWebhookReceiver({ secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET, inbox });
   *
   * const handlers = createWebhookHandlers().onAny(({ type }, { eventKey }) => console.log(type, eventKey));
   * for (const stored of queue.splice(0)) await handlers.process(stored);
   * ```
   */
  async process(
    stored: StoredWebhook,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const { key, type, payload, workspace, deliveryId, receivedAt } = checkStored(stored);
    const { signal = new AbortController().signal } = options;
    const event = toEvent({ type, payload: { ...payload }, ...workspaceOf({ workspace }) }, this.#validation);
    const context = { deliveryId, eventKey: key, receivedAt, signal };
    const handlers = this.registry.for(event);
    if (handlers.length === 0) {
      if (!isInvalidEvent(event)) return this.#reports.unhandled(event);
      await this.#reports.failed(event.error, { stage: 'validation', event, context });
      throw event.error;
    }
    const reported: Promise<void>[] = [];
    const errors = await runHandlers(handlers, event, context, (error) => {
      reported.push(this.#reports.failed(error, { stage: 'handler', event, context }));
    });
    await Promise.all(reported);
    if (errors.length === 0) return;
    throw new WebhookError(`${errors.length} handler(s) of the webhook ${labelOf(type, workspace)} failed.`, {
      cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
    });
  }
}

/**
 * Makes the handlers of a worker, which takes stored events from a queue. They need no secret: an event is verified before it is
 * stored.
 *
 * @throws {ConfigurationError} An option is wrong.
 *
 * @example
 * ```ts
 * import { createWebhookHandlers, type StoredWebhook } from 'agent-platform-sdk';
 *
 * const handlers = createWebhookHandlers()
 *   .on('lead_captured', ({ payload }) => console.log(payload.leadEmail))
 *   .onError((error, { event }) => console.error(event?.type, error));
 *
 * export const work = (message: string) => handlers.process(JSON.parse(message) as StoredWebhook);
 * ```
 */
export function createWebhookHandlers(options: WebhookHandlersOptions = {}): WebhookHandlers {
  return new WebhookHandlers(options);
}
