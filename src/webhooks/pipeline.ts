import { isRejection, type Outcome, respond, type WebhookResponse } from './answers.js';
import { type Claimant, Claims } from './claims.js';
import { dedupeKey } from './dedupe-key.js';
import { Delivery, type Phase } from './delivery.js';
import { runHandlers } from './dispatch.js';
import type { ReceivedDelivery } from './envelope.js';
import type { WebhookInbox } from './inbox.js';
import { type Incoming, takeIn } from './intake.js';
import type { Listeners, ReceivedWebhook, WebhookFailure, WebhookHandler } from './listeners.js';
import { readAndReport, workspaceOf } from './reading.js';
import type { ReceiverSettings } from './receiver-options.js';
import { Refusal } from './refusal.js';
import type { Reporter } from './reporter.js';

/** What a delivery is answered at its deadline, by how far it has come. */
const OVERDUE_OUTCOMES: Readonly<Record<Phase, Outcome>> = {
  reading: 'body_unreadable',
  verifying: 'lookup_failed',
  claiming: 'deadline_passed',
  copy: 'copy_pending',
  storing: 'not_stored',
  running: 'deadline_passed',
};

/** A verified delivery that an inbox can keep. */
interface StorableDelivery extends ReceivedDelivery {
  readonly type: string;
}

/** The way of a delivery: read, verify, validate, claim, run the handlers, answer. */
export class Pipeline {
  readonly #settings: ReceiverSettings;
  readonly #listeners: Listeners;
  readonly #reporter: Reporter;
  readonly #claims: Claims | undefined;

  constructor(settings: ReceiverSettings, listeners: Listeners, reporter: Reporter) {
    const { dedupe, clock } = settings;
    this.#settings = settings;
    this.#listeners = listeners;
    this.#reporter = reporter;
    this.#claims = dedupe === undefined ? undefined : new Claims({ ...dedupe, clock });
  }

  /** Never rejects. Answers at the deadline at the latest; what was begun then still comes to its end. */
  async deliver(incoming: Incoming): Promise<WebhookResponse> {
    const { clock, deadline } = this.#settings;
    const delivery = new Delivery(clock, deadline);
    const work = this.#work(incoming, delivery);
    const outcome = await delivery.outcomeOf(work, () => this.#endOverdue(delivery, work));
    delivery.end();
    if (!isRejection(outcome)) this.#reporter.answered(delivery, outcome);
    return respond(outcome);
  }

  async #work(incoming: Incoming, delivery: Delivery): Promise<Outcome> {
    try {
      return await this.#accept(await takeIn(incoming, delivery, this.#settings), delivery);
    } catch (error) {
      if (error instanceof Refusal) return this.#refuse(delivery, error);
      // A runtime without WebCrypto, or an object that no body parser makes: no key could be made of the event.
      delivery.settled = 'internal_error';
      await this.#fail(delivery, error, 'dedupe');
      return delivery.settled;
    }
  }

  async #refuse(delivery: Delivery, { reason, size, cause }: Refusal): Promise<Outcome> {
    delivery.settled = reason;
    // What came to nothing after the deadline was reported then.
    if (!delivery.overdue) await this.#reporter.rejected(delivery, reason, { size, error: cause });
    return reason;
  }

  async #accept(verified: ReceivedDelivery, delivery: Delivery): Promise<Outcome> {
    const { inbox } = this.#settings;
    delivery.label = verified.label;
    if (inbox !== undefined && typeof verified.type === 'string') {
      return this.#store(inbox, { ...verified, type: verified.type }, delivery);
    }
    const reading = readAndReport(verified, this.#settings);
    delivery.event = reading.event;
    const handlers = this.#listeners.for(reading);
    if (handlers.length > 0) return this.#handleOnce(verified, reading.event, handlers, delivery);
    if (reading.kind === 'invalid') throw new Refusal('invalid_event');
    return 'no_handler';
  }

  async #store(inbox: WebhookInbox, verified: StorableDelivery, delivery: Delivery): Promise<Outcome> {
    const { type, payload } = verified;
    const { deliveryId, receivedAt } = delivery.context;
    const event = { type, payload, ...workspaceOf(verified) };
    delivery.event = event;
    delivery.phase = 'storing';
    try {
      await inbox.store({ key: await dedupeKey(verified), ...event, deliveryId, receivedAt });
      return 'stored';
    } catch (error) {
      delivery.settled = 'not_stored';
      await this.#fail(delivery, error, 'inbox');
      return 'not_stored';
    }
  }

  async #handleOnce(
    verified: ReceivedDelivery,
    event: ReceivedWebhook,
    handlers: readonly WebhookHandler<never>[],
    delivery: Delivery,
  ): Promise<Outcome> {
    if (this.#claims === undefined) return this.#handle(event, handlers, delivery);
    delivery.phase = 'claiming';
    return this.#claims.once(await dedupeKey(verified), this.#claimant(delivery), () =>
      this.#handle(event, handlers, delivery),
    );
  }

  #claimant(delivery: Delivery): Claimant {
    return {
      id: delivery.context.deliveryId,
      context: delivery.context,
      onWait: () => {
        delivery.phase = 'copy';
      },
      report: (error) => void this.#fail(delivery, error, 'dedupe'),
    };
  }

  async #handle(
    event: ReceivedWebhook,
    handlers: readonly WebhookHandler<never>[],
    delivery: Delivery,
  ): Promise<Outcome> {
    const { context, unsettled } = delivery;
    delivery.phase = 'running';
    const thrown = await runHandlers(handlers, event, context, unsettled, (error, { handler }) =>
      this.#fail(delivery, error, 'handler', handler),
    );
    delivery.settled = thrown.length === 0 ? 'handled' : 'handler_failed';
    return delivery.settled;
  }

  /** The answer at the deadline, by how far the delivery has come. */
  #endOverdue(delivery: Delivery, work: Promise<Outcome>): Outcome {
    if (delivery.settled !== undefined) return delivery.settled;
    delivery.overdue = true;
    void work.then((outcome) => this.#reporter.late(delivery, outcome));
    const { phase, unsettled } = delivery;
    const error: unknown = delivery.context.signal.reason;
    const outcome = OVERDUE_OUTCOMES[phase];
    if (isRejection(outcome)) void this.#reporter.rejected(delivery, outcome, { error });
    if (phase === 'claiming') void this.#fail(delivery, error, 'dedupe');
    if (phase === 'storing') void this.#fail(delivery, error, 'inbox');
    for (const { handler } of unsettled) void this.#fail(delivery, error, 'deadline', handler);
    return phase === 'running' && unsettled.size === 0 ? 'handler_failed' : outcome;
  }

  async #fail(
    delivery: Delivery,
    error: unknown,
    stage: WebhookFailure['stage'],
    handler?: WebhookHandler<never>,
  ): Promise<void> {
    const { event, label, context } = delivery;
    if (event === undefined) return this.#reporter.broken(delivery, error);
    await this.#reporter.failed(label, error, { stage, event, handler, context });
  }
}
