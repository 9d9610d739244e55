import type { Delivery, StartedHandler } from './delivery.js';
import type { ReceivedWebhook, WebhookContext, WebhookHandler } from './listeners.js';

/** Told about each handler that fails, at once. Never rejects. */
export type FailureListener = (error: unknown, started: StartedHandler) => Promise<void>;

/** Where started handlers are noted until they settle. */
export type Unsettled = Delivery['unsettled'];

/** Runs handlers side by side, so that one's failure keeps none from running. Resolves with what they threw. */
export async function runHandlers(
  handlers: readonly WebhookHandler<never>[],
  event: ReceivedWebhook,
  context: WebhookContext,
  unsettled: Unsettled,
  onFailure: FailureListener,
): Promise<readonly unknown[]> {
  const thrown: unknown[] = [];
  const run = async (handler: WebhookHandler<never>): Promise<void> => {
    const started: StartedHandler = { handler };
    unsettled.add(started);
    try {
      // `Listeners` has chosen these handlers by the kind and type of this very event.
      await handler(event as never, context);
      unsettled.delete(started);
    } catch (error) {
      unsettled.delete(started);
      thrown.push(error);
      await onFailure(error, started);
    }
  };
  // All are started before the first is waited for, and none rejects.
  for (const running of handlers.map(run)) await running;
  return thrown;
}
