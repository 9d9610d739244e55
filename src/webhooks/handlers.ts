import { type Later, settling } from '../ground/later.js';
import type { Logger, LogLevel } from '../ground/logger.js';
import type { Drift } from '../validation/drift.js';
import type { ValidationMode } from '../validation/validate.js';
import type { RejectionReason } from './answers.js';
import {
  type InvalidWebhookEvent,
  isInvalidEvent,
  type ReceivedWebhook,
  type UnknownWebhookEvent,
} from './delivery.js';
import {
  type DefinedEvent,
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
} from './events.js';
import type { StoredWebhook } from './inbox.js';
import { WebhookReceiver } from './receiver.js';

/** The delivery that an event came with, for handlers. */
export interface WebhookContext {
  /**
   * Aborted when the deadline passes: the service no longer waits, and has been answered 500. Of a stored event, it is the signal that
   * `process` was given: a worker of `agent-platform-sdk/bullmq` aborts it after `handlerTimeout`, when it has lost the lock, and when it
   * closes. Made when it is first read, so that a copy (`{ ...context }`) has none.
   */
  readonly signal: AbortSignal;
  /** Id of this delivery, as in the logs. Two copies of an event are two deliveries. */
  readonly deliveryId: string;
  /** Key that all duplicates and retries of the event share: 64 hexadecimal digits. For rows and idempotency keys. */
  readonly eventKey: string;
  /** The time at which the delivery arrived, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
}

/**
 * Handles an event. The delivery is answered 200 after every handler has returned or its promise was fulfilled, and
 * 500 when one throws or rejects.
 *
 * @typeParam Event - The event, or the name of its type: `WebhookHandler<'lead_captured'>`; of one of your own, `WebhookHandler<typeof leadScored>`.
 *
 * @example
 * ```ts
 * import type { WebhookHandler } from 'agent-platform-sdk';
 *
 * export const onLead: WebhookHandler<'lead_captured'> = ({ payload }) => console.log(payload.leadEmail);
 * ```
 */
// In a list of one, so that a union of events makes one handler, and not a union of handlers.
export type WebhookHandler<Event = WebhookEvent> = [Event] extends [WebhookEventType | DefinedEvent]
  ? (event: WebhookEventOf<Event>, context: WebhookContext) => unknown
  : (event: Event, context: WebhookContext) => unknown;

/** A failure, for `onError`. */
export interface WebhookFailure {
  /**
   * The place: a `handler` threw; a handler had not settled at the `deadline`, or the turn of the event by `newestOnly` had not come,
   * in a worker before its signal was aborted; the store of `dedupe` failed, or no key
   * could be made of the event, by `newestOnly` neither; the `inbox` did not store the event; the `secret` could not be loaded or looked up; at
   * the `validation` the event did not fit the specification, and no `onInvalid` is registered.
   */
  readonly stage: 'handler' | 'deadline' | 'dedupe' | 'inbox' | 'secret' | 'validation';
  /** The event that was being handled. Undefined at the stage `secret`, where nothing was verified, and where none could be made of the delivery. */
  readonly event: ReceivedWebhook | undefined;
  /** The function that was passed to `on`, `onAny`, `onUnhandled`, `onUnknown` or `onInvalid`. */
  readonly handler: WebhookHandler<never> | undefined;
  /** The delivery it came with. */
  readonly context: WebhookContext;
}

/** A delivery that was refused before it was verified. Holds nothing of its body. */
export interface WebhookRejection {
  /** The reason for which the delivery was refused. */
  readonly reason: RejectionReason;
  /** The HTTP status it was answered with. */
  readonly status: number;
  /** Bytes received or announced; undefined where a body parser was in front. */
  readonly size: number | undefined;
  /** Id of the delivery, as in the logs. */
  readonly deliveryId: string;
  /** Tells that the body did not come before the deadline. */
  readonly error?: unknown;
  /** Advice, where the receiver seems to be mounted wrongly: behind what has read the body, with the context of a framework. */
  readonly hint?: string;
}

/** The functions that are registered at a receiver. */
export class Handlers {
  readonly error: ((error: unknown, failure: WebhookFailure) => unknown)[] = [];
  readonly rejected: ((rejection: WebhookRejection) => unknown)[] = [];
  readonly unknown: WebhookHandler<UnknownWebhookEvent>[] = [];
  readonly invalid: WebhookHandler<InvalidWebhookEvent>[] = [];
  readonly any: WebhookHandler[] = [];
  readonly unhandled: WebhookHandler[] = [];
  readonly #byType = new Map<string, WebhookHandler<never>[]>();

  /** Registers a handler for a documented type, or one of the user's own. */
  add(type: string, handler: WebhookHandler<never>): void {
    this.#byType.set(type, [...(this.#byType.get(type) ?? []), handler]);
  }

