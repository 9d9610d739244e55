import { refuseOption } from '../validation/option-checks.js';
import type { WebhookEventOf, WebhookEventType } from '../webhooks/events.js';
import type { StoredWebhook } from '../webhooks/inbox.js';
import type { WebhookHandler } from '../webhooks/listeners.js';
import { createWebhookReceiver } from '../webhooks/receiver.js';
import type { WebhookReceiverOptions } from '../webhooks/receiver-options.js';

/** What processes a stored webhook: a receiver, or anything with the same `process` method. */
export interface WebhookProcessor {
  /** Resolves when the event is handled; rejects when it is to be retried. */
  process(stored: StoredWebhook, options: { readonly signal?: AbortSignal | undefined }): Promise<void>;
}

/**
 * A handler for each event type that is of interest. The worker needs no secret then: what is in the inbox was
 * verified before it was stored. Events of other types are done without a handler.
 */
export type WebhookHandlers = {
  readonly [Type in WebhookEventType]?: WebhookHandler<WebhookEventOf<Type>> | undefined;
};

/** Makes one of the other. Handlers are run by a receiver that takes no deliveries: it knows no secret. */
export function toProcessor(
  work: WebhookProcessor | WebhookHandlers,
  logging: Pick<WebhookReceiverOptions, 'logger' | 'logLevel'>,
): WebhookProcessor {
  if (typeof work !== 'object' || work === null) refuseOption('work', 'takes a receiver or handlers by type');
  if (isProcessor(work)) return work;
  const receiver = createWebhookReceiver({ secret: () => false, dedupe: false, ...logging });
  for (const [type, handler] of Object.entries(work)) {
    // `on` refuses what is no type of event or no function; the type above ties each handler to its events.
    if (handler !== undefined) receiver.on(type as WebhookEventType, handler as WebhookHandler);
  }
  return receiver;
}

function isProcessor(work: WebhookProcessor | WebhookHandlers): work is WebhookProcessor {
  return typeof (work as Partial<WebhookProcessor>).process === 'function';
}
