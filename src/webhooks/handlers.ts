import * as z from 'zod/v4/mini';
import { ConfigurationError, WebhookError } from '../errors/index.js';
import { bindMethods } from '../utils/bound.js';
import { typeName } from '../utils/issues.js';
import type { LeveledLogger, Logger, LogLevel } from '../utils/logger.js';
import { hintFor } from '../utils/suggest.js';
import { checkOptions, loggingOptions } from '../validation/check-options.js';
import type { WebhookContext, WebhookFailure, WebhookHandler } from './context.js';
import { resolveEvents, validationOptions, type WebhookEventOptions } from './event-options.js';
import {
  isWebhookEventType,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookEventType,
  webhookEvents,
} from './events/table.js';
import { checkStored, type StoredWebhook } from './inbox.js';
import type { RunOutcome } from './outcomes.js';
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
import { type FailureListener, Reporter } from './reporter.js';
import { problemInList, problemWith } from './results.js';

/** Options of {@link createWebhookHandlers}. */
export interface WebhookHandlersOptions extends WebhookEventOptions {
  /**
   * Receives the log lines. Default `console`.
   *
   * If you set neither `logger` nor `logLevel`, the handlers use those of their receiver or inbox.
   */
  readonly logger?: Logger | undefined;
  /**
   * Sets the least level that is logged. Default `'warn'`. Environment: `AGENT_PLATFORM_LOG`.
   *
   * Failures are logged at `error`, types without a handler once at `warn`.
   */
  readonly logLevel?: LogLevel | undefined;
}

type AnyHandler = WebhookHandler<never>;

/** How a run passes a failure on. */
export type ReportFailure = (stage: WebhookFailure['stage'], error: unknown) => void;

/**
 * Validates events and runs your handlers, for a receiver, a worker, or both.
 *
 * {@link createWebhookHandlers} makes one, and each receiver has its own unless you pass one.
 */
export class WebhookHandlers {
  /** @internal */
  readonly validation: EventValidation;
  /** @internal The listeners of `onError`. */
  readonly listeners: FailureListener[] = [];
  /** Undefined if the handlers have a logger or a level of their own. */
  #borrowed: LeveledLogger | undefined;
  readonly #reporter: Reporter;
  readonly #byType = new Map<string, AnyHandler[]>();
  readonly #everyType: AnyHandler[] = [];
  readonly #unhandled: AnyHandler[] = [];
  readonly #unknown: AnyHandler[] = [];
  readonly #invalid: AnyHandler[] = [];

  /** Use {@link createWebhookHandlers}. */
  constructor({ validation, drift, log }: EventValidation & { readonly log: LeveledLogger }, ownsLog = true) {
    this.#borrowed = ownsLog ? undefined : log;
    this.validation = { validation, drift };
    this.#reporter = new Reporter(log, this.listeners);
    bindMethods(this);
  }

  /**
   * Registers a handler for one event type. Several run concurrently, and each runs even if others fail.
   *
   * @throws {ConfigurationError} This version does not know the type: its events go to `onUnknown`.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * createWebhookHandlers().on(
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
    const handlers = this.#byType.get(type) ?? [];
    this.#add(handlers, 'on', handler);
    this.#byType.set(type, handlers);
    return this;
  }

  /**
   * Registers a handler for every event of a known type. It runs beside those of the type.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * createWebhookHandlers().onAny(
   *   ({ type, payload }) => console.log(type, new Date(payload.createdAt)),
   * );
   * ```
   */
  onAny(handler: WebhookHandler<WebhookEvent>): this {
    return this.#add(this.#everyType, 'onAny', handler);
  }

  /**
   * Registers a handler for events of a known type that have no other handler.
   *
   * Without one they are acknowledged with 200, and each type is logged once at `warn`.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * createWebhookHandlers()
   *   .on('lead_captured', ({ payload }) => console.log(payload.leadEmail))
   *   .onUnhandled(({ type, payload }) => console.log('kept for later', type, payload));
   * ```
   */
  onUnhandled(handler: WebhookHandler<WebhookEvent>): this {
    return this.#add(this.#unhandled, 'onUnhandled', handler);
  }

