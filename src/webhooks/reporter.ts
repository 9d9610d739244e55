import { formatIssues } from '../ground/issues.js';
import { describeThrown, type LeveledLogger } from '../ground/logger.js';
import { type Outcome, statusOf } from './answers.js';
import type { Delivery } from './delivery.js';
import type { Listeners, WebhookFailure } from './listeners.js';
import type { RejectionReason } from './refusal.js';

/** Tells the log and the listeners what happened to deliveries. A listener that throws is logged, and no more. */
export class Reporter {
  readonly #log: LeveledLogger;
  readonly #listeners: Listeners;

  constructor(log: LeveledLogger, listeners: Listeners) {
    this.#log = log;
    this.#listeners = listeners;
  }

  /** One line for each delivery that was not refused. */
  answered(delivery: Delivery, outcome: Outcome): void {
    this.#log.log('info', () => this.#line(delivery, `${statusOf(outcome)} ${outcome}`));
  }

  /** The handlers of a delivery that was answered 500 have settled after all. */
  late(delivery: Delivery, outcome: Outcome): void {
    this.#log.log('warn', () => this.#line(delivery, `settled after its deadline: ${outcome}`));
  }

  async rejected(
    delivery: Delivery,
    reason: RejectionReason,
    about: { readonly size?: number | undefined; readonly error?: unknown } = {},
  ): Promise<void> {
    const status = statusOf(reason);
    const { event } = delivery;
    const issues = event !== undefined && 'issues' in event ? formatIssues(event.issues) : '';
    const size = about.size === undefined ? '' : `, ${about.size} bytes`;
    this.#log.log('warn', () => this.#line(delivery, `refused with ${status} ${reason}${size}`) + issues);
    const error = about.error === undefined ? {} : { error: about.error };
    const { deliveryId } = delivery.context;
    await this.#tell('onRejected', this.#listeners.rejected, (listener) =>
      listener({ reason, status, size: about.size, deliveryId, ...error }),
    );
  }

  async failed(label: string, error: unknown, failure: WebhookFailure): Promise<void> {
    const { stage, context } = failure;
    const hint = this.#listeners.error.length === 0 ? '; register onError to see it' : '';
    this.#log.log(
      'error',
      () =>
        `webhook ${label}: failed at ${stage} with ${describeThrown(error)}${hint}, delivery ${context.deliveryId}`,
    );
    await this.#tell('onError', this.#listeners.error, (listener) => listener(error, failure));
  }

  /** Failed before it was known which event it is: there is nothing that a listener could be handed. */
  broken(delivery: Delivery, error: unknown): void {
    this.#log.log('error', () => this.#line(delivery, `failed with ${describeThrown(error)}`));
  }

  #line({ label, age, context }: Delivery, what: string): string {
    return `webhook ${label}: ${what} after ${age} ms, delivery ${context.deliveryId}`;
  }

  async #tell<Listener>(
    name: string,
    listeners: readonly Listener[],
    call: (listener: Listener) => unknown,
  ): Promise<void> {
    await Promise.all(listeners.map((listener) => this.#log.runQuietly(name, () => call(listener))));
  }
}
