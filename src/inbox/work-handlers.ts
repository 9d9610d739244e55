import { isOpaque } from '../utils/json.js';
import type { LeveledLogger } from '../utils/logger.js';
import { refuseOptions } from '../validation/check-options.js';
import type { WebhookHandler } from '../webhooks/context.js';
import type { WebhookEventOf, WebhookEventType } from '../webhooks/events/table.js';
import { createWebhookHandlers, type WebhookHandlers } from '../webhooks/handlers.js';
import type { WorkOptions } from './options.js';

/** Names a handler for each event type. Events of other types wait for a worker that has one. */
export type HandlersByType = {
  readonly [Type in WebhookEventType]?: WebhookHandler<WebhookEventOf<Type>> | undefined;
};

/** Processes events as they were stored: `createWebhookHandlers()`, or a pair of functions. */
export type EventHandlers = Pick<WebhookHandlers, 'process' | 'handles'>;

/** Makes the handlers of a worker from what `inbox.work` was given, or refuses it. */
export function toHandlers(
  work: HandlersByType | EventHandlers,
  onError: WorkOptions['onError'],
  log: LeveledLogger,
): EventHandlers {
  if (typeof work !== 'object' || work === null) {
    return refuse('work', 'must be handlers by type, or `createWebhookHandlers()`.');
  }
  if ('handle' in work) {
    return refuse('work', 'is a receiver. Pass handlers by type, or `createWebhookHandlers()`.');
  }
  if (isHandlers(work)) {
    if (onError === undefined) {
      // Other handlers than `createWebhookHandlers()` log by themselves.
      if ('logTo' in work) (work as WebhookHandlers).logTo(log);
      return work;
    }
    return refuse(
      'onError',
      'only goes with handlers by type. Call `onError` of your `WebhookHandlers` instead.',
    );
  }
  if (isOpaque(work)) {
    return refuse('work', 'has no handlers of its own. Pass an object such as { lead_captured: … }.');
  }
  const handlers = createWebhookHandlers();
  handlers.logTo(log);
  if (onError !== undefined) handlers.onError(onError);
  for (const [type, handler] of Object.entries(work)) {
    if (handler === undefined) continue;
    if (type in handlers || typeof handler !== 'function') {
      refuse(
        type,
        'is not a handler. Options are the second argument; onAny belongs to createWebhookHandlers().',
      );
    }
    // `on` refuses an unknown type; the type of `work` ties each handler to its events.
    handlers.on(type as WebhookEventType, handler as never);
  }
  return handlers;
}

/** By its shape: the application may have another installation of this package. */
function isHandlers(work: object): work is EventHandlers {
  return typeof (work as Partial<EventHandlers>).process === 'function';
}

function refuse(option: string, text: string): never {
  return refuseOptions('inbox.work', [{ option, text }]);
}