  /**
   * Registers a handler for events whose type this version does not know.
   *
   * Without one they are acknowledged with 200, and each type is logged once at `warn`.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * createWebhookHandlers().onUnknown(
   *   ({ type }) => console.warn('update agent-platform-sdk to type', type),
   * );
   * ```
   */
  onUnknown(handler: WebhookHandler<UnknownWebhookEvent>): this {
    return this.#add(this.#unknown, 'onUnknown', handler);
  }

  /**
   * Registers a handler for invalid events: see {@link InvalidWebhookEvent}.
   *
   * Without one, they get a 400 and go to `onError` with their payload. From an inbox, they become dead letters.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * createWebhookHandlers().onInvalid(
   *   ({ type, issues, payload }) => console.error('kept for later', type, issues, payload),
   * );
   * ```
   */
  onInvalid(handler: WebhookHandler<InvalidWebhookEvent>): this {
    return this.#add(this.#invalid, 'onInvalid', handler);
  }

  /**
   * Registers a listener for every failure: see {@link WebhookFailure}.
   *
   * If the listener throws, that is logged and ignored.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * createWebhookHandlers().onError(
   *   (error, { stage, event }) => console.error('not handled', stage, event?.type, error),
   * );
   * ```
   */
  onError(listener: (error: unknown, failure: WebhookFailure) => unknown): this {
    return this.#add(this.listeners, 'onError', listener);
  }