  /** The handlers that are to see an event: those of its type and then those of any, each in the order of their registration. */
  for(event: ReceivedWebhook): readonly WebhookHandler<never>[] {
    if (isInvalidEvent(event)) return this.invalid;
    const { type } = event;
    const handlers = [...(this.#byType.get(type) ?? []), ...(isWebhookEventType(type) ? this.any : [])];
    return handlers.length > 0 ? handlers : this.#others(type);
  }

  /** Tells whether valid events of a type, which may be an unknown one, reach any handler. */
  takes(type: string): boolean {
    return this.handles(type) || this.#others(type).length > 0;
  }

  /** Tells whether a handler is registered for events of a type, or of any known type. */
  handles(type: string): boolean {
    return this.#byType.has(type) || (isWebhookEventType(type) && this.any.length > 0);
  }

  #others(type: string): readonly WebhookHandler<never>[] {
    return isWebhookEventType(type) ? this.unhandled : this.unknown;
  }
}

/** A handler that was started. The same function may be started twice for one event. */
export interface StartedHandler {
  readonly handler: WebhookHandler<never>;
}

/**
 * Runs handlers side by side, so that one's failure keeps none from running. Gives what they threw, when all have settled.
 *
 * @param unsettled - Holds each handler that is waited for, until it settles.
 * @param onFailure - Told of each handler that fails, at once. Never rejects.
 */
export function runHandlers(
  handlers: readonly WebhookHandler<never>[],
  event: ReceivedWebhook,
  context: WebhookContext,
  unsettled: StartedHandler[],
  onFailure: (error: unknown, handler: WebhookHandler<never>) => Promise<void>,
): Later<readonly unknown[]> {
  const thrown: unknown[] = [];
  const running: Promise<void>[] = [];
  const fail = (error: unknown, handler: WebhookHandler<never>) => {
    thrown.push(error);
    return onFailure(error, handler);
  };
  for (const handler of handlers) {
    try {
      // `Handlers.for` has chosen these handlers by the kind and type of this very event.
      const result = settling(handler(event as never, context));
      if (result instanceof Promise) running.push(waitFor({ handler }, result, unsettled, fail));
    } catch (error) {
      running.push(fail(error, handler));
    }
  }
  return running.length === 0 ? thrown : Promise.all(running).then(() => thrown);
}

async function waitFor(
  started: StartedHandler,
  result: Promise<unknown>,
  unsettled: StartedHandler[],
  fail: (error: unknown, handler: WebhookHandler<never>) => Promise<void>,
): Promise<void> {
  const end = () => unsettled.splice(unsettled.indexOf(started), 1);
  unsettled.push(started);
  try {
    await result;
    end();
  } catch (error) {
    end();
    await fail(error, started.handler);
  }
}

/** Options of {@link createWebhookHandlers}. */
export interface WebhookHandlersOptions {
  /** The strictness of validation against the specification. Default `'tolerant'`. */
  readonly validation?: ValidationMode | undefined;
  /** Called when a payload has issues that the validation mode forgives. */
  readonly onDrift?: ((drift: Drift) => unknown) | undefined;
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /** The least level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`. */
  readonly logLevel?: LogLevel | undefined;
}

/** Handlers of a worker: they process what an inbox has stored. Made by {@link createWebhookHandlers}. */
export class WebhookHandlers {
  readonly #receiver: WebhookReceiver;

  /** Use {@link createWebhookHandlers}. */
  constructor(options: WebhookHandlersOptions) {
    this.#receiver = new WebhookReceiver(options);
  }

  /** Registers a handler for one event type. */
  on<Type extends WebhookEventType>(type: Type, handler: WebhookHandler<Type>): this {
    this.#receiver.on(type, handler as never);
    return this;
  }

  /** Registers a handler for every event of a known type. */
  onAny(handler: WebhookHandler): this {
    this.#receiver.onAny(handler);
    return this;
  }

  /** Registers a handler for events of a known type that has no other handler. */
  onUnhandled(handler: WebhookHandler): this {
    this.#receiver.onUnhandled(handler);
    return this;
  }

  /** Registers a handler for events of a type that this version does not know. */
  onUnknown(handler: WebhookHandler<UnknownWebhookEvent>): this {
    this.#receiver.onUnknown(handler);
    return this;
  }

  /** Registers a handler for events whose payload does not match the API specification. */
  onInvalid(handler: WebhookHandler<InvalidWebhookEvent>): this {
    this.#receiver.onInvalid(handler);
    return this;
  }

  /** Registers a listener for every failure. What it throws is logged. */
  onError(listener: (error: unknown, failure: WebhookFailure) => unknown): this {
    this.#receiver.onError(listener);
    return this;
  }

  /** Whether events of a type reach a handler here. */
  handles(type: string): boolean {
    return this.#receiver.handles(type);
  }

  /** Validates a stored event and runs its handlers. Rejects with a `WebhookError` if one failed. */
  async process(
    stored: StoredWebhook,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    await this.#receiver.process(stored, options);
  }
}

/**
 * Makes handlers for a worker, which takes stored events from a queue.
 *
 * @throws {ConfigurationError} An option is wrong.
 */
export function createWebhookHandlers(options: WebhookHandlersOptions = {}): WebhookHandlers {
  return new WebhookHandlers(options);
}
