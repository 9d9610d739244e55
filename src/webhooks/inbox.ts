import { WebhookError, WebhookPayloadError } from '../errors/index.js';
import { type EventValidation, isInvalidEvent, labelOf, toEvent } from './delivery.js';
import { JobContext, type ProcessOptions } from './delivery-context.js';
import type { DeliveryReports } from './delivery-reports.js';
import type { DefinedEvent } from './events.js';
import { type Handlers, runHandlers, type WebhookContext } from './handlers.js';

/** A verified webhook on its way through a durable inbox: plain JSON, without the secret. Not validated yet. */
export interface StoredWebhook {
  /** The version of this form, 1 today. A worker refuses a version that it does not know. */
  readonly version: number;
  /** The key that two deliveries of one event share: 64 hexadecimal digits. Use it as the id of the job. */
  readonly key: string;
  /** The event type. It may be one that this version does not know. */
  readonly type: string;
  /** The payload as sent, less `workspaceSecret`. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** The name of the workspace whose secret it was, where the secrets were named. */
  readonly workspace?: string | undefined;
  /** Id of the delivery that was stored. */
  readonly deliveryId: string;
  /** The time at which it was received, in milliseconds since the Unix epoch. */
  readonly receivedAt: number;
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
 * import {
 *   createWebhookHandlers,
 *   createWebhookReceiver,
 *   WebhookError,
 *   type StoredWebhook, type WebhookInbox } from 'agent-platform-sdk';
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
 * const worker = createWebhookHandlers().on('lead_captured', ({ payload }) => console.log(payload.leadEmail));
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
  /** Resolves once the webhook is stored durably, or was stored before. Rejects if it could not be stored. */
  store(webhook: StoredWebhook): Promise<unknown>;
  /** Time that `store` may take, in ms. The receiver refuses one that is not below its `deadline`. */
  readonly storeTimeout?: number | undefined;
}

/** The parts of a receiver that process what is stored. */
interface ProcessingParts {
  readonly settings: EventValidation & { readonly events: ReadonlyMap<string, DefinedEvent> };
  readonly handlers: Handlers;
  readonly reports: DeliveryReports;
}

/** Processes a webhook that an inbox has stored. Rejects where it is to be retried or looked at. */
export async function processStored(
  stored: StoredWebhook,
  options: ProcessOptions,
  { settings, handlers: registered, reports }: ProcessingParts,
): Promise<void> {
  const { type, payload, workspace } = checkStored(stored);
  const label = labelOf(type, workspace);
  const typeLabel = labelOf(type, undefined);
  const event = toEvent(
    { type, payload, workspace, envelope: undefined, typeLabel, label },
    settings,
    settings.events.get(type),
  );
  reports.unhandledType(event, typeLabel);
  const handlers = registered.for(event);
  const context: WebhookContext = new JobContext({ ...stored, eventKey: stored.key }, options);
  if (handlers.length === 0 && isInvalidEvent(event)) {
    const { error } = event;
    await reports.failed(label, error, { stage: 'validation', event, handler: undefined, context });
    throw error;
  }
  const thrown = await runHandlers(handlers, event, context, [], (error, handler) =>
    reports.failed(label, error, { stage: 'handler', event, handler, context }),
  );
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
