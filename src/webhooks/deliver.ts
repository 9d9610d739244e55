import { WebhookError } from '../errors/index.js';
import { after, type Later, settling } from '../ground/later.js';
import type { BodyBounds } from './adapters.js';
import {
  type DeliveryOutcome,
  isRejection,
  RejectedDelivery,
  type RejectionReason,
  respond,
  type WebhookResponse,
} from './answers.js';
import type { Claims } from './claims.js';
import { dedupeKey } from './dedupe-key.js';
import {
  decodeBody,
  exceeds,
  isInvalidEvent,
  parseDelivery,
  type ReceivedWebhook,
  removeSecret,
  sizeOf,
  toEvent,
  type VerifiedDelivery,
  workspaceOf,
} from './delivery.js';
import { DeliveryContext } from './delivery-context.js';
import type { DeliveryReports } from './delivery-reports.js';
import {
  type Handlers,
  runHandlers,
  type StartedHandler,
  type WebhookFailure,
  type WebhookHandler,
} from './handlers.js';
import { STORED_VERSION, type WebhookInbox } from './inbox.js';
import type { ReceiverSettings } from './receiver-options.js';
import { mayBeGenuine } from './secret-options.js';
import type { UnverifiedBodies, UnverifiedBody } from './unverified-bodies.js';

/** Reads the body of a request. Rejects with a {@link RejectedDelivery}, or with whatever a server throws. */
export type ReadBody = (bounds: BodyBounds) => unknown;

/** The thing that the receiver was called with, which may be anything. */
type ReceivedRequest = { readonly method?: unknown };

/** The part of a receiver that its deliveries share. */
export interface PipelineParts {
  readonly settings: ReceiverSettings;
  readonly handlers: Handlers;
  readonly reports: DeliveryReports;
  readonly claims: Claims | undefined;
  readonly unverified: UnverifiedBodies;
}

/** The answer at the deadline, by how far the delivery has come. */
const OVERDUE_OUTCOMES = {
  reading: 'body_unreadable',
  verifying: 'lookup_failed',
  accepting: 'deadline_passed',
  claiming: 'deadline_passed',
  copy: 'copy_pending',
  waiting: 'deadline_passed',
  storing: 'not_stored',
  running: 'deadline_passed',
} as const satisfies Record<string, DeliveryOutcome>;

/** Stands for an answer that is waited for no longer. */
const LET_GO = /* @__PURE__ */ Symbol('let go');

/** The stage that failed, where something threw in a phase. */
const STAGES: Partial<Record<keyof typeof OVERDUE_OUTCOMES, WebhookFailure['stage']>> = {
  verifying: 'secret',
  accepting: 'validation',
  claiming: 'dedupe',
  storing: 'inbox',
  waiting: 'deadline',
};

/**
 * One delivery on its way from the request to the answer. The methods stand in the order in which they run; each goes on at
 * once where there is nothing to wait for.
 */
export class Pipeline implements BodyBounds, UnverifiedBody {
  readonly context: DeliveryContext;
  /** The event type as it may stand in logs, with the workspace. */
  label = '(unverified)';
  /** Undefined until it is verified. */
  event: ReceivedWebhook | undefined;
  /** Undefined until it is answered. */
  outcome: DeliveryOutcome | undefined;
  /** A hook or a trace is told of it: its size is counted, and an inbox is asked for duplicates. */
  isObserved = false;
  /** Bytes of the body. */
  size: number | undefined;
  /** The inbox had the event already. */
  isStoredAgain = false;
  heldBytes = 0;
  giveUp: BodyBounds['giveUp'];
  readonly #parts: PipelineParts;
  readonly #request: ReceivedRequest;
  readonly #hint: ((request: unknown) => string | undefined) | undefined;
  /** Ends the wait for a look-up that may never answer, so that nothing of the body is held. */
  #letGo: (() => void) | undefined;
  readonly #unsettled: StartedHandler[] = [];
  #phase: keyof typeof OVERDUE_OUTCOMES = 'reading';
  /** The outcome, once it is certain, while listeners and the store are still to be told. */
  #settled: DeliveryOutcome | undefined;

