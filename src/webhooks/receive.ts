import { WebhookError } from '../errors/index.js';
import { unref } from '../utils/waiting.js';
import { mountingHint, type ReadBudget, type Reading } from './adapters/node.js';
import { eventKey, type HandlersOutcome, handleOnce } from './dedupe/claim.js';
import { STORED_VERSION, type WebhookInbox } from './inbox.js';
import type { ReceiverSettings } from './options.js';
import { type DeliveryOutcome, Rejection, respond, statusOf, type WebhookResponse } from './outcomes.js';
import {
  decodeBody,
  exceeds,
  isInvalidEvent,
  type ParsedBody,
  parseBody,
  type ReceivedWebhook,
  removeSecret,
  sizeOf,
  toEvent,
  type UnknownWebhookEvent,
  type VerifiedWebhook,
} from './payload.js';
import { type Registry, runHandlers, type WebhookContext, type WebhookFailure } from './registration.js';
import type { Reports } from './reporter.js';
import { containsSecret, type NewVerify, type SecretOwner, secretHint } from './secrets/known.js';

/** The parts of a receiver that its deliveries share. */
export interface ReceiverParts {
  readonly settings: ReceiverSettings;
  readonly newVerify: NewVerify;
  readonly registry: Registry;
  readonly reports: Reports;
  readonly budget: ReadBudget;
}

/** A request as far as a delivery needs it. A framework may have passed anything. */
export type DeliveredRequest = { readonly method?: unknown } | null | undefined;

/** Reads the body. Rejects with a {@link Rejection}, or with whatever a server throws. */
export type ReadBody = (reading: Reading) => unknown;

/** What a delivery is waiting for. */
type Stage = 'body' | 'secret' | 'validation' | 'dedupe' | 'duplicate' | 'inbox' | 'handler' | 'settled';

interface Delivery {
  context: WebhookContext;
  stage: Stage;
  /** Undefined until it is verified. */
  event: ReceivedWebhook | undefined;
  /** Set once it is certain, while listeners and the store are still to be waited for. */
  outcome: DeliveryOutcome | undefined;
  /** Refused before it was verified. */
  isRefused: boolean;
  size: number | undefined;
  readonly reading: Reading;
}

/** The outcome if something throws at a stage, the outcome if the deadline passes there, and the stage as `onError` gets it. */
const STAGES: Readonly<
  Record<
    Stage,
    readonly [failed: DeliveryOutcome, overdue: DeliveryOutcome, reported: WebhookFailure['stage']]
  >
> = {
  // A body that cannot be read is refused, and not passed to `onError`.
  body: ['body_unreadable', 'body_unreadable', 'validation'],
  secret: ['secret_failed', 'secret_failed', 'secret'],
  validation: ['internal_error', 'deadline_passed', 'validation'],
  dedupe: ['internal_error', 'deadline_passed', 'dedupe'],
  duplicate: ['internal_error', 'duplicate_pending', 'dedupe'],
  inbox: ['not_stored', 'not_stored', 'inbox'],
  handler: ['internal_error', 'deadline_passed', 'handler'],
  settled: ['internal_error', 'deadline_passed', 'dedupe'],
};

/** Takes one delivery from its request to the response. Never rejects, and responds at the deadline at the latest. */
export async function deliver(
  parts: ReceiverParts,
  request: DeliveredRequest,
  readBody: ReadBody,
): Promise<WebhookResponse> {
  const { settings, reports, budget } = parts;
  const controller = new AbortController();
  const { signal } = controller;
  const delivery: Delivery = {
    context: { deliveryId: crypto.randomUUID(), eventKey: '', receivedAt: Date.now(), signal },
    stage: 'body',
    event: undefined,
    outcome: undefined,
    isRefused: false,
    size: undefined,
    reading: { limit: settings.maxBodyBytes, budget },
  };
  const work = handle(parts, delivery, request, readBody);
  const outcome = await new Promise<DeliveryOutcome>((resolve) => {
    const timer = setTimeout(() => {
      const error = new WebhookError(`The delivery was not handled within ${settings.deadline} ms.`);
      resolve(expire(reports, delivery, work, error));
      controller.abort(error);
    }, settings.deadline);
    unref(timer);
    void work.then((ended) => {
      clearTimeout(timer);
      resolve(ended);
    });
  });
  if (!delivery.isRefused) reports.answered(delivery, outcome);
  callHook(settings, delivery, outcome);
  return respond(outcome);
}

