import { ConfigurationError, WebhookPayloadError } from '../errors/index.js';
import { describeThrown, framesOf, type LeveledLogger, type LogFields } from '../ground/logger.js';
import { type DeliveryOutcome, type RejectionReason, statusOf } from './answers.js';
import { isInvalidEvent, isKnownEvent, type ReceivedWebhook } from './delivery.js';
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

/** Facts about a refused delivery. */
interface RefusalFacts {
  readonly size?: number | undefined;
  readonly error?: unknown;
  readonly hint?: string | undefined;
}

/** The most types without a handler that leave a line; further ones leave none. */
const MAX_LOGGED_TYPES = 1_000;

/** Of refusals for one reason that follow each other within this time, only some leave a line. */
const REFUSALS_APART = 60_000;
const MAX_LOGGED_REFUSALS = 10;
/** Refusals for one reason that follow each other. */
interface RefusalRun {
  count: number;
  lastAt: number;
}

/** Tells the log and the listeners what happened to deliveries. A listener that throws is logged, and no more. */
export class DeliveryReports {
  readonly #log: LeveledLogger;
  readonly #handlers: Handlers;
  readonly #loggedTypes = new Set<string>();
  readonly #refusals = new Map<RejectionReason, RefusalRun>();

  constructor(log: LeveledLogger, handlers: Handlers) {
    this.#log = log;
    this.#handlers = handlers;
  }

  /** One line for each delivery that was not refused. */
  answered(delivery: ReportedDelivery, outcome: DeliveryOutcome): void {
    const fields = () => fieldsOf(delivery, outcome);
    this.#log.log('info', () => line(delivery, `${statusOf(outcome)} ${outcome}`), fields);
  }

  /**
   * One line for each type, not for each event, that this version does not know or that has no handler: it will be
   * acknowledged, and the service does not send it again.
   */
  unhandledType(event: ReceivedWebhook, typeLabel: string): void {
    if (isInvalidEvent(event)) return;
    if (this.#handlers.handles(event.type)) return;
    const logged = this.#loggedTypes;
    if (logged.has(typeLabel) || logged.size >= MAX_LOGGED_TYPES) return;
    logged.add(typeLabel);
    const [problem, name] = isKnownEvent(event)
      ? ['no handler is registered for this type', 'onUnhandled']
      : ['this version knows no such type', 'onUnknown'];
    this.#log.log('warn', () => `webhook ${typeLabel}: ${problem}; ${name} takes its events (logged once)`);
  }

  /** The handlers of a delivery that was answered 500 have settled after all. */
  late(delivery: ReportedDelivery, outcome: DeliveryOutcome): void {
    const fields = () => fieldsOf(delivery, outcome);
    this.#log.log('warn', () => line(delivery, `settled after its deadline: ${outcome}`), fields);
  }

  /** A delivery was refused: logged, and told to `onRejected`. */
  async rejected(
    delivery: ReportedDelivery,
    reason: RejectionReason,
    { size, error, hint }: RefusalFacts,
  ): Promise<void> {
    const status = statusOf(reason);
    const { context } = delivery;
    const bytes = size === undefined ? '' : `, ${size} bytes`;
    const what = hint === undefined ? '' : `\n  ${hint}`;
    const count = this.#countRefusal(reason, context.receivedAt);
    if (isLogged(count)) {
      const nth = count > MAX_LOGGED_REFUSALS ? ` (the ${count}th of them; not each is logged)` : '';
      const text = `refused with ${status} ${reason}${bytes}${nth}`;
      this.#log.log(
        'warn',
        () => line(delivery, text) + what,
        () => fieldsOf(delivery, reason),
      );
    }
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
    const { stage, event, context } = failure;
    const { deliveryId } = context;
    this.#log.log(
      'error',
      () =>
        `webhook ${label}: failed at ${stage} with ${describe(error)}, delivery ${deliveryId}${framesOf(error)}`,
      () => ({ type: event?.type, workspace: event?.workspace, deliveryId, outcome: `${stage}_failed` }),
    );
    await this.#tell('onError', this.#handlers.error, (listener) => listener(error, failure));
  }

  /** A scanner sends thousands of requests: the first lines, and then one for each power of ten, tell of it as well. */
  #countRefusal(reason: RejectionReason, now: number): number {
    const run = this.#refusals.get(reason) ?? { count: 0, lastAt: now };
    if (now - run.lastAt > REFUSALS_APART) run.count = 0;
    run.count += 1;
    run.lastAt = now;
    this.#refusals.set(reason, run);
    return run.count;
  }

  async #tell<Listener>(
    name: string,
    listeners: readonly Listener[],
    call: (listener: Listener) => unknown,
  ): Promise<void> {
    await Promise.all(listeners.map((listener) => this.#log.runQuietly(name, () => call(listener))));
  }
}

const isLogged = (count: number): boolean => count <= MAX_LOGGED_REFUSALS || /^10*$/.test(String(count));

function fieldsOf({ event, age, context }: ReportedDelivery, outcome: DeliveryOutcome): LogFields {
  const { deliveryId } = context;
  const status = statusOf(outcome);
  return { type: event?.type, workspace: event?.workspace, deliveryId, outcome, status, durationMs: age };
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
