import { WebhookError } from '../errors/index.js';
import { unref } from '../utils/waiting.js';
import { gunzip } from './adapters/gunzip.js';
import { mountingHint } from './adapters/hints.js';
import type { BodyBudget, UnverifiedBody } from './adapters/reading.js';
import { type AuthenticBody, authenticate } from './authenticate.js';
import { type DecodedBody, decodeBody, exceeds, memoryOf, sizeOf } from './body.js';
import type { WebhookContext, WebhookFailure } from './context.js';
import { claimEvent } from './dedupe/claim.js';
import { eventKey } from './dedupe/event-key.js';
import type { WebhookHandlers } from './handlers.js';
import { STORED_VERSION, type WebhookInbox } from './inbox.js';
import type { ReceiverSettings } from './options.js';
import { type DeliveryOutcome, Rejection, respond, type WebhookResponse } from './outcomes.js';
import { hasType, type ReceivedWebhook, removeSecret, toEvent, type UnknownWebhookEvent } from './payload.js';
import type { ReportedDelivery, Reporter } from './reporter.js';
import type { Deadline, OwnerFinder } from './secrets/find.js';

/** The parts of a receiver that its deliveries share. */
export interface ReceiverParts {
  readonly settings: ReceiverSettings;
  /** Called once for each delivery. */
  readonly ownerFinder: () => OwnerFinder;
  /** With an inbox there are none, and they get only what it cannot store. */
  readonly handlers: WebhookHandlers;
  readonly reporter: Reporter;
  readonly budget: BodyBudget;
}

/** A request as far as a delivery needs it. A framework may have passed anything. */
export type DeliveredRequest = { readonly method?: unknown } | null | undefined;

/** Reads the body. Rejects with a {@link Rejection}, or with whatever a server throws. */
export type ReadBody = (unverified: UnverifiedBody) => unknown;

/** Takes one delivery from its request to the response, at the deadline at the latest. Never rejects. */
export function receive(
  receiver: ReceiverParts,
  request: DeliveredRequest,
  readBody: ReadBody,
): Promise<WebhookResponse> {
  return new Delivery(receiver).receive(request, readBody);
}

/** A delivery that is verified, and has a key. */
interface Verified extends ReportedDelivery {
  readonly event: ReceivedWebhook;
}

/** The end of a delivery. */
interface Ended {
  readonly about: ReportedDelivery;
  readonly outcome: DeliveryOutcome;
}

/** One delivery. Its methods are in the order in which they run, and each of their waits ends at the deadline. */
class Delivery {
  readonly #receiver: ReceiverParts;
  readonly #controller = new AbortController();
  readonly #deadline: Deadline;
  readonly #timer: ReturnType<typeof setTimeout>;
  /** Ends what is being waited for. */
  #expire: (() => void) | undefined;
  readonly #unverified: UnverifiedBody;
  readonly #context: WebhookContext;
  /** What the response waits for. */
  readonly #reports: Promise<void>[] = [];

