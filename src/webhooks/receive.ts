import { isThenable } from '../utils/waiting.js';
import { type AuthenticBody, authenticate } from './authenticate.js';
import { type DecodedBody, decodeBody, exceeds, memoryOf, sizeOf } from './body/decode.js';
import { gunzip } from './body/gunzip.js';
import { type BodyBudget, tooLarge, type UnverifiedBody } from './body/reading.js';
import type { WebhookContext, WebhookFailure } from './context.js';
import { Deadline, LATE } from './deadline.js';
import { type Claim, claimEvent } from './dedupe/claim.js';
import { keyOf } from './dedupe/key.js';
import type { WebhookHandlers } from './handlers.js';
import { everyRouteHint, mountingHint } from './hints.js';
import { STORED_VERSION, type WebhookInbox } from './inbox.js';
import type { ReceiverSettings } from './options.js';
import { type DeliveryOutcome, Rejection, responseOf, type WebhookResponse } from './outcomes.js';
import { hasType, type ReceivedWebhook, removeSecret, toEvent, type UnknownWebhookEvent } from './payload.js';
import type { ReportedDelivery, Reporter } from './reporter.js';
import type { OwnerFinder } from './secrets/find.js';

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
export type DeliveredRequest = { readonly method?: unknown; readonly headers?: unknown } | null | undefined;

/** Reads the body. Rejects with a {@link Rejection}, or with whatever a server throws. */
export type ReadBody = (unverified: UnverifiedBody) => unknown;

/** What the steps of a delivery share. */
interface Delivery {
  readonly receiver: ReceiverParts;
  readonly unverified: UnverifiedBody;
  readonly deadline: Deadline;
  /** The calls of listeners, for which the response waits: the process may end with it. */
  readonly reports: Promise<void>[];
}

/** Takes one delivery from its request to the response, at the deadline at the latest. Never rejects. */
export async function receive(
  receiver: ReceiverParts,
  request: DeliveredRequest,
  readBody: ReadBody,
): Promise<WebhookResponse> {
  const { settings, handlers, reporter, budget } = receiver;
  const { inbox } = settings;
  const unverified: UnverifiedBody = { limit: settings.maxBodyBytes, budget };
  const deadline = new Deadline(settings.deadline, () => unverified.stop?.('body_unreadable'));
  const delivery: Delivery = { receiver, unverified, deadline, reports: [] };
  const { signal, startedAt } = deadline;
  const [deliveryId, receivedAt] = [crypto.randomUUID(), Date.now()];
  const arrived: WebhookContext = { deliveryId, eventKey: '', receivedAt, signal, drift: [] };
  const unknown: ReportedDelivery = { context: arrived, event: undefined, size: undefined, startedAt };
  let about = unknown;
  let outcome: DeliveryOutcome;
  try {
    // 1. Read the body, and authenticate it by the secret that it carries.
    checkMethod(request);
    const { authentic, size } = await admit(delivery, request, readBody);

    // 2. Remove the secret, and validate unless a worker will. What has no type cannot be stored.
    const verified = removeSecret(authentic, handlers.validation);
    const storable = inbox !== undefined && hasType(verified) ? verified : undefined;
    const { event, drift } =
      storable === undefined ? toEvent(verified, handlers.validation) : { event: storable, drift: [] };

    // 3. Make the key that all duplicates share.
    about = { ...unknown, event, size };
    const key = await keyOf(authentic);
    about = { context: { deliveryId, eventKey: key, receivedAt, signal, drift }, event, size, startedAt };

    // 4. With an inbox, 200 means stored, and workers do the rest. Without, it means handled.
    outcome =
      inbox !== undefined && storable !== undefined
        ? await store(delivery, about, inbox, storable)
        : await handle(delivery, about, event);
  } catch (error) {
    if (error instanceof Rejection) {
      about = { ...unknown, size: error.size };
      delivery.reports.push(reporter.rejected(about, error));
      outcome = error.reason;
    } else {
      // Only the step that makes the key throws anything else.
      const failure = error instanceof StageError ? error : new StageError('dedupe', error);
      if (failure.stage === 'secret') about = { ...about, size: failure.size };
      report(delivery, about, failure.stage, failure.thrown);
      outcome = FAILED[failure.stage];
    }
  }
  if (delivery.reports.length > 0) await deadline.wait(Promise.all(delivery.reports));
  deadline.clear();
  reporter.responded(about, outcome);
  return responseOf(outcome, deliveryId);
}

function checkMethod(request: DeliveredRequest): void {
  const method = request?.method;
  if (String(method).toUpperCase() === 'POST') return;
  const hint = typeof method === 'string' ? everyRouteHint(request) : mountingHint(request);
  const isProbe = /^(GET|HEAD|OPTIONS)$/.test(String(method)) && hint === undefined;
  throw new Rejection('method_not_allowed', undefined, hint, isProbe ? 'info' : 'warn');
}