  #add<Callback>(list: Callback[], name: string, given: Callback): this {
    checkFunction(name, given);
    list.push(given);
    return this;
  }

  /** @internal Logs where the first receiver or inbox logs that gets these handlers. */
  logTo(log: Pick<LeveledLogger, 'logger' | 'level'>): void {
    this.#borrowed?.follow(log);
    this.#borrowed = undefined;
  }

  /**
   * Says whether events of a type have a handler here.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers } from 'agent-platform-sdk';
   *
   * const handlers = createWebhookHandlers().on('lead_captured', (event) => console.log(event.payload));
   * console.log(handlers.handles('agent_deleted')); // false
   * ```
   */
  handles(type: string): boolean {
    if (!isWebhookEventType(type)) return this.#unknown.length > 0;
    return this.#byType.has(type) || this.#everyType.length > 0 || this.#unhandled.length > 0;
  }

  /**
   * Validates a stored event and runs its handlers.
   *
   * @param options - `signal` becomes the handlers' `context.signal`.
   * @throws {WebhookError} A handler failed: `cause` is what it threw, or an `AggregateError` if several did. Try again
   *   after `retryAfter`, or not at all if `retryable` is false: handlers set both by throwing a `WebhookError`.
   * @throws {WebhookPayloadError} The event is invalid ({@link InvalidWebhookEvent}), and no `onInvalid` is
   *   registered.
   *
   * @example
   * ```ts
   * import { createWebhookHandlers, createWebhookReceiver, type StoredWebhook } from 'agent-platform-sdk';
   *
   * const queue: StoredWebhook[] = [];
   * const inbox = { store: async (webhook: StoredWebhook) => queue.push(webhook) };
   * const secret = process.env.AGENT_PLATFORM_WEBHOOK_SECRET;
   * export const receiver = createWebhookReceiver({ secret, inbox });
   *
   * const handlers = createWebhookHandlers().onAny(({ type }, { eventKey }) => console.log(type, eventKey));
   * for (const stored of queue.splice(0)) await handlers.process(stored);
   * ```
   */
  async process(
    webhook: StoredWebhook,
    options: {
      readonly signal?: AbortSignal | undefined;
      /** @internal Called with the number of handlers that the event has, before they run. */
      readonly onHandlers?: (count: number) => void;
    } = {},
  ): Promise<void> {
    const { key, type, payload, workspace, deliveryId, receivedAt } = checkStored(webhook);
    const { signal = new AbortController().signal } = options;
    const verified = { type, payload: { ...payload }, ...workspaceOf({ workspace }) };
    const { event, drift } = toEvent(verified, this.validation);
    const context = { deliveryId, eventKey: key, receivedAt, signal, drift };
    const errors: unknown[] = [];
    const reports: Promise<void>[] = [];
    const handlers = this.for(event);
    options.onHandlers?.(handlers.length);
    const outcome = await this.run(handlers, event, context, (stage, error) => {
      errors.push(error);
      reports.push(this.#reporter.failed(error, { stage, event, context }));
    });
    await Promise.all(reports);
    if (outcome === 'invalid_event') throw errors[0];
    if (outcome === 'handler_failed') {
      const message = `${errors.length} handler(s) of the webhook ${labelOf(type, workspace)} failed.`;
      throw new WebhookError(message, {
        // `undefined` or `null` alone would look like no cause.
        cause: (errors.length === 1 ? errors[0] : undefined) ?? new AggregateError(errors),
        ...wishesOf(errors),
      });
    }
  }

  /**
   * @internal Runs the handlers of an event concurrently: one failure does not stop the others. Never rejects.
   *
   * @param handlers - Those that `for` has returned.
   * @param report - Called for each failure, at once: another handler may never settle.
   */
  async run(
    handlers: readonly AnyHandler[],
    event: ReceivedWebhook,
    context: WebhookContext,
    report: ReportFailure,
  ): Promise<RunOutcome> {
    if (handlers.length === 0) {
      if (!isInvalidEvent(event)) {
        this.#reporter.unhandled(event);
        return 'no_handler';
      }
      report('validation', event.error);
      return 'invalid_event';
    }
    let outcome: RunOutcome = 'handled';
    const run = async (handler: AnyHandler) => {
      try {
        // `for` has chosen these handlers by the kind and type of this very event.
        const result: unknown = await handler(event as never, context);
        const problem = Array.isArray(result) ? await problemInList(result) : problemWith(result);
        if (problem !== undefined) this.#reporter.resultIgnored(event, problem);
      } catch (error) {
        outcome = 'handler_failed';
        report('handler', error);
      }
    };
    await Promise.all(handlers.map(run));
    return outcome;
  }

  /** @internal Returns the handlers of an event: those of its type, then those of any, as they were registered. */
  for(event: ReceivedWebhook): readonly AnyHandler[] {
    if (isInvalidEvent(event)) return this.#invalid;
    if (!isWebhookEventType(event.type)) return this.#unknown;
    const handlers = [...(this.#byType.get(event.type) ?? []), ...this.#everyType];
    return handlers.length > 0 ? handlers : this.#unhandled;
  }
}

/** Reads what failed handlers ask for: the event ends only if all of them say so, and the longest delay wins. */
function wishesOf(errors: readonly unknown[]) {
  // Ours only: other libraries have such fields in other units and meanings.
  const ours = errors.filter((error) => error instanceof WebhookError);
  const delays = ours.flatMap(({ retryAfter }) => retryAfter ?? []);
  return {
    retryable: ours.length < errors.length || ours.some(({ retryable }) => retryable),
    retryAfter: delays.length === 0 ? undefined : Math.max(...delays),
  };
}

export function checkFunction(name: string, given: unknown): void {
  if (typeof given === 'function') return;
  throw new ConfigurationError(`${name}: the handler must be a function, got ${typeName(given)}.`, {
    option: name,
  });
}

/**
 * Makes handlers for a receiver (`handlers`), a worker (`inbox.work`) or your own queue (`process`).
 *
 * They need no secret: the receiver verifies each event before it runs or stores it.
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
  const schema = z.strictObject({ ...validationOptions(), ...loggingOptions() });
  checkOptions(schema, options, { of: 'createWebhookHandlers' });
  const ownsLog = options.logger !== undefined || options.logLevel !== undefined;
  return new WebhookHandlers(resolveEvents(options), ownsLog);
}
