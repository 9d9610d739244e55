import { WebhookError } from '../errors/index.js';
import { runHandlers } from './dispatch.js';
import { labelOf } from './envelope.js';
import type { StoredWebhook } from './inbox.js';
import type { Listeners, WebhookContext } from './listeners.js';
import { readAndReport } from './reading.js';
import type { ReceiverSettings } from './receiver-options.js';
import type { Reporter } from './reporter.js';

/** Processes a webhook that an inbox has stored. Rejects where it is to be retried or looked at. */
export async function processStored(
  stored: StoredWebhook,
  signal: AbortSignal,
  listeners: Listeners,
  settings: ReceiverSettings,
  reporter: Reporter,
): Promise<void> {
  const { type, payload, workspace, deliveryId, receivedAt } = stored;
  const label = labelOf(type, workspace);
  const reading = readAndReport({ type, payload, workspace, label }, settings);
  const handlers = listeners.for(reading);
  if (handlers.length === 0 && reading.kind === 'invalid') throw reading.event.error;
  const { event } = reading;
  const context: WebhookContext = Object.freeze({ signal, deliveryId, receivedAt });
  const thrown = await runHandlers(handlers, event, context, new Set(), (error, { handler }) =>
    reporter.failed(label, error, { stage: 'handler', event, handler, context }),
  );
  if (thrown.length === 0) return;
  throw new WebhookError(`${thrown.length} handler(s) of the webhook ${label} failed.`, {
    cause: thrown.length === 1 ? thrown[0] : new AggregateError(thrown),
  });
}