  constructor(receiver: ReceiverParts) {
    const { deadline, maxBodyBytes } = receiver.settings;
    const { signal } = this.#controller;
    this.#receiver = receiver;
    this.#unverified = { limit: maxBodyBytes, budget: receiver.budget };
    this.#deadline = { at: performance.now() + deadline, signal };
    const deliveryId = crypto.randomUUID();
    this.#context = { deliveryId, eventKey: '', receivedAt: Date.now(), signal, drift: [] };
    this.#timer = setTimeout(() => {
      this.#controller.abort(new WebhookError(`The delivery was not handled within ${deadline} ms.`));
      // Ends the reading of the body.
      this.#unverified.stop?.('body_unreadable');
      this.#expire?.();
    }, deadline);
    unref(this.#timer);
  }

  async receive(request: DeliveredRequest, readBody: ReadBody): Promise<WebhookResponse> {
    let ended: Ended;
    try {
      ended = await this.#deliver(request, readBody);
    } catch (error) {
      ended = this.#fail(error);
    }
    // The process may end with the response.
    if (this.#reports.length > 0) await this.#settles(Promise.all(this.#reports));
    clearTimeout(this.#timer);
    const { about, outcome } = ended;
    this.#receiver.reporter.responded(about, outcome);
    return respond(outcome);
  }

  /** Rejects with a {@link Rejection}, or with a {@link StageError}. */
  async #deliver(request: DeliveredRequest, readBody: ReadBody): Promise<Ended> {
    const { settings, handlers } = this.#receiver;
    const { inbox } = settings;

    // 1. Read the body, and authenticate it by the secret that it carries.
    checkMethod(request);
    const { authentic, size } = await this.#admit(request, readBody);

    // 2. Remove the secret, and validate unless a worker will. What has no type cannot be stored.
    const verified = removeSecret(authentic, handlers.validation);
    const isStorable = inbox !== undefined && hasType(verified);
    const { event, drift } = isStorable
      ? { event: verified, drift: [] }
      : toEvent(verified, handlers.validation);

    // 3. Make the key that all duplicates share.
    const arrived = { event, size, context: this.#context };
    const key = await at('dedupe', arrived, () => eventKey(authentic));
    const { deliveryId, receivedAt, signal } = this.#context;
    const about = { event, size, context: { deliveryId, eventKey: key, receivedAt, signal, drift } };

    // 4. With an inbox, 200 means stored, and workers do the rest. Without, it means handled.
    const outcome = isStorable ? await this.#store(inbox, verified, about) : await this.#handle(about);
    return { about, outcome };
  }

  /** Reads and authenticates the body. It counts in the budget until that has ended. */
  async #admit(
    request: DeliveredRequest,
    readBody: ReadBody,
  ): Promise<{ readonly authentic: AuthenticBody; readonly size: number | undefined }> {
    const { settings, budget, ownerFinder } = this.#receiver;
    let body: DecodedBody | undefined;
    try {
      body = await read(request, readBody, this.#unverified);
      if (exceeds(body, settings.maxBodyBytes)) throw new Rejection('body_too_large');
      this.#unverified.stop = (reason) => this.#controller.abort(new Rejection(reason));
      budget.hold(this.#unverified, memoryOf(body));
      const authentic = await authenticate(body, ownerFinder(), this.#deadline);
      return { authentic, size: settings.hooks.onDelivery && sizeOf(body) };
    } catch (error) {
      // The budget's reason counts, whatever a secret function has thrown since.
      const reason: unknown = this.#controller.signal.reason;
      const failure = reason instanceof Rejection ? reason : error;
      const size = body && sizeOf(body);
      if (!(failure instanceof Rejection)) {
        throw new StageError('secret', { context: this.#context, event: undefined, size }, failure);
      }
      failure.size ??= size;
      throw failure;
    } finally {
      budget.release(this.#unverified);
      // V8 keeps the keys of a map that were deleted, until it collects all garbage
      // (src/objects/ordered-hash-table.cc, `Rehash`): they must not keep the delivery.
      this.#unverified.stop = undefined;
    }
  }

  #store(inbox: WebhookInbox, webhook: UnknownWebhookEvent, about: Verified): Promise<DeliveryOutcome> {
    const { eventKey: key, deliveryId, receivedAt } = about.context;
    const storing = at('inbox', about, async (): Promise<DeliveryOutcome> => {
      await inbox.store({ version: STORED_VERSION, key, ...webhook, deliveryId, receivedAt });
      return 'stored';
    });
    return this.#inTime(
      about,
      storing,
      (reason) => this.#fail(new StageError('inbox', about, reason)).outcome,
    );
  }

  /** Runs the handlers, once for all duplicates: the claim holds until they have settled. */
  async #handle(about: Verified): Promise<DeliveryOutcome> {
    const { handlers, settings } = this.#receiver;
    const { dedupe } = settings;
    const { event, context } = about;
    const report = (stage: WebhookFailure['stage'], error: unknown) => this.#report(about, stage, error);
    const claim =
      dedupe === undefined || handlers.for(event).length === 0
        ? undefined
        : await at('dedupe', about, () => claimEvent(dedupe, context, (error) => report('dedupe', error)));
    if (typeof claim === 'string') return claim;

    let hasFailed = false;
    const running = handlers.run(event, context, (stage, error) => {
      hasFailed = true;
      report(stage, error);
    });
    const outcome = await this.#inTime(about, running, (reason) => {
      report('deadline', reason);
      return hasFailed ? 'handler_failed' : 'deadline_passed';
    });
    // After the deadline, the claim ends later.
    if (claim !== undefined) await this.#settles(running.then(claim.end));
    return outcome;
  }

  /** Waits until the deadline. What goes on then is reported when it ends. */
  async #inTime(
    about: Verified,
    working: Promise<DeliveryOutcome>,
    overdue: (reason: unknown) => DeliveryOutcome,
  ): Promise<DeliveryOutcome> {
    if (await this.#settles(working)) return working;
    const { reporter } = this.#receiver;
    void working
      .catch((error: unknown) => this.#fail(error).outcome)
      .then((outcome) => reporter.settledLate(about, outcome));
    return overdue(this.#deadline.signal.reason);
  }

  /** Whether a promise settles before the deadline. */
  #settles(promise: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      this.#expire = () => resolve(false);
      const settle = () => resolve(true);
      promise.then(settle, settle);
      if (this.#deadline.signal.aborted) resolve(false);
    });
  }

  /** Passes a failure to the reporter. The response waits for the listeners. */
  #report({ event, context }: ReportedDelivery, stage: WebhookFailure['stage'], error: unknown): void {
    this.#reports.push(this.#receiver.reporter.failed(error, { stage, event, context }));
  }

  /** Turns what was thrown into the end of the delivery, and reports it. */
  #fail(error: unknown): Ended {
    const arrived = { context: this.#context, event: undefined, size: undefined };
    if (error instanceof Rejection) {
      this.#reports.push(this.#receiver.reporter.rejected(arrived, error));
      return { about: { ...arrived, size: error.size }, outcome: error.reason };
    }
    const failure = error instanceof StageError ? error : new StageError('validation', arrived, error);
    const { stage, about, thrown } = failure;
    this.#report(about, stage, thrown);
    const isLate = stage === 'dedupe' && thrown === this.#deadline.signal.reason;
    return { about, outcome: isLate ? 'deadline_passed' : FAILED[stage] };
  }
}

