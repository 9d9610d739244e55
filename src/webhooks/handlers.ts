import * as z from 'zod/mini';
import { WebhookError } from '../errors/index.js';
import { isObject } from '../utils/json.js';
import type { Logger, LogLevel } from '../utils/logger.js';
import { checkOptions, loggingOptions } from '../validation/options.js';
import type { WebhookContext, WebhookFailure } from './context.js';
import { checkStored, type StoredWebhook } from './inbox.js';
import { resolveEvents, validationOptions, type WebhookEventOptions } from './options.js';
import type { HandlersOutcome } from './outcomes.js';
import {
  type EventValidation,
  isInvalidEvent,
  labelOf,
  type ReceivedWebhook,
  toEvent,
  workspaceOf,
} from './payload.js';
import { Registry, WebhookRegistration } from './registration.js';
import { Reporter } from './reporter.js';

/** The parts of a receiver or a worker that run its events. */
export interface EventParts {
  readonly registry: Registry;
  readonly reporter: Reporter;
}

/**
 * Chooses the handlers of an event and runs them concurrently: one failure does not stop the others.
 *
 * @param report - Called for each failure, at once: another handler may never settle.
 * @param runOnce - Wraps the run: a receiver handles an event once for all of its duplicates.
 */
export async function runEvent<Outcome>(
  { registry, reporter }: EventParts,
  event: ReceivedWebhook,
  context: WebhookContext,
  report: (stage: WebhookFailure['stage'], error: unknown) => void,
  runOnce: (run: () => Promise<HandlersOutcome>) => Promise<Outcome>,
): Promise<Outcome | 'no_handler' | 'invalid_event'> {
  const handlers = registry.for(event);
  if (handlers.length === 0) {
    if (!isInvalidEvent(event)) {
      reporter.unhandled(event);
      return 'no_handler';
    }
    report('validation', event.error);
    return 'invalid_event';
  }
  return await runOnce(async () => {
    let outcome: HandlersOutcome = 'handled';
    const run = async (handler: (typeof handlers)[number]) => {
      try {
        // `Registry.for` has chosen these handlers by the kind and type of this very event.
        if (isRefusal(await handler(event as never, context))) reporter.refusalIgnored(event);
      } catch (error) {
        outcome = 'handler_failed';
        report('handler', error);
      }
    };
    await Promise.all(handlers.map(run));
    return outcome;
  });
}

/** Whether a result means failure elsewhere: `false`, an error, `ok: false`, or the status of an error. */
function isRefusal(result: unknown): boolean {
  if (!isObject(result)) return result === false;
  // Own fields: to read `ok` of chai's assertions, which handlers of tests return, would run one.
  const hasFailed = (name: string) => Object.hasOwn(result, name) && result[name] === false;
  if (result instanceof Error || hasFailed('ok') || hasFailed('success')) return true;
  // By `in`: those assertions throw for other names (chai 6.3, proxify).
  const status = 'status' in result ? result.status : 'statusCode' in result && result.statusCode;
  return typeof status === 'number' && status >= 400;
}

/** Options of {@link createWebhookHandlers}. */
export interface WebhookHandlersOptions extends WebhookEventOptions {
  /** Receives the log lines. Default `console`. */
  readonly logger?: Logger | undefined;
  /**
   * Failures are logged at `error`, types without a handler once at `warn`. Default `'warn'`. Environment:
   * `AGENT_PLATFORM_LOG`.
   */
  readonly logLevel?: LogLevel | undefined;
}

/**
 * The handlers of a worker, which process what an inbox has stored. Made by {@link createWebhookHandlers}.
 */
export class WebhookHandlers extends WebhookRegistration {
  readonly #validation: EventValidation;
  readonly #parts: EventParts;

  /** Use {@link createWebhookHandlers}. */
  constructor(options: WebhookHandlersOptions = {}) {
    const registry = new Registry();
    super(registry, false);
    const schema = z.strictObject({ ...validationOptions(), ...loggingOptions() });
    checkOptions(schema, options, { of: 'createWebhookHandlers' });
    const { validation, drift, log } = resolveEvents(options);
    this.#validation = { validation, drift };
    this.#parts = { registry, reporter: new Reporter(log, registry) };
  }

  /**
   * Returns true if events of a type have a handler here. A worker gives the others back to its queue.
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
    return this.registry.handles(type);
  }

  /**
   * Validates a stored event and runs its handlers.
   *
   * @param options - `signal` becomes the handlers' `context.signal`.
   * @throws {WebhookError} A handler failed: `cause` is what it threw, or an `AggregateError` if several did.
   *   Try again later.
   * @throws {WebhookPayloadError} The event does not match the API specification, and no `onInvalid` is
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
    stored: StoredWebhook,
    options: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<void> {
    const { key, type, payload, workspace, deliveryId, receivedAt } = checkStored(stored);
    const { signal = new AbortController().signal } = options;
    const event = toEvent({ type, payload: { ...payload }, ...workspaceOf({ workspace }) }, this.#validation);
    const context = { deliveryId, eventKey: key, receivedAt, signal };
    const errors: unknown[] = [];
    const reports: Promise<void>[] = [];
    const report = (stage: WebhookFailure['stage'], error: unknown) => {
      errors.push(error);
      reports.push(this.#parts.reporter.failed(error, { stage, event, context }));
    };
    const outcome = await runEvent(this.#parts, event, context, report, (run) => run());
    await Promise.all(reports);
    if (isInvalidEvent(event) && outcome === 'invalid_event') throw event.error;
    if (outcome === 'handler_failed') {
      const message = `${errors.length} handler(s) of the webhook ${labelOf(type, workspace)} failed.`;
      throw new WebhookError(message, {
        cause: errors.length === 1 ? errors[0] : new AggregateError(errors),
      });
    }
  }
}

/**
 * Makes the handlers of a worker, which takes stored events from a queue.
 *
 * They need no secret: an event is verified before it is stored.
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
