import { WebhookError } from '../errors/index.js';
import type { Outcome } from './answers.js';
import type { Clock } from './clock.js';
import type { ReceivedWebhook, WebhookContext, WebhookHandler } from './listeners.js';

/** How far a delivery has come: decides what it is answered when its deadline passes. */
export type Phase = 'reading' | 'verifying' | 'claiming' | 'copy' | 'storing' | 'running';

/** Registers what is called when a deadline passes. */
export type AtDeadline = (listener: () => void) => void;

/** A handler that was started. */
export interface StartedHandler {
  readonly handler: WebhookHandler<never>;
}

/** One delivery on its way through the receiver, with its deadline. */
export class Delivery {
  readonly context: WebhookContext;
  phase: Phase = 'reading';
  /** The outcome, once it is certain, while listeners and the store are still to be told. */
  settled: Outcome | undefined;
  /** The deadline has passed, and the delivery is answered. */
  overdue = false;
  /** What was received, once it is verified. */
  event: ReceivedWebhook | undefined;
  /** The event type as it may stand in logs, with the workspace. */
  label = '(unverified)';
  /** Handlers that were started and have not settled. */
  readonly unsettled = new Set<StartedHandler>();
  readonly #clock: Clock;
  readonly #timer: unknown;
  readonly #atDeadline: (() => void)[] = [];

  constructor(clock: Clock, deadlineMs: number) {
    this.#clock = clock;
    this.context = new DeliveryContext(clock.now());
    this.#timer = clock.setTimeout(() => {
      const reason = new WebhookError(`The delivery was not handled within ${deadlineMs} ms.`);
      controllerOf(this.context).abort(reason);
      for (const listener of this.#atDeadline) listener();
    }, deadlineMs);
  }

  get age(): number {
    return this.#clock.now() - this.context.receivedAt;
  }

  /** Calls the listener when the deadline passes: what the context's signal is to handlers, without its cost. */
  readonly atDeadline: AtDeadline = (listener) => {
    this.#atDeadline.push(listener);
  };

  /** What the work comes to, or, when the deadline passes before, what is answered then. */
  outcomeOf(work: Promise<Outcome>, endOverdue: () => Outcome): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.atDeadline(() => resolve(endOverdue()));
      work.then(resolve, reject);
    });
  }

  /** Forgets the deadline. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
  }
}

/** Created on first use: an AbortController costs as much as everything else that is done for a small event. */
const controllers = /* @__PURE__ */ new WeakMap<WebhookContext, AbortController>();

function controllerOf(context: WebhookContext): AbortController {
  const made = controllers.get(context) ?? new AbortController();
  controllers.set(context, made);
  return made;
}

/** One getter for all: with an accessor of its own, each context would be slow to look at. */
const lazySignal = {
  enumerable: true,
  get(this: WebhookContext): AbortSignal {
    return controllerOf(this).signal;
  },
};

class DeliveryContext implements WebhookContext {
  declare readonly signal: AbortSignal;
  readonly deliveryId: string;
  readonly receivedAt: number;

  constructor(receivedAt: number) {
    Object.defineProperty(this, 'signal', lazySignal);
    this.deliveryId = crypto.randomUUID();
    this.receivedAt = receivedAt;
    Object.freeze(this);
  }
}
