import type { WebhookContext } from './handlers.js';

/** The context of one delivery. Its signal is made when somebody looks at it: most handlers never do. */
export class DeliveryContext implements WebhookContext {
  readonly deliveryId: string = crypto.randomUUID();
  readonly receivedAt: number;
  /** Set before handlers run. */
  eventKey = '';
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  constructor(receivedAt: number) {
    this.receivedAt = receivedAt;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The error with which the deadline has passed. */
  static overdueBy(context: DeliveryContext): Error | undefined {
    return context.#reason;
  }

  /** Not a method: handlers are given the context. */
  static abort(context: DeliveryContext, reason: Error): void {
    context.#reason = reason;
    context.#controller?.abort(reason);
  }
}

/** The means by which a run of a stored event may be ended. */
export interface ProcessOptions {
  readonly signal?: AbortSignal | undefined;
}

/** The context of one run of the handlers for a stored event. Its signal too is asked for when somebody looks at it. */
export class JobContext implements WebhookContext {
  readonly deliveryId: string;
  readonly receivedAt: number;
  readonly eventKey: string;
  readonly #options: ProcessOptions;
  #signal: AbortSignal | undefined;

  constructor({ deliveryId, receivedAt, eventKey }: Omit<WebhookContext, 'signal'>, options: ProcessOptions) {
    this.deliveryId = deliveryId;
    this.receivedAt = receivedAt;
    this.eventKey = eventKey;
    this.#options = options;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#options.signal ?? new AbortController().signal;
    return this.#signal;
  }
}