/** Reads, verifies, validates, makes the key, then stores or runs once. Never rejects. */
async function handle(
  parts: ReceiverParts,
  delivery: Delivery,
  request: DeliveredRequest,
  readBody: ReadBody,
): Promise<DeliveryOutcome> {
  const { settings, registry, reports } = parts;
  try {
    // 1. Read the body.
    checkMethod(request);
    const received = await readBody(delivery.reading);
    if (settings.hooks.onDelivery !== undefined) delivery.size = sizeOf(received);
    if (exceeds(received, settings.maxBodyBytes)) throw new Rejection('body_too_large', sizeOf(received));

    // 2. Verify the secret that it carries.
    delivery.stage = 'secret';
    const { parsed, owner } = await verify(parts, delivery, request, received);

    // 3. Remove the secret, validate unless a worker will, make the key.
    delivery.stage = 'validation';
    const verified = removeSecret(parsed, owner, settings);
    const { inbox } = settings;
    const stored = inbox !== undefined && isStorable(verified) ? verified : undefined;
    const event = stored ?? toEvent(verified, settings);
    delivery.event = event;
    delivery.stage = 'dedupe';
    delivery.context = { ...delivery.context, eventKey: await eventKey(parsed, owner) };

    // 4. With an inbox, 200 means stored. Workers do the rest.
    if (inbox !== undefined && stored !== undefined) {
      delivery.stage = 'inbox';
      await store(inbox, stored, delivery.context);
      return 'stored';
    }

    // 5. Run the handlers, once for all duplicates.
    const handlers = registry.for(event);
    if (handlers.length > 0) return await runOnce(parts, delivery, event, handlers);
    if (isInvalidEvent(event)) {
      delivery.outcome = 'invalid_event';
      await report(reports, delivery, 'validation', event.error);
      return 'invalid_event';
    }
    reports.unhandled(event);
    return 'no_handler';
  } catch (error) {
    return await fail(reports, delivery, error);
  }
}

function checkMethod(request: DeliveredRequest): void {
  const method = request?.method;
  if (String(method).toUpperCase() === 'POST') return;
  const hint = typeof method === 'string' ? undefined : mountingHint(request);
  throw new Rejection('method_not_allowed', undefined, hint);
}

/** A text without a valid secret is not parsed: that would take many times as long, and as much memory. */
async function verify(
  { newVerify }: ReceiverParts,
  { context: { signal } }: Delivery,
  request: DeliveredRequest,
  received: unknown,
): Promise<{ readonly parsed: ParsedBody; readonly owner: SecretOwner }> {
  const body = decodeBody(received);
  const ownerOf = newVerify();
  if (typeof body === 'string' && body !== '' && !(await containsSecret(body, ownerOf, signal))) {
    throw new Rejection(
      'verification_failed',
      sizeOf(received),
      secretHint(body.includes('workspaceSecret')),
    );
  }
  const parsed = parseBody(body);
  if (parsed === undefined) {
    const hint = received === undefined ? mountingHint(request) : undefined;
    throw new Rejection('not_json', sizeOf(received), hint);
  }
  // The secret that counts is the payload's own.
  const owner = await ownerOf(parsed.secret, signal);
  if (owner === undefined) {
    throw new Rejection('verification_failed', sizeOf(received), secretHint(parsed.secret !== undefined));
  }
  return { parsed, owner };
}

