import { AgentPlatformError } from '../errors/index.js';
import type { LeveledLogger, LogFields } from '../utils/logger.js';
import { describeError, describeThrown, framesOf, isError, safely } from '../utils/thrown.js';
import type { WebhookContext, WebhookFailure, WebhookReceiverHooks, WebhookRejection } from './context.js';
import { isWebhookEventType } from './events/table.js';
import { type DeliveryOutcome, isRefusal, type Rejection, statusOf } from './outcomes.js';
import { cutType, isInvalidEvent, labelOf, type ReceivedWebhook } from './payload.js';

/** A listener of `onError`. */
export type FailureListener = (error: unknown, failure: WebhookFailure) => unknown;

/** A delivery as it is reported. */
export interface ReportedDelivery {
  readonly context: WebhookContext;
  /** Undefined until it is verified. */
  readonly event: ReceivedWebhook | undefined;
  /** Bytes of the body, measured for `onDelivery`. */
  readonly size: number | undefined;
  /** When it arrived, on the clock of `performance.now()`: that of `receivedAt` may step. */
  readonly startedAt: number;
}

/** At most one line in this time is about secrets that could not be verified: any stranger can cause one. */
const SECRET_LINE_INTERVAL_MS = 60_000;

/** Reports deliveries to the log and to listeners. What a listener throws is logged and ignored. */
export class Reporter {
  /** The listeners of `onRejected`. */
  readonly rejectionListeners: ((rejection: WebhookRejection) => unknown)[] = [];
  readonly #log: LeveledLogger;
  readonly #onDelivery: WebhookReceiverHooks['onDelivery'];
  #secretLineAt = Number.NEGATIVE_INFINITY;

  /** @param failureListeners - Those of `onError`. */
  constructor(
    log: LeveledLogger,
    readonly failureListeners: FailureListener[],
    onDelivery?: WebhookReceiverHooks['onDelivery'],
  ) {
    this.#log = log;
    this.#onDelivery = onDelivery;
  }

  /** A delivery gets its response. Logged here unless it was refused, and passed to `onDelivery`. */
  responded(delivery: ReportedDelivery, outcome: DeliveryOutcome): void {
    const status = statusOf(outcome);
    if (!isRefusal(outcome)) this.#line('info', delivery, `${status} ${outcome}`, outcome);
    const onDelivery = this.#onDelivery;
    if (onDelivery === undefined) return;
    const { event, size, context, startedAt } = delivery;
    const { deliveryId } = context;
    const { type, workspace } = event ?? {};
    const durationMs = millisecondsSince(startedAt);
    const ended = { deliveryId, type, workspace, outcome, status, size, durationMs };
    void this.#log.runQuietly('onDelivery', () => onDelivery(ended));
  }

  /** The handlers or the store of a delivery settled after its deadline. */
  settledLate(delivery: ReportedDelivery, outcome: DeliveryOutcome): void {
    this.#line('warn', delivery, `ended after its deadline: ${outcome}`, outcome);
  }

  /** A delivery was refused before it was verified. */
  async rejected(delivery: ReportedDelivery, { reason, size, hint, level }: Rejection): Promise<void> {
    const status = statusOf(reason);
    const bytes = size === undefined ? '' : `, ${size} bytes`;
    const advice = hint === undefined ? '' : `\n  ${hint}`;
    this.#line(level, delivery, `refused with ${status} ${reason}${bytes}`, reason, advice);
    const { deliveryId } = delivery.context;
    const rejection = { reason, status, size, deliveryId, ...(hint !== undefined && { hint }) };
    await this.#call('onRejected', this.rejectionListeners, (listener) => listener(rejection));
  }

