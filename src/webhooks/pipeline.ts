import { WebhookError } from '../errors/index.js';
import type { Reading } from './adapters.js';
import {
  type DeliveryOutcome,
  isRejection,
  RejectedDelivery,
  respond,
  type WebhookResponse,
} from './answers.js';
import type { Claims } from './claims.js';
import { dedupeKey } from './dedupe-key.js';
import {
  decodeBody,
  isBytes,
  isInvalidEvent,
  parseDelivery,
  type ReceivedWebhook,
  removeSecret,
  toEvent,
  type VerifiedDelivery,
  workspaceOf,
} from './delivery.js';
import type { DeliveryReports } from './delivery-reports.js';
import {
  type Handlers,
  runHandlers,
  type StartedHandler,
  type WebhookContext,
  type WebhookFailure,
  type WebhookHandler,
} from './handlers.js';
import { STORED_VERSION, type StoredTraceContext, type WebhookInbox } from './inbox.js';
import type { ReceiverSettings } from './receiver-options.js';
import { mayBeGenuine } from './secret-options.js';
import type { Place, Turns } from './turns.js';
import type { UnverifiedBodies, UnverifiedBody } from './unverified-bodies.js';

/** Reads the body of a request. Rejects with a {@link RejectedDelivery}, or with whatever a server throws. */
export type ReadBody = (reading: Reading) => unknown;

/** The part of a receiver that its deliveries share. */
export interface PipelineParts {
  readonly settings: ReceiverSettings;
  readonly handlers: Handlers;
  readonly reports: DeliveryReports;
  readonly claims: Claims | undefined;
  readonly turns: Turns | undefined;
  readonly unverified: UnverifiedBodies;
}

/** The answer at the deadline, by how far the delivery has come. */
const OVERDUE_OUTCOMES = {
  reading: 'body_unreadable',
  verifying: 'lookup_failed',
  claiming: 'deadline_passed',
  copy: 'copy_pending',
  waiting: 'deadline_passed',
  storing: 'not_stored',
  running: 'deadline_passed',
} as const satisfies Record<string, DeliveryOutcome>;

/** One delivery on its way from the request to the answer. The methods stand in the order in which they run. */
export class Pipeline implements Reading, UnverifiedBody {
  readonly context: WebhookContext;
  /** The event type as it may stand in logs, with the workspace. */
  label = '(unverified)';
  /** Undefined until it is verified. */
  event: ReceivedWebhook | undefined;
  /** Undefined until it is answered. */
  outcome: DeliveryOutcome | undefined;
  /** Bytes of the body, counted where somebody asks. */
  size: number | undefined;
  /** The trace that the delivery is part of, for whoever handles it later. */
  traceContext: StoredTraceContext | undefined;
  readonly #parts: PipelineParts;
  readonly #controller = new AbortController();
  heldBytes = 0;
  giveUp: Reading['giveUp'];
  readonly #unsettled = new Set<StartedHandler>();
  #phase: keyof typeof OVERDUE_OUTCOMES = 'reading';
  /** The outcome, once it is certain, while listeners and the store are still to be told. */
  #settled: DeliveryOutcome | undefined;

  constructor(parts: PipelineParts) {
    this.#parts = parts;
    const controller = this.#controller;
    this.context = Object.freeze({
      // Most handlers never look at it, and to make one takes a quarter of the time of a small delivery.
      get signal() {
        return controller.signal;
      },
      deliveryId: crypto.randomUUID(),
      receivedAt: parts.settings.clock.now(),
    });
  }

  get limit(): number {
    return this.#parts.settings.maxBodyBytes;
  }

  get receivedAt(): number {
    return this.context.receivedAt;
  }

  get age(): number {
    return this.#parts.settings.clock.now() - this.context.receivedAt;
  }