/** Reads and authenticates the body. It counts in the budget until that has ended. */
async function admit(
  { receiver, unverified, deadline }: Delivery,
  request: DeliveredRequest,
  readBody: ReadBody,
): Promise<{ readonly authentic: AuthenticBody; readonly size: number | undefined }> {
  const { settings, budget, ownerFinder } = receiver;
  let body: DecodedBody | undefined;
  try {
    body = await read(request, readBody, unverified);
    if (exceeds(body, settings.maxBodyBytes)) throw tooLarge(settings.maxBodyBytes, sizeOf(body));
    unverified.stop = (reason) => deadline.abort(new Rejection(reason));
    budget.hold(unverified, memoryOf(body));
    const authentic = await authenticate(body, ownerFinder(), deadline);
    // Its text may take more memory than its bytes did: the budget may have dropped this very body.
    deadline.signal.throwIfAborted();
    return { authentic, size: settings.hooks.onDelivery && sizeOf(body) };
  } catch (error) {
    // The reason of the budget wins over whatever a secret function has thrown since.
    const reason: unknown = deadline.signal.reason;
    const failure = reason instanceof Rejection ? reason : error;
    const size = body && sizeOf(body);
    if (!(failure instanceof Rejection)) throw new StageError('secret', failure, size);
    failure.size ??= size;
    throw failure;
  } finally {
    budget.release(unverified);
    // V8 keeps the keys of a map that were deleted, until it collects all garbage
    // (src/objects/ordered-hash-table.cc, `Rehash`): they must not keep the delivery.
    unverified.stop = undefined;
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
    return decodeBody(received, request?.headers);
  } catch (error) {
    // The error of a server or of a body parser quotes the body, and is not passed on.
    throw error instanceof Rejection ? error : new Rejection('body_unreadable');
  }
}

/** Stores an event. One that is stored after the deadline is reported. */
async function store(
  delivery: Delivery,
  about: ReportedDelivery,
  inbox: WebhookInbox,
  event: UnknownWebhookEvent,
): Promise<DeliveryOutcome> {
  const { eventKey: key, deliveryId, receivedAt } = about.context;
  const { deadline, receiver } = delivery;
  try {
    const webhook = { version: STORED_VERSION, key, ...event, deliveryId, receivedAt };
    // From JavaScript, it may return anything.
    const returned: unknown = inbox.store(webhook);
    if (!isThenable(returned)) receiver.reporter.storedBlindly();
    const storing = Promise.resolve(returned);
    const result = await deadline.wait(storing);
    if (result !== LATE) return 'stored';
    void storing
      .then(
        () => 'stored' as const,
        (error: unknown) => {
          report(delivery, about, 'inbox', error);
          return 'not_stored' as const;
        },
      )
      .then((outcome) => receiver.reporter.settledLate(about, outcome));
  } catch (error) {
    throw new StageError('inbox', error);
  }
  throw new StageError('inbox', deadline.signal.reason);
}

/** Runs the handlers, once for all duplicates: the claim holds until they have settled. */
async function handle(
  delivery: Delivery,
  about: ReportedDelivery,
  event: ReceivedWebhook,
): Promise<DeliveryOutcome> {
  const { deadline, receiver } = delivery;
  const { dedupe } = receiver.settings;
  const { context } = about;
  const handlers = receiver.handlers.for(event);
  let claim: Claim | undefined;
  if (dedupe !== undefined && handlers.length > 0) {
    const claimed = await claimEvent(dedupe, context, (error) => report(delivery, about, 'dedupe', error));
    if (typeof claimed === 'string') return claimed;
    claim = claimed;
  }
  let hasFailed = false;
  const running = receiver.handlers.run(handlers, event, context, (stage, error) => {
    hasFailed = true;
    report(delivery, about, stage, error);
  });
  const outcome = await deadline.wait(running);
  if (outcome !== LATE) {
    if (claim !== undefined) await deadline.wait(claim.end(outcome));
    return outcome;
  }
  // They go on, and keep the claim.
  void running.then((late) => {
    receiver.reporter.settledLate(about, late);
    return claim?.end(late);
  });
  report(delivery, about, 'deadline', deadline.signal.reason);
  return hasFailed ? 'handler_failed' : 'deadline_passed';
}

/** Passes a failure to the listeners of `onError`. */
function report(
  { receiver, reports }: Delivery,
  { event, context }: ReportedDelivery,
  stage: WebhookFailure['stage'],
  error: unknown,
): void {
  reports.push(receiver.reporter.failed(error, { stage, event, context }));
}

/** The outcome of a delivery if something outside of this package fails, by its stage. */
const FAILED = {
  secret: 'secret_failed',
  dedupe: 'internal_error',
  inbox: 'not_stored',
} as const satisfies Readonly<Partial<Record<WebhookFailure['stage'], DeliveryOutcome>>>;

/** What was thrown in a delivery, and where. */
class StageError extends Error {
  constructor(
    readonly stage: keyof typeof FAILED,
    readonly thrown: unknown,
    readonly size?: number,
  ) {
    super(stage);
    // See `Rejection`.
    this.stack = '';
  }
}
