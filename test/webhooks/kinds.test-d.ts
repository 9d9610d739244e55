import {
  createWebhookHandlers,
  createWebhookReceiver,
  type HandlingReceiver,
  type WebhookInbox,
  type WebhookReceiver,
} from 'agent-platform-sdk';
import { expectTypeOf } from 'vitest';

export function typesOfReceivers(secret: string, inbox: WebhookInbox): void {
  expectTypeOf(createWebhookReceiver({ secret })).toEqualTypeOf<HandlingReceiver>();
  const handlers = createWebhookHandlers({ validation: 'strict' });
  expectTypeOf(createWebhookReceiver({ secret, handlers })).toEqualTypeOf<HandlingReceiver>();
  const storing = createWebhookReceiver({ secret, inbox, deadline: 40_000 }).onError(() => undefined);
  expectTypeOf(storing).toEqualTypeOf<WebhookReceiver>();

  // @ts-expect-error A receiver with an inbox runs no handlers.
  storing.on('lead_captured', () => undefined);
  // @ts-expect-error Nor has it any.
  void storing.handlers;
  // @ts-expect-error The worker's handlers validate.
  createWebhookReceiver({ secret, inbox, validation: 'strict' });
  // @ts-expect-error They report drift.
  createWebhookReceiver({ secret, inbox, onDrift: () => undefined });
  // @ts-expect-error The stored event is the claim.
  createWebhookReceiver({ secret, inbox, dedupe: false });
  // @ts-expect-error They belong to the worker.
  createWebhookReceiver({ secret, inbox, handlers });
}