  /** Never rejects. Answers at the deadline at the latest; work that was begun by then still comes to its end. */
  async answer(method: string | undefined, readBody: ReadBody): Promise<WebhookResponse> {
    const { clock, deadline } = this.#parts.settings;
    let timer: unknown;
    const outcome = await new Promise<DeliveryOutcome>((resolve, reject) => {
      timer = clock.setTimeout(() => {
        this.#controller.abort(new WebhookError(`The delivery was not handled within ${deadline} ms.`));
        this.giveUp?.('body_unreadable');
        resolve(this.#overdue(work));
      }, deadline);
      const work = this.#work(method, readBody);
      work.then(resolve, reject);
    });
    clock.clearTimeout(timer);
    this.outcome = outcome;
    if (!isRejection(outcome)) this.#parts.reports.answered(this, outcome);
    return respond(outcome);
  }

  /** From the body to the outcome: read, verify, then store in the inbox, or validate and handle. */
  async #work(method: string | undefined, readBody: ReadBody): Promise<DeliveryOutcome> {
    try {
      const received = await this.#read(method, readBody);
      if (this.#parts.settings.hooks.onDelivery !== undefined) this.size = sizeOf(received);
      const body = decodeBody(received);
      const verify = this.#parts.settings.newVerifier();
      // Before it is parsed, which takes a hundred times as long: whoever does not know the secret cannot have it done.
      if (!(await this.#verify(() => mayBeGenuine(body, verify)))) {
        throw new RejectedDelivery('verification_failed', sizeOf(received));
      }
      const raw = parseDelivery(body);
      if (raw === undefined) throw new RejectedDelivery('not_json', sizeOf(received));
      const genuine = await this.#verify(() => verify(raw.presented));
      if (genuine === undefined) throw new RejectedDelivery('verification_failed', sizeOf(received));
      this.#parts.unverified.release(this);
      const verified = removeSecret(raw, genuine);
      this.label = verified.label;
      const key = () => dedupeKey(raw, genuine);
      const { inbox } = this.#parts.settings;
      if (inbox !== undefined && typeof verified.type === 'string') {
        return await this.#store(inbox, verified, verified.type, key);
      }
      return await this.#accept(verified, key);
    } catch (error) {
      this.#parts.unverified.release(this);
      if (error instanceof RejectedDelivery) return this.#reject(error);
      // A runtime without WebCrypto, or an object that no body parser makes: no key could be made of the event.
      this.#settled = 'internal_error';
      await this.#fail(error, 'dedupe');
      return 'internal_error';
    }
  }

  async #read(method: string | undefined, readBody: ReadBody): Promise<unknown> {
    if (String(method).toUpperCase() !== 'POST') throw new RejectedDelivery('method_not_allowed');
    const { maxBodyBytes } = this.#parts.settings;
    let body: unknown;
    try {
      // Some servers parse the body when it is first looked at, and throw then.
      body = await readBody(this);
    } catch (error) {
      // What a body parser throws quotes the body, and is not passed on.
      throw error instanceof RejectedDelivery ? error : new RejectedDelivery('body_unreadable');
    }
    this.giveUp = undefined;
    if (exceeds(body, maxBodyBytes)) throw new RejectedDelivery('body_too_large', sizeOf(body));
    return body;
  }

  mayHold(bytes: number): boolean {
    return this.#parts.unverified.hold(this, bytes);
  }

  async #verify<Answer>(ask: () => Answer): Promise<Awaited<Answer>> {
    this.#phase = 'verifying';
    try {
      return await ask();
    } catch (error) {
      throw new RejectedDelivery('lookup_failed', undefined, error);
    }
  }