/** Reads and decodes the body. A function of its own, so that no bytes stay in memory beside their text. */
async function read(
  request: DeliveredRequest,
  readBody: ReadBody,
  unverified: UnverifiedBody,
): Promise<DecodedBody> {
  try {
    const received = await gunzip(await readBody(unverified), unverified);
    if (received === undefined) throw new Rejection('not_json', undefined, mountingHint(request));
    return decodeBody(received);
  } catch (error) {
    // The error of a server or of a body parser quotes the body, and is not passed on.
    throw error instanceof Rejection ? error : new Rejection('body_unreadable');
  }
}

function checkMethod(request: DeliveredRequest): void {
  const method = request?.method;
  if (String(method).toUpperCase() === 'POST') return;
  const hint = typeof method === 'string' ? undefined : mountingHint(request);
  const isProbe = method === 'GET' || method === 'HEAD';
  throw new Rejection('method_not_allowed', undefined, hint, isProbe ? 'info' : 'warn');
}

/** Where something outside of this package may fail, and the outcome then. */
const FAILED = {
  secret: 'secret_failed',
  validation: 'internal_error',
  dedupe: 'internal_error',
  inbox: 'not_stored',
} as const satisfies Readonly<Partial<Record<WebhookFailure['stage'], DeliveryOutcome>>>;

/** What was thrown in a delivery, and where. */
class StageError extends Error {
  constructor(
    readonly stage: keyof typeof FAILED,
    readonly about: ReportedDelivery,
    readonly thrown: unknown,
  ) {
    super(stage);
    // As of a `Rejection`.
    this.stack = '';
  }
}

/** Names the stage of whatever is thrown in it. What is there at once needs no promise. */
function at<Value>(
  stage: StageError['stage'],
  about: ReportedDelivery,
  work: () => Promise<Value>,
): Promise<Value>;
function at<Value>(
  stage: StageError['stage'],
  about: ReportedDelivery,
  work: () => Value | Promise<Value>,
): Value | Promise<Value>;
function at<Value>(
  stage: StageError['stage'],
  about: ReportedDelivery,
  work: () => Value | Promise<Value>,
): Value | Promise<Value> {
  const fail = (error: unknown): never => {
    throw new StageError(stage, about, error);
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}
