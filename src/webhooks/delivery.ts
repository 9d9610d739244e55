import { WebhookError } from '../errors.js';
import type { Outcome } from './answers.js';
import type { Clock } from './clock.js';
import type { VerifiedDelivery } from './envelope.js';
import type { ReceivedWebhook, WebhookContext, WebhookHandler } from './listeners.js';

/** How far a delivery has come: decides what it is answered when its deadline passes. */
export type Phase = 'reading' | 'verifying' | 'claiming' | 'copy' | 'storing' | 'running';

/** A handler that was started. */
export interface Attempt {
  readonly handler: WebhookHandler<never>;
}

/** One delivery on its way through the receiver, with its deadline. */
export class Delivery {
  readonly context: WebhookContext;
  /** Resolves when the deadline passes; never, when the delivery ends before. */
  readonly deadline: Promise<void>;
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
  readonly unsettled = new Set<Attempt>();
  readonly #clock: Clock;
  readonly #timer: unknown;

  constructor(clock: Clock, deadlineMs: number) {
    const controller = new AbortController();
    const receivedAt = clock.now();
    this.#clock = clock;
    this.context = Object.freeze({ signal: controller.signal, deliveryId: crypto.randomUUID(), receivedAt });
    let timer: unknown;
    this.deadline = new Promise((resolve) => {
      timer = clock.setTimeout(() => {
        resolve();
        controller.abort(new WebhookError(`The delivery was not handled within ${deadlineMs} ms.`));
      }, deadlineMs);
    });
    this.#timer = timer;
  }

  get age(): number {
    return this.#clock.now() - this.context.receivedAt;
  }

  name({ label, workspace }: VerifiedDelivery): void {
    this.label = workspace === undefined ? label : `${label} of ${JSON.stringify(workspace.slice(0, 100))}`;
  }

  /** Forgets the deadline. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
  }
}
