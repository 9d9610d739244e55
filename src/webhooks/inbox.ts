import { WebhookError, WebhookPayloadError } from '../errors/index.js';
import { type EventValidation, isInvalidEvent, labelOf, toEvent } from './delivery.js';
import { JobContext, type ProcessOptions } from './delivery-context.js';
import type { DeliveryReports } from './delivery-reports.js';
import type { DefinedEvent } from './events.js';
import { type Handlers, runHandlers, type WebhookContext } from './handlers.js';
import type { Place, Turns } from './turns.js';

/** The trace in which a delivery was received, as the headers of W3C Trace Context write it. */
export interface StoredTraceContext {
  /** For example `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. */
  readonly traceparent: string;
  /** The addition of tracing systems to it. */
  readonly tracestate?: string | undefined;
}

/** A verified webhook on its way through a durable inbox: plain JSON, without the secret. Not validated yet. */
export interface StoredWebhook {
  /**
   * The version of this form, 1 today; absent in what was stored before there was one. A worker refuses a version that it does not know: keep the
   * event until the worker is updated.
   */
  readonly version?: number | undefined;
  /** The key that two deliveries of one event share: 64 hexadecimal digits. Use it as the id of the job. */
  readonly key: string;
  /** The event type. It may be one that this version does not know. */
  readonly type: string;
  /** The payload as sent, less `workspaceSecret`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The name of the workspace whose secret it was, where the secrets were named. */
  readonly workspace?: string | undefined;
  /**
   * Tells apart the workspaces that `verifySecret` has answered `true` for, without a name: 16 hexadecimal digits of a hash of the
   * secret. Absent where there is a name, or one workspace alone.
   */
  readonly unnamedWorkspace?: string | undefined;
  /**
   * Fields of the envelope beside `type` and `payload`, as sent; the secret masked. Absent where there
   * are none.
   */
  readonly envelope?: Readonly<Record<string, unknown>> | undefined;
  /** Id of the delivery that was stored. */
  readonly deliveryId: string;
  /** The time at which it was received, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
  /**
   * The number of events that the inbox had stored before in the same millisecond of `receivedAt`; absent for 0. With it, two events
   * are told apart whose `createdAt` is the same. Set by an inbox that keeps the order of snapshots.
   */
  readonly sequence?: number | undefined;
  /** The trace to continue in the worker, where there is one. */
  readonly traceContext?: StoredTraceContext | undefined;
}

/** The version of the form that this version of the package stores. */
export const STORED_VERSION = 1;

/**
 * Durable storage in front of the handlers. With an inbox, the receiver answers 200 as soon as the event is stored,
 * and 500 when that fails. Workers take the events out and hand each to `receiver.process(stored)`, which validates it,
 * runs the handlers, and rejects when one of them failed, so that the queue can try again. Handlers must be idempotent.
 *
 * The receiver takes no claim: `store` must keep one job for one `key`, for as long as duplicates are to be
 * recognised. `inboxConformance` of `agent-platform-sdk/testing` has these rules as tests.
 *
 * @example
 * ```ts
 * import { createWebhookReceiver, WebhookError, type StoredWebhook, type WebhookInbox } from 'agent-platform-sdk';
 *
 * interface Queue {
 *   send(message: { body: string; groupId: string; deduplicationId: string }): Promise<void>;
 *   sendToDeadLetters(body: string): Promise<void>;
 * }
 *
 * // A FIFO queue such as SQS. Each event is a group of its own: within a group, one event that fails holds up all others.
 * const queueInbox = (queue: Queue): WebhookInbox => ({
 *   store: (webhook) =>
 *     queue.send({ body: JSON.stringify(webhook), groupId: webhook.key, deduplicationId: webhook.key }),
 * });
 *
 * declare const queue: Queue;
 * const secret = process.env.WORKSPACE_SECRET ?? '';
 * export const receiver = createWebhookReceiver({ secret, inbox: queueInbox(queue) });
 *
 * // The working side, for each message: it is deleted when this resolves, and shown again when this rejects.
 * const worker = createWebhookReceiver({}).on('lead_captured', ({ payload }) => console.log(payload.leadEmail));
 * export async function work(body: string): Promise<void> {
 *   try {
 *     await worker.process(JSON.parse(body) as StoredWebhook);
 *   } catch (error) {
 *     if (!(error instanceof WebhookError) || error.retryable) throw error;
 *     await queue.sendToDeadLetters(body);
 *   }
 * }
 * ```
 */
