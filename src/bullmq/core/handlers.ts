import { refuseOptions } from '../../validation/options.js';
import type { WebhookHandler } from '../../webhooks/context.js';
import type { WebhookEventOf, WebhookEventType } from '../../webhooks/events.js';
import {
  createWebhookHandlers,
  type WebhookHandlers,
  type WebhookHandlersOptions,
} from '../../webhooks/handlers.js';
import type { WorkOptions } from './options.js';

/** A handler for each event type of interest. Events of other types are left to other workers. */
export type HandlersByType = {
  readonly [Type in WebhookEventType]?: WebhookHandler<WebhookEventOf<Type>> | undefined;
};

/** What a worker runs. */
export type EventHandlers = Pick<WebhookHandlers, 'process' | 'handles'>;

/** The logging options of an inbox, as passed. */
export type LoggingOptions = Pick<WebhookHandlersOptions, 'logger' | 'logLevel'>;

/** Makes the handlers of a worker from what `inbox.work` was given, or refuses it. */
export function toHandlers(
  work: HandlersByType | WebhookHandlers,
  onError: WorkOptions['onError'],
  logging: LoggingOptions,
): EventHandlers {
  if (typeof work !== 'object' || work === null) {
    return refuse('work', 'must be handlers by type, or `createWebhookHandlers()`.');
  }
  if ('handle' in work) {
    return refuse('work', 'is a receiver, which responds to deliveries. Pass its handlers by type.');
  }
  if (isHandlers(work)) {
    if (onError === undefined) return work;
    return refuse('onError', 'goes with handlers by type. Register it on the `WebhookHandlers`.');
  }
  const handlers = createWebhookHandlers(logging);
  if (onError !== undefined) handlers.onError(onError);
  for (const [type, handler] of Object.entries(work)) {
    // `on` refuses an unknown type; the type of `work` ties each handler to its events.
    if (handler !== undefined) handlers.on(type as WebhookEventType, handler as never);
  }
  return handlers;
}

/** By its shape: the application may have another installation of this package. */
function isHandlers(work: object): work is WebhookHandlers {
  return typeof (work as Partial<WebhookHandlers>).process === 'function';
}

function refuse(option: string, text: string): never {
  return refuseOptions('inbox.work', [{ option, text }]);
}
