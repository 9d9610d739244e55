import type { WebhookContext } from './handlers.js';

/** The context of one delivery. Its signal is made when somebody looks at it: most handlers never do. */
export class DeliveryContext implements WebhookContext {
  readonly deliveryId: string = crypto.randomUUID();
  readonly receivedAt: number;
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
