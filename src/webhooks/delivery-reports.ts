import { ConfigurationError, WebhookPayloadError } from '../errors/index.js';
import { describeThrown, type LeveledLogger } from '../ground/logger.js';
import { type DeliveryOutcome, type RejectionReason, statusOf } from './answers.js';
import { isInvalidEvent, isKnownEvent, type ReceivedWebhook } from './delivery.js';
import type { WebhookEvent } from './events.js';
import type { Handlers, WebhookContext, WebhookFailure } from './handlers.js';

/** A delivery as reports show it. */
interface ReportedDelivery {
  /** Type and workspace as they may stand in logs. */
  readonly label: string;
  /** Milliseconds since it arrived. */
  readonly age: number;
  readonly context: WebhookContext;
  /** Undefined until it is verified. */
  readonly event: ReceivedWebhook | undefined;
}

/** What is known of a refused delivery. */
interface Refusal {
  readonly size?: number | undefined;
  readonly error?: unknown;
  readonly hint?: string | undefined;
}

/** After so many types that nobody handles, further ones leave no line. */
const MAX_LOGGED_TYPES = 1_000;

/** Tells the log and the listeners what happened to deliveries. A listener that throws is logged, and no more. */
export class DeliveryReports {
  readonly #log: LeveledLogger;
  readonly #handlers: Handlers;
  readonly #loggedTypes = new Set<string>();

  constructor(log: LeveledLogger, handlers: Handlers) {
    this.#log = log;
    this.#handlers = handlers;
  }

  /** One line for each delivery that was not refused. */
  answered(delivery: ReportedDelivery, outcome: DeliveryOutcome): void {
    this.#log.log('info', () => line(delivery, `${statusOf(outcome)} ${outcome}`));
  }

  /**
   * One line for each type, not for each event, that this version does not know or that has no handler: it will be
   * acknowledged, and the service does not send it again.
   */
  unhandledType(event: ReceivedWebhook, typeLabel: string): void {
    if (isInvalidEvent(event)) return;
    const isKnown = isKnownEvent(event);
    if (isKnown && this.#handlers.handles(event.type)) return;
    const logged = this.#loggedTypes;
    if (logged.has(typeLabel) || logged.size >= MAX_LOGGED_TYPES) return;
    logged.add(typeLabel);
    const [problem, name] = isKnown
      ? ['no handler is registered for this type', 'onUnhandled']
      : ['this version knows no such type', 'onUnknown'];
    this.#log.log('warn', () => `webhook ${typeLabel}: ${problem}; ${name} takes its events (logged once)`);
  }

  /** The handlers of a delivery that was answered 500 have settled after all. */
  late(delivery: ReportedDelivery, outcome: DeliveryOutcome): void {
    this.#log.log('warn', () => line(delivery, `settled after its deadline: ${outcome}`));
  }

  /** A delivery was refused: logged, and told to `onRejected`. */
  async rejected(
    delivery: ReportedDelivery,
    reason: RejectionReason,
    { size, error, hint }: Refusal,
  ): Promise<void> {
    const status = statusOf(reason);
    const { context } = delivery;
    const bytes = size === undefined ? '' : `, ${size} bytes`;
    const what = hint === undefined ? '' : `\n  ${hint}`;
    this.#log.log('warn', () => line(delivery, `refused with ${status} ${reason}${bytes}`) + what);
    const told = {
      reason,
      status,
      size,
      deliveryId: context.deliveryId,
      ...(error === undefined ? {} : { error }),
      ...(hint === undefined ? {} : { hint }),
    };
    await this.#tell('onRejected', this.#handlers.rejected, (listener) => listener(told));
  }

  /** Something failed while an event was handled: logged, and told to `onError`. */
  async failed(label: string, error: unknown, failure: WebhookFailure): Promise<void> {
    const { stage, context } = failure;
    const hint = this.#handlers.error.length === 0 ? '; register onError to see it' : '';
    this.#log.log(
      'error',
      () =>
        `webhook ${label}: failed at ${stage} with ${describe(error)}${hint}, delivery ${context.deliveryId}`,
    );
    await this.#tell('onError', this.#handlers.error, (listener) => listener(error, failure));
  }

  /** A newer snapshot of the same was handled before: logged, and told to `onSkipped`. */
  async skipped(label: string, event: ReceivedWebhook, context: WebhookContext): Promise<void> {
    this.#log.log(
      'info',
      () => `webhook ${label}: skipped, because a newer one was handled, delivery ${context.deliveryId}`,
    );
    // Only valid events are snapshots.
    await this.#tell('onSkipped', this.#handlers.skipped, (listener) =>
      listener(event as WebhookEvent, context),
    );
  }

  async #tell<Listener>(
    name: string,
    listeners: readonly Listener[],
    call: (listener: Listener) => unknown,
  ): Promise<void> {
    await Promise.all(listeners.map((listener) => this.#log.runQuietly(name, () => call(listener))));
  }
}

/** Our own words about an option or a payload are safe to show, and say what to do. */
function describe(error: unknown): string {
  return error instanceof ConfigurationError || error instanceof WebhookPayloadError
    ? `${error.name}: ${error.message}`
    : describeThrown(error);
}

function line({ label, age, context }: ReportedDelivery, text: string): string {
  return `webhook ${label}: ${text} after ${age} ms, delivery ${context.deliveryId}`;
}