  /** Something failed while an event was handled. */
  async failed(error: unknown, failure: WebhookFailure): Promise<void> {
    const { stage, event, context } = failure;
    const { deliveryId } = context;
    const { type, workspace } = event ?? {};
    if (stage !== 'secret' || this.#mayLogSecret()) {
      const where = `webhook ${nameOf(event)}: failed at ${stage}, delivery ${deliveryId}`;
      this.#log.log(
        'error',
        () => `${where}: ${describeFailed(error, stage)}`,
        () => ({ type: cutType(type), workspace, deliveryId, outcome: `${stage}_failed` }),
      );
    }
    await this.#call('onError', this.failureListeners, (listener) => listener(error, failure));
  }

  /** Loading secrets failed, and the last ones are used. */
  usingStaleSecrets(error: unknown): void {
    if (!this.#mayLogSecret()) return;
    this.#log.log(
      'error',
      () =>
        `webhook secrets were not reloaded, the last ones stay in use: ${describeFailed(error, 'secret')}`,
    );
  }

  /** A type has no handler. One line each: its events are acknowledged, and not sent again. */
  unhandled(event: ReceivedWebhook): void {
    if (isInvalidEvent(event)) return;
    const problem = isWebhookEventType(event.type)
      ? 'no handler is registered for this type: register one with on or onUnhandled'
      : 'this version does not know the type: register a handler with onUnknown';
    this.#warnOnceOf(event, problem);
  }

  /** A handler returned what looks like a refusal, or like work that is still to be started. */
  resultIgnored(event: ReceivedWebhook, what: string): void {
    this.#warnOnceOf(event, `a handler returned ${what}`);
  }

  /** An inbox returned no promise. */
  storedBlindly(): void {
    this.#log.warnOnce(
      'the `store` of the inbox returned no promise, so its events are acknowledged before they are safe: return one',
    );
  }

  #warnOnceOf(event: ReceivedWebhook, problem: string): void {
    this.#log.warnOnce(`webhook ${labelOf(event.type, undefined)}: ${problem} (logged once)`);
  }

  #mayLogSecret(): boolean {
    const now = performance.now();
    if (now - this.#secretLineAt < SECRET_LINE_INTERVAL_MS) return false;
    this.#secretLineAt = now;
    return true;
  }

  #line(
    level: 'info' | 'warn',
    { event, context, startedAt }: ReportedDelivery,
    text: string,
    outcome: DeliveryOutcome,
    advice = '',
  ): void {
    const { deliveryId } = context;
    const durationMs = millisecondsSince(startedAt);
    this.#log.log(
      level,
      () => `webhook ${nameOf(event)}: ${text} after ${durationMs} ms, delivery ${deliveryId}${advice}`,
      (): LogFields => ({
        type: cutType(event?.type),
        workspace: event?.workspace,
        deliveryId,
        outcome,
        status: statusOf(outcome),
        durationMs,
      }),
    );
  }

  async #call<Listener>(
    name: string,
    listeners: readonly Listener[],
    call: (listener: Listener) => unknown,
  ): Promise<void> {
    await Promise.all(listeners.map((listener) => this.#log.runQuietly(name, () => call(listener))));
  }
}

function millisecondsSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

function nameOf(event: ReceivedWebhook | undefined): string {
  return event === undefined ? '(unverified)' : labelOf(event.type, event.workspace);
}

/**
 * Describes an error: that of a handler with its message and causes, one of this package with its message.
 *
 * What a store or a function for secrets throws may quote the secret, as Prisma quotes its arguments.
 */
function describeFailed(error: unknown, stage: WebhookFailure['stage']): string {
  if (stage === 'handler') return safely(() => describeWhole(error, 0));
  const text =
    error instanceof AgentPlatformError ? `${error.name}: ${error.message}` : describeThrown(error);
  return text + framesOf(error);
}

/** Errors may be the cause of each other. */
const MAX_CAUSES = 5;

function describeWhole(error: unknown, depth: number): string {
  const text = describeError(error);
  const cause = isError(error) ? error.cause : undefined;
  if (cause === undefined || depth === MAX_CAUSES) return text;
  return `${text}\n  Caused by: ${describeWhole(cause, depth + 1)}`;
}