  /** @param hint - Says what to do, where the receiver was called with what is no request. */
  constructor(
    parts: PipelineParts,
    request: ReceivedRequest,
    hint?: (request: unknown) => string | undefined,
  ) {
    this.#parts = parts;
    this.#request = request;
    this.#hint = hint;
    this.context = new DeliveryContext(parts.settings.clock.now());
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

  /** Never throws or rejects. Answers at the deadline at the latest; work that was begun by then still comes to its end. */
  answer(readBody: ReadBody): Later<WebhookResponse> {
    const work = this.#work(readBody);
    return after(work instanceof Promise ? this.#beforeDeadline(work) : work, (outcome) => {
      this.outcome = outcome;
      if (!isRejection(outcome)) this.#parts.reports.answered(this, outcome);
      return respond(outcome);
    });
  }

  #beforeDeadline(work: Promise<DeliveryOutcome>): Promise<DeliveryOutcome> {
    const { clock, deadline } = this.#parts.settings;
    return new Promise((resolve) => {
      const timer = clock.setTimeout(() => {
        const error = new WebhookError(`The delivery was not handled within ${deadline} ms.`);
        DeliveryContext.abort(this.context, error);
        // One that was read is handled all the same once the look-up has answered, unless others need the room before.
        if (this.#phase === 'reading') this.giveUp?.('body_unreadable');
        resolve(this.#overdue(work, error));
      }, deadline);
      const end = async () => {
        const outcome = await work;
        clock.clearTimeout(timer);
        resolve(outcome);
      };
      void end();
    });
  }

  #work(readBody: ReadBody): Later<DeliveryOutcome> {
    try {
      const outcome = after(this.#read(readBody), (body) => this.#verify(body));
      return outcome instanceof Promise ? outcome.catch((error: unknown) => this.#end(error)) : outcome;
    } catch (error) {
      return this.#end(error);
    }
  }

  #read(readBody: ReadBody): unknown {
    const { method } = this.#request;
    if (String(method).toUpperCase() !== 'POST') {
      const hint = typeof method === 'string' ? undefined : this.#hint?.(this.#request);
      throw new RejectedDelivery('method_not_allowed', undefined, hint);
    }
    // Some servers parse the body when it is first looked at, and throw then.
    return settling(readBody(this));
  }

  mayHold(bytes: number): boolean {
    return this.#parts.unverified.hold(this, bytes);
  }

  /** Before the body is parsed, which can take many times as long, and as much memory: not for who does not know the secret. */
  #verify(received: unknown): Later<DeliveryOutcome> {
    this.giveUp = undefined;
    const { settings, unverified } = this.#parts;
    if (this.isObserved) this.size = sizeOf(received);
    const refusal = (reason: RejectionReason, hint?: string) =>
      new RejectedDelivery(reason, sizeOf(received), hint);
    if (exceeds(received, settings.maxBodyBytes)) throw refusal('body_too_large');
    const body = decodeBody(received);
    const verify = settings.newVerifier();
    this.#phase = 'verifying';
    let letGo: (() => void) | undefined;
    const looking = mayBeGenuine(body, verify, (letGoOfText) => {
      letGo = letGoOfText;
    });
    return after(this.#unlessLetGo(looking, letGo), (mayBe) => {
      if (!mayBe) throw refusal('verification_failed');
      this.#phase = 'accepting';
      const raw = parseDelivery(body);
      if (raw === undefined) throw refusal('not_json', this.#hint?.(this.#request));
      this.#phase = 'verifying';
      return after(this.#unlessLetGo(verify(raw.presented)), (genuine) => {
        if (genuine === undefined) throw refusal('verification_failed');
        unverified.release(this);
        this.#phase = 'accepting';
        const verified = removeSecret(raw, genuine);
        return this.#accept(verified, () => dedupeKey(raw, verified, genuine));
      });
    });
  }

  /** Waits for a look-up, which may never answer: the body is let go where others need its room, as one that is being read. */
  #unlessLetGo<Answer>(answer: Later<Answer>, letGo?: () => void): Later<Answer> {
    if (!(answer instanceof Promise)) return answer;
    // The look-up holds this promise, so that it must hold nothing: not even an error, whose stack holds all that was called.
    const settled = new Promise<Answer | typeof LET_GO>((resolve, reject) => {
      this.#letGo = () => {
        letGo?.();
        resolve(LET_GO);
      };
      answer.then(resolve, reject);
    });
    this.giveUp = () => this.#letGo?.();
    return settled.then((found) => {
      if (found === LET_GO) throw new RejectedDelivery('overloaded');
      return found;
    });
  }

  /** A verified delivery is stored in the inbox, or becomes an event and is handled. */
  #accept(verified: VerifiedDelivery, key: () => Later<string>): Later<DeliveryOutcome> {
    this.label = verified.label;
    const { settings, handlers: registered, reports, claims } = this.#parts;
    const { type } = verified;
    if (settings.inbox !== undefined && typeof type === 'string') {
      return this.#store(settings.inbox, verified, type, key);
    }
    const event = toEvent(verified, settings, settings.events.get(type as string));
    this.event = event;
    reports.unhandledType(event, verified.typeLabel);
    const handlers = registered.for(event);
    if (handlers.length === 0) {
      return isInvalidEvent(event) ? this.#end(event.error, 'invalid_event') : 'no_handler';
    }
    this.#phase = 'claiming';
    const handle = () => this.#handle(event, handlers);
    return after(key(), (eventKey) => {
      this.context.eventKey = eventKey;
      return claims === undefined ? handle() : claims.once(eventKey, this, handle);
    });
  }

  async #store(
    inbox: WebhookInbox,
    { payload, workspace }: VerifiedDelivery,
    type: string,
    key: () => Later<string>,
  ): Promise<DeliveryOutcome> {
    const { deliveryId, receivedAt } = this.context;
    const event = { type, payload, ...workspaceOf({ workspace }) };
    this.event = event;
    this.#phase = 'storing';
    const stored = {
      version: STORED_VERSION,
      key: await key(),
      ...event,
      deliveryId,
      receivedAt,
    };
    await inbox.store(stored);
    return 'stored';
  }

  onWait(): void {
    this.#phase = 'copy';
  }

  onStoreError(error: unknown): void {
    void this.#fail(error, 'dedupe');
  }

  #handle(event: ReceivedWebhook, handlers: readonly WebhookHandler<never>[]): Later<DeliveryOutcome> {
    this.#phase = 'running';
    const thrown = runHandlers(handlers, event, this.context, this.#unsettled, (error, handler) =>
      this.#fail(error, 'handler', handler),
    );
    return after(thrown, ({ length }) => {
      this.#settled = length === 0 ? 'handled' : 'handler_failed';
      return this.#settled;
    });
  }

  /** Ends a delivery that was refused, or that something failed for. */
  async #end(thrown: unknown, outcome?: DeliveryOutcome): Promise<DeliveryOutcome> {
    this.#parts.unverified.release(this);
    const error = readable(thrown);
    const phase = this.#phase;
    const refused = phase === 'reading' ? this.#refusalOf(error) : error;
    const isRefused = refused instanceof RejectedDelivery;
    const failed = phase === 'verifying' || phase === 'storing' ? OVERDUE_OUTCOMES[phase] : 'internal_error';
    const settled = isRefused ? refused.reason : (outcome ?? failed);
    this.#settled = settled;
    // What came to nothing before it was verified, after the deadline, was reported then.
    const isTold = this.event === undefined && DeliveryContext.overdueBy(this.context) !== undefined;
    if (isRefused && !isTold) await this.#parts.reports.rejected(this, refused.reason, refused);
    if (!isRefused && !isTold) await this.#fail(error, STAGES[phase] ?? 'dedupe');
    return settled;
  }

  /** An error of a server or its body parser quotes the body, and is not passed on. */
  #refusalOf(error: unknown): RejectedDelivery {
    if (error instanceof RejectedDelivery) return error;
    return new RejectedDelivery('body_unreadable', undefined, this.#hint?.(this.#request));
  }

  /** The answer at the deadline, by how far the delivery has come. */
  #overdue(work: Promise<DeliveryOutcome>, error: WebhookError): DeliveryOutcome {
    if (this.#settled !== undefined) return this.#settled;
    const { reports } = this.#parts;
    void work.then((outcome) => reports.late(this, outcome));
    const outcome = OVERDUE_OUTCOMES[this.#phase];
    if (isRejection(outcome)) void reports.rejected(this, outcome, { error });
    const stage = STAGES[this.#phase];
    if (stage !== undefined) void this.#fail(error, stage);
    for (const { handler } of this.#unsettled) void this.#fail(error, 'deadline', handler);
    return this.#phase === 'running' && this.#unsettled.length === 0 ? 'handler_failed' : outcome;
  }

  #fail(error: unknown, stage: WebhookFailure['stage'], handler?: WebhookHandler<never>): Promise<void> {
    const { event, label, context } = this;
    return this.#parts.reports.failed(label, readable(error), { stage, event, handler, context });
  }
}

/** Another error in place of one that cannot be looked at, such as a proxy that was revoked: of that, even `instanceof` throws. */
function readable(thrown: unknown): unknown {
  try {
    return thrown instanceof Error ? thrown : thrown;
  } catch {
    return new WebhookError('What was thrown cannot be read.');
  }
}