  async #reject({ reason, size, cause }: RejectedDelivery): Promise<DeliveryOutcome> {
    this.#settled = reason;
    // What came to nothing after the deadline was reported then.
    if (this.context.signal.aborted) return reason;
    const { event } = this;
    const told = [this.#parts.reports.rejected(this, reason, { size, error: cause })];
    if (reason === 'lookup_failed') told.push(this.#fail(cause, 'secret'));
    if (event !== undefined && isInvalidEvent(event)) told.push(this.#fail(event.error, 'validation'));
    await Promise.all(told);
    return reason;
  }

  async #store(
    inbox: WebhookInbox,
    { payload, workspace, envelope }: VerifiedDelivery,
    type: string,
    key: () => Promise<string>,
  ): Promise<DeliveryOutcome> {
    const { deliveryId, receivedAt } = this.context;
    const event = { type, payload, ...workspaceOf({ workspace }) };
    this.event = event;
    this.#phase = 'storing';
    try {
      await inbox.store({
        version: STORED_VERSION,
        key: await key(),
        ...event,
        ...(envelope === undefined ? {} : { envelope }),
        deliveryId,
        receivedAt,
        ...(this.traceContext !== undefined && { traceContext: this.traceContext }),
      });
      return 'stored';
    } catch (error) {
      this.#settled = 'not_stored';
      await this.#fail(error, 'inbox');
      return 'not_stored';
    }
  }

  async #accept(verified: VerifiedDelivery, key: () => Promise<string>): Promise<DeliveryOutcome> {
    const { settings, handlers: registered, reports, claims, turns } = this.#parts;
    const event = toEvent(verified, settings);
    this.event = event;
    reports.unhandledType(event, verified.typeLabel);
    const handlers = registered.for(event);
    if (handlers.length === 0) {
      if (isInvalidEvent(event)) throw new RejectedDelivery('invalid_event');
      return 'no_handler';
    }
    const place = turns?.placeOf(event, this.context.receivedAt);
    const handle = () =>
      place === undefined ? this.#handle(event, handlers) : this.#inTurn(place, event, handlers);
    if (claims === undefined) return handle();
    this.#phase = 'claiming';
    const claimant = {
      context: this.context,
      onWait: () => {
        this.#phase = 'copy';
      },
      onStoreError: (error: unknown) => void this.#fail(error, 'dedupe'),
    };
    return claims.once(await key(), claimant, handle);
  }

  async #inTurn(
    place: Place,
    event: ReceivedWebhook,
    handlers: readonly WebhookHandler<never>[],
  ): Promise<DeliveryOutcome> {
    this.#phase = 'waiting';
    let outcome: DeliveryOutcome = 'skipped';
    await place(async () => {
      outcome = await this.#handle(event, handlers);
      return outcome === 'handled';
    });
    if (outcome === 'skipped') {
      this.#settled = outcome;
      await this.#parts.reports.skipped(this.label, event, this.context);
    }
    return outcome;
  }

  async #handle(
    event: ReceivedWebhook,
    handlers: readonly WebhookHandler<never>[],
  ): Promise<DeliveryOutcome> {
    this.#phase = 'running';
    const thrown = await runHandlers(handlers, event, this.context, this.#unsettled, (error, handler) =>
      this.#fail(error, 'handler', handler),
    );
    this.#settled = thrown.length === 0 ? 'handled' : 'handler_failed';
    return this.#settled;
  }

  /** The answer at the deadline, by how far the delivery has come. */
  #overdue(work: Promise<DeliveryOutcome>): DeliveryOutcome {
    if (this.#settled !== undefined) return this.#settled;
    const { reports } = this.#parts;
    void work.then((outcome) => reports.late(this, outcome));
    const error: unknown = this.context.signal.reason;
    const outcome = OVERDUE_OUTCOMES[this.#phase];
    if (isRejection(outcome)) void reports.rejected(this, outcome, { error });
    if (this.#phase === 'verifying') void this.#fail(error, 'secret');
    if (this.#phase === 'claiming') void this.#fail(error, 'dedupe');
    if (this.#phase === 'storing') void this.#fail(error, 'inbox');
    if (this.#phase === 'waiting') void this.#fail(error, 'deadline');
    for (const { handler } of this.#unsettled) void this.#fail(error, 'deadline', handler);
    return this.#phase === 'running' && this.#unsettled.size === 0 ? 'handler_failed' : outcome;
  }

  async #fail(
    error: unknown,
    stage: WebhookFailure['stage'],
    handler?: WebhookHandler<never>,
  ): Promise<void> {
    const { event, label, context } = this;
    if (event === undefined && stage !== 'secret') return this.#parts.reports.broken(this, error);
    await this.#parts.reports.failed(label, error, { stage, event, handler, context });
  }
}

/** Bytes of a body as it was received; undefined where a body parser has made an object of it. */
function sizeOf(body: unknown): number | undefined {
  if (isBytes(body)) return body.byteLength;
  return typeof body === 'string' ? new TextEncoder().encode(body).byteLength : undefined;
}

/** Tells a body that is larger than a limit; of one that is already parsed, nothing cheap can tell. */
function exceeds(body: unknown, limit: number): boolean {
  // No UTF-16 unit takes more than three bytes: most bodies need no counting.
  if (typeof body === 'string' && body.length * 3 <= limit) return false;
  return (sizeOf(body) ?? 0) > limit;
}