export interface WebhookInbox {
  /**
   * Resolves once the webhook is stored durably, or was already. Rejects where it could not be stored. May resolve with a
   * {@link StoredAnswer}; anything else means that the inbox does not tell.
   */
  store(webhook: StoredWebhook, options?: StoreOptions): unknown;
}

/** Needs of the receiver beside storing. */
export interface StoreOptions {
  /** True where a hook or a trace of the receiver is to tell duplicates. An inbox to which it costs something may leave it otherwise. */
  readonly tellDuplicate?: boolean | undefined;
}

/** Answer of an inbox about an event that it was given. */
export interface StoredAnswer {
  /** True for an event that was stored before. `hooks.onDelivery` of the receiver tells it. */
  readonly duplicate?: boolean | undefined;
}

/** The parts of a receiver that process what is stored. */
interface ProcessingParts {
  readonly settings: EventValidation & { readonly events: ReadonlyMap<string, DefinedEvent> };
  readonly handlers: Handlers;
  readonly reports: DeliveryReports;
  readonly turns: Turns | undefined;
}

/** Processes a webhook that an inbox has stored. Rejects where it is to be retried or looked at. */
export async function processStored(
  stored: StoredWebhook,
  options: ProcessOptions,
  { settings, handlers: registered, reports, turns }: ProcessingParts,
): Promise<void> {
  const { type, payload, workspace, envelope } = checkStored(stored);
  const label = labelOf(type, workspace);
  const typeLabel = labelOf(type, undefined);
  const event = toEvent(
    { type, payload, workspace, envelope, typeLabel, label },
    settings,
    settings.events.get(type),
  );
  reports.unhandledType(event, typeLabel);
  const handlers = registered.for(event);
  const context: WebhookContext = new JobContext(stored, options);
  if (handlers.length === 0 && isInvalidEvent(event)) {
    const { error } = event;
    await reports.failed(label, error, { stage: 'validation', event, handler: undefined, context });
    throw error;
  }
  let thrown: readonly unknown[] | undefined;
  const run = async (): Promise<boolean> => {
    thrown = await runHandlers(handlers, event, context, [], (error, handler) =>
      reports.failed(label, error, { stage: 'handler', event, handler, context }),
    );
    return thrown.length === 0;
  };
  let place: Place | undefined;
  try {
    place = turns?.placeOf(event, { ...stored, sequence: stored.sequence ?? 0 });
  } catch (error) {
    await reports.failed(label, error, { stage: 'dedupe', event, handler: undefined, context });
    throw error;
  }
  const onOverdue = () => reports.turnOver(label, context);
  try {
    await (place === undefined ? run() : place({ handle: run, signal: context.signal, onOverdue }));
  } catch (cause) {
    // Handlers that throw are told by what they have thrown.
    const error = new WebhookError(`The webhook ${label} was given up before its turn had come.`, { cause });
    await reports.failed(label, error, { stage: 'deadline', event, handler: undefined, context });
    throw error;
  }
  if (thrown === undefined) return reports.skipped(label, event, context);
  if (thrown.length === 0) return;
  throw new WebhookError(`${thrown.length} handler(s) of the webhook ${label} failed.`, {
    cause: thrown.length === 1 ? thrown[0] : new AggregateError(thrown),
  });
}

/** Refuses what is no stored webhook, such as the message of another application: handlers would fail with an unclear error. */
export function checkStored(data: unknown): StoredWebhook {
  const { version = STORED_VERSION, type, payload } = (data ?? {}) as Partial<StoredWebhook>;
  if (typeof type !== 'string' || typeof payload !== 'object' || payload === null) {
    throw new WebhookPayloadError('The job holds no stored webhook', { issues: [] });
  }
  if (version > STORED_VERSION) {
    throw new WebhookError(
      `The stored webhook has version ${version}: update agent-platform-sdk in the worker.`,
    );
  }
  // Checked as far as the handlers' context and labels need it.
  return data as StoredWebhook;
}
