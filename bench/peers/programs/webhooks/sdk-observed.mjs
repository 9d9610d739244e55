import { createWebhookReceiver } from 'agent-platform-sdk';
import { deliveryHooks, logging, subscribe } from '../observers.mjs';

// Every delivery is handled, so that only what watches differs from `sdk-unobserved.mjs`.
export function prepare(body, handler) {
  subscribe();
  const options = { secret: 'bench-secret', dedupe: false, hooks: deliveryHooks, ...logging };
  const receiver = createWebhookReceiver(options).on(JSON.parse(body).type, handler);
  return () => receiver.handle({ method: 'POST', body });
}
