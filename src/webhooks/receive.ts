import { WebhookError } from '../errors/index.js';
import { unref } from '../utils/waiting.js';
import { gunzip } from './adapters/gunzip.js';
import { mountingHint } from './adapters/hints.js';
import type { BodyBudget, UnverifiedBody } from './adapters/reading.js';
import { type AuthenticBody, authenticate } from './authenticate.js';
import { type DecodedBody, decodeBody, exceeds, memoryOf, sizeOf } from './body.js';
import type { WebhookContext, WebhookFailure } from './context.js';
import { handleOnce } from './dedupe/claim.js';
import { eventKey } from './dedupe/event-key.js';
import { runEvent } from './handlers.js';
import { STORED_VERSION, type WebhookInbox } from './inbox.js';
import type { ReceiverSettings } from './options.js';
import {
  type DeliveryOutcome,
  type HandlersOutcome,
  Rejection,
  respond,
  type WebhookResponse,
} from './outcomes.js';
import { hasType, type ReceivedWebhook, removeSecret, toEvent, type UnknownWebhookEvent } from './payload.js';
import type { Registry } from './registration.js';
import type { Reporter } from './reporter.js';
import type { Deadline, OwnerFinder } from './secrets/find.js';

/** The parts of a receiver that its deliveries share. */
export interface ReceiverParts {
  readonly settings: ReceiverSettings;
  /** Called once for each delivery. */
  readonly ownerFinder: () => OwnerFinder;
  readonly registry: Registry;
  readonly reporter: Reporter;
  readonly budget: BodyBudget;
}

/** A request as far as a delivery needs it. A framework may have passed anything. */
export type DeliveredRequest = { readonly method?: unknown } | null | undefined;

/** Reads the body. Rejects with a {@link Rejection}, or with whatever a server throws. */
export type ReadBody = (unverified: UnverifiedBody) => unknown;

/** Takes one delivery from its request to the response, at the deadline at the latest. Never rejects. */
export function receive(
  parts: ReceiverParts,
  request: DeliveredRequest,
  readBody: ReadBody,
): Promise<WebhookResponse> {
  return new Delivery(parts).receive(request, readBody);
}

/** What a delivery is waiting for. */
type Stage = 'body' | 'secret' | 'validation' | 'dedupe' | 'duplicate' | 'inbox' | 'handler' | 'settled';

interface StageRow {
  /** The outcome if something throws at this stage. */
  readonly failed: DeliveryOutcome;
  /** The outcome if the deadline passes at this stage. */
  readonly overdue: DeliveryOutcome;
  /** The stage of a failure, as `onError` gets it. Without one, the delivery is refused. */
  readonly reportedAs?: WebhookFailure['stage'];
  /** The stage of a passed deadline, as `onError` gets it. Without one, there is nothing to report. */
  readonly overdueReportedAs?: WebhookFailure['stage'];
}

const STAGES: Readonly<Record<Stage, StageRow>> = {
  // At the deadline the reading is ended, which is reported as a refusal.
  body: { failed: 'body_unreadable', overdue: 'body_unreadable' },
  // At the deadline the signal ends the verification, which is reported as its failure.
  secret: { failed: 'secret_failed', overdue: 'secret_failed', reportedAs: 'secret' },
  validation: { failed: 'internal_error', overdue: 'deadline_passed', reportedAs: 'validation' },
  dedupe: {
    failed: 'internal_error',
    overdue: 'deadline_passed',
    reportedAs: 'dedupe',
    overdueReportedAs: 'dedupe',
  },
  duplicate: { failed: 'internal_error', overdue: 'duplicate_pending', reportedAs: 'dedupe' },
  inbox: { failed: 'not_stored', overdue: 'not_stored', reportedAs: 'inbox', overdueReportedAs: 'inbox' },
  handler: {
    failed: 'internal_error',
    overdue: 'deadline_passed',
    reportedAs: 'handler',
    overdueReportedAs: 'deadline',
  },
  settled: { failed: 'internal_error', overdue: 'deadline_passed', reportedAs: 'dedupe' },
};