async function runOnce(
  { settings: { dedupe }, reports }: ReceiverParts,
  delivery: Delivery,
  event: ReceivedWebhook,
  handlers: ReturnType<Registry['for']>,
): Promise<DeliveryOutcome> {
  const { deliveryId, eventKey: key, signal } = delivery.context;
  const reported: Promise<void>[] = [];
  const run = async (): Promise<HandlersOutcome> => {
    delivery.stage = 'handler';
    const errors = await runHandlers(handlers, event, delivery.context, (error) => {
      delivery.outcome ??= 'handler_failed';
      reported.push(report(reports, delivery, 'handler', error));
    });
    delivery.stage = 'settled';
    const ended = errors.length === 0 ? 'handled' : 'handler_failed';
    delivery.outcome ??= ended;
    return ended;
  };
  const claimant = {
    owner: deliveryId,
    signal,
    onWait: () => {
      delivery.stage = 'duplicate';
    },
    onStoreError: (error: unknown) => report(reports, delivery, 'dedupe', error),
  };
  const outcome = dedupe === undefined ? await run() : await handleOnce(dedupe, key, claimant, run);
  // After the claim is settled: a slow listener holds up no duplicate.
  for (const one of reported) await one;
  return outcome;
}

/** A webhook without a type cannot be stored: it is refused with 400, and passed to `onError`. */
function isStorable(verified: VerifiedWebhook): verified is VerifiedWebhook & UnknownWebhookEvent {
  return typeof verified.type === 'string';
}

async function store(
  inbox: WebhookInbox,
  webhook: UnknownWebhookEvent,
  context: WebhookContext,
): Promise<void> {
  const { eventKey: key, deliveryId, receivedAt } = context;
  await inbox.store({ version: STORED_VERSION, key, ...webhook, deliveryId, receivedAt });
}

/** Turns what was thrown into the outcome, and reports it. Never rejects. */
async function fail(reports: Reports, delivery: Delivery, error: unknown): Promise<DeliveryOutcome> {
  const { stage } = delivery;
  if (stage === 'body' || error instanceof Rejection) {
    // The error of a server or a body parser quotes the body, and is not passed on.
    const rejection = error instanceof Rejection ? error : new Rejection('body_unreadable');
    delivery.isRefused = true;
    delivery.outcome ??= rejection.reason;
    await reports.rejected(delivery, rejection);
    return rejection.reason;
  }
  const [outcome, , reported] = STAGES[stage];
  delivery.outcome ??= outcome;
  await report(reports, delivery, reported, error);
  return outcome;
}

/** The outcome at the deadline. What is running goes on, and its claim is held; a body that is waited for is dropped. */
function expire(
  reports: Reports,
  delivery: Delivery,
  work: Promise<DeliveryOutcome>,
  error: WebhookError,
): DeliveryOutcome {
  const { stage } = delivery;
  const [, overdue] = STAGES[stage];
  if (stage === 'body') {
    // The read ends, and then reports it.
    delivery.isRefused = true;
    delivery.reading.stop?.('body_unreadable');
  }
  const isRunning = stage === 'handler' || stage === 'dedupe' || stage === 'inbox';
  if (isRunning) {
    void report(reports, delivery, stage === 'handler' ? 'deadline' : stage, error);
    void work.then((late) => reports.late(delivery, late));
  }
  // A verification ends with the signal, and then reports it. A duplicate has nothing to report.
  return delivery.outcome ?? overdue;
}

function report(
  reports: Reports,
  { event, context }: Delivery,
  stage: WebhookFailure['stage'],
  error: unknown,
): Promise<void> {
  return reports.failed(error, { stage, event, context });
}

function callHook({ hooks, log }: ReceiverSettings, delivery: Delivery, outcome: DeliveryOutcome): void {
  const { onDelivery } = hooks;
  if (onDelivery === undefined) return;
  const { context, event, size } = delivery;
  const { deliveryId, receivedAt } = context;
  const ended = {
    deliveryId,
    type: event?.type,
    workspace: event?.workspace,
    outcome,
    status: statusOf(outcome),
    size,
    durationMs: Date.now() - receivedAt,
  };
  void log.runQuietly('onDelivery', () => onDelivery(ended));
}