/** One delivery. Its methods are in the order in which they run. */
class Delivery {
  context: WebhookContext;
  /** Undefined until it is verified. */
  event: ReceivedWebhook | undefined;
  /** Bytes of the body, measured for `onDelivery`. */
  size: number | undefined;
  readonly #parts: ReceiverParts;
  readonly #unverified: UnverifiedBody;
  readonly #deadline: Deadline;
  readonly #controller = new AbortController();
  readonly #reports: Promise<void>[] = [];
  #stage: Stage = 'body';
  #outcome: DeliveryOutcome | undefined;

  constructor(parts: ReceiverParts) {
    const { signal } = this.#controller;
    this.#parts = parts;
    this.#unverified = { limit: parts.settings.maxBodyBytes, budget: parts.budget };
    this.#deadline = { at: performance.now() + parts.settings.deadline, signal };
    this.context = { deliveryId: crypto.randomUUID(), eventKey: '', receivedAt: Date.now(), signal };
  }

  async receive(request: DeliveredRequest, readBody: ReadBody): Promise<WebhookResponse> {
    const { settings, reporter } = this.#parts;
    const work = this.#work(request, readBody);
    const outcome = await new Promise<DeliveryOutcome>((resolve) => {
      const timer = setTimeout(() => resolve(this.#expire(work)), settings.deadline);
      unref(timer);
      void work.then((ended) => {
        clearTimeout(timer);
        resolve(this.#settle(ended));
      });
    });
    reporter.responded(this, outcome);
    return respond(outcome);
  }

  /** Handles the delivery, then waits for listeners: the process may end with the response. Never rejects. */
  async #work(request: DeliveredRequest, readBody: ReadBody): Promise<DeliveryOutcome> {
    let outcome: DeliveryOutcome;
    try {
      outcome = await this.#handle(request, readBody);
    } catch (error) {
      outcome = this.#fail(error);
    }
    this.#settle(outcome);
    this.#stage = 'settled';
    await Promise.all(this.#reports);
    return outcome;
  }

  /** Reads, authenticates, validates, makes the key, then stores the event or runs its handlers. */
  async #handle(request: DeliveredRequest, readBody: ReadBody): Promise<DeliveryOutcome> {
    const { settings } = this.#parts;

    // 1. and 2. Read the body, and authenticate it by the secret that it carries.
    checkMethod(request);
    const authentic = await this.#admit(request, readBody);

    // 3. Remove the secret, validate unless a worker will, make the key.
    this.#stage = 'validation';
    const verified = removeSecret(authentic, settings);
    const { inbox } = settings;
    // A webhook without a type cannot be stored: `toEvent` finds it invalid.
    const storable = inbox !== undefined && hasType(verified) ? verified : undefined;
    const event = storable ?? toEvent(verified, settings);
    this.event = event;
    this.#stage = 'dedupe';
    this.context = { ...this.context, eventKey: await eventKey(authentic) };

    // 4. With an inbox, 200 means stored. Workers do the rest.
    if (inbox !== undefined && storable !== undefined) {
      this.#stage = 'inbox';
      await store(inbox, storable, this.context);
      return 'stored';
    }

    // 5. Run the handlers, once for all duplicates.
    const report = (stage: WebhookFailure['stage'], error: unknown) => this.#report(stage, error);
    return await runEvent(this.#parts, event, this.context, report, (run) => this.#runOnce(run));
  }

  /** Reads and authenticates the body. It counts in the budget until that has ended. */
  async #admit(request: DeliveredRequest, readBody: ReadBody): Promise<AuthenticBody> {
    const { budget, ownerFinder, settings } = this.#parts;
    let body: DecodedBody | undefined;
    try {
      body = await this.#read(request, readBody);
      if (settings.hooks.onDelivery !== undefined) this.size = sizeOf(body);
      if (exceeds(body, settings.maxBodyBytes)) throw new Rejection('body_too_large');
      this.#stage = 'secret';
      this.#unverified.stop = (reason) => this.#controller.abort(new Rejection(reason));
      budget.hold(this.#unverified, memoryOf(body));
      return await authenticate(body, ownerFinder(), this.#deadline);
    } catch (error) {
      // The budget's reason counts, whatever a secret function has thrown since.
      const reason: unknown = this.#controller.signal.reason;
      const failure = reason instanceof Rejection ? reason : error;
      if (failure instanceof Rejection && body !== undefined) failure.size = sizeOf(body);
      throw failure;
    } finally {
      budget.release(this.#unverified);
    }
  }

  /** Reads and decodes the body. A function of its own, so that no bytes stay in memory beside their text. */
  async #read(request: DeliveredRequest, readBody: ReadBody): Promise<DecodedBody> {
    const received = await gunzip(await readBody(this.#unverified), this.#unverified);
    if (received === undefined) throw new Rejection('not_json', undefined, mountingHint(request));
    return decodeBody(received);
  }

  /** Runs the handlers under the claim of the event, if duplicates are recognised. */
  #runOnce(run: () => Promise<HandlersOutcome>): Promise<DeliveryOutcome> {
    const { dedupe } = this.#parts.settings;
    const { deliveryId, eventKey: key, signal } = this.context;
    const handle = async () => {
      this.#stage = 'handler';
      const outcome = await run();
      this.#settle(outcome);
      this.#stage = 'settled';
      return outcome;
    };
    if (dedupe === undefined) return handle();
    const claimant = {
      owner: deliveryId,
      signal,
      onWait: () => {
        this.#stage = 'duplicate';
      },
      onStoreError: (error: unknown) => this.#report('dedupe', error),
    };
    return handleOnce(dedupe, key, claimant, handle);
  }

  /** Turns what was thrown into the outcome, and reports it. */
  #fail(error: unknown): DeliveryOutcome {
    const { failed, reportedAs } = STAGES[this.#stage];
    if (error instanceof Rejection || reportedAs === undefined) {
      // The error of a server or of a body parser quotes the body, and is not passed on.
      const rejection = error instanceof Rejection ? error : new Rejection('body_unreadable');
      this.#reports.push(this.#parts.reporter.rejected(this, rejection));
      return rejection.reason;
    }
    this.#report(reportedAs, error);
    return failed;
  }

  /** Ends the wait at the deadline. Handlers and stores go on, and a claim is held; a body is dropped. */
  #expire(work: Promise<DeliveryOutcome>): DeliveryOutcome {
    const { settings, reporter } = this.#parts;
    const { overdue, overdueReportedAs } = STAGES[this.#stage];
    const error = new WebhookError(`The delivery was not handled within ${settings.deadline} ms.`);
    if (this.#stage === 'body') this.#unverified.stop?.('body_unreadable');
    if (overdueReportedAs !== undefined) {
      this.#report(overdueReportedAs, error);
      void work.then((ended) => reporter.settledLate(this, ended));
    }
    this.#controller.abort(error);
    return this.#settle(overdue);
  }

  /** Passes a failure to the reporter. The response waits for the listeners. */
  #report(stage: WebhookFailure['stage'], error: unknown): void {
    const { event, context } = this;
    if (stage === 'handler') this.#settle('handler_failed');
    this.#reports.push(this.#parts.reporter.failed(error, { stage, event, context }));
  }

  /** Sets the outcome as soon as it is certain. The first one stands. */
  #settle(outcome: DeliveryOutcome): DeliveryOutcome {
    this.#outcome ??= outcome;
    return this.#outcome;
  }
}

function checkMethod(request: DeliveredRequest): void {
  const method = request?.method;
  if (String(method).toUpperCase() === 'POST') return;
  const hint = typeof method === 'string' ? undefined : mountingHint(request);
  const isProbe = method === 'GET' || method === 'HEAD';
  throw new Rejection('method_not_allowed', undefined, hint, isProbe ? 'info' : 'warn');
}

async function store(
  inbox: WebhookInbox,
  webhook: UnknownWebhookEvent,
  { eventKey: key, deliveryId, receivedAt }: WebhookContext,
): Promise<void> {
  await inbox.store({ version: STORED_VERSION, key, ...webhook, deliveryId, receivedAt });
}
