import {
  createWebhookHandlers,
  createWebhookReceiver,
  type HandlingReceiver,
  type LeadCapturedPayload,
  parseWebhook,
  parseWebhookRequest,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookHandler,
  type WebhookInbox,
  type WebhookReceiver,
} from 'agent-platform-sdk';
import { expectTypeOf } from 'vitest';

export function typesOfHandlers(secret: string): void {
  const receiver = createWebhookReceiver({ secret })
    .on('lead_captured', (event, context) => {
      expectTypeOf(event.payload).toEqualTypeOf<LeadCapturedPayload>();
      expectTypeOf(event.type).toEqualTypeOf<'lead_captured'>();
      expectTypeOf(event.workspace).toEqualTypeOf<string | undefined>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
    })
    .onAny((event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>())
    .onUnhandled((event) => expectTypeOf(event).toEqualTypeOf<WebhookEvent>())
    .onUnknown((event) => expectTypeOf(event.payload).toEqualTypeOf<Record<string, unknown>>())
    .onError((error, { stage }) => {
      expectTypeOf(error).toEqualTypeOf<unknown>();
      expectTypeOf(stage).toExtend<string>();
    });

  // @ts-expect-error There is no such event.
  receiver.on('lead_capturd', () => undefined);
  // @ts-expect-error A lead has no message.
  receiver.on('lead_captured', (event) => event.payload.messageContent);
}

export function typesOfParsing(secret: string): void {
  expectTypeOf(parseWebhook('', { secret })).toEqualTypeOf<WebhookEvent>();
  expectTypeOf(parseWebhookRequest('', { secret: () => secret })).toEqualTypeOf<Promise<WebhookEvent>>();
  // @ts-expect-error A function needs the asynchronous form.
  parseWebhook('', { secret: () => secret });
  // @ts-expect-error A function needs the asynchronous form.
  parseWebhook('', { secret, verifySecret: () => true });
}

export function typesOfSecretFunctions(secret: string): void {
  createWebhookReceiver({ secret: async () => ({ acme: [secret], globex: secret }) });
  createWebhookReceiver({ verifySecret: async (presented) => presented === secret && { workspace: 'acme' } });
  // Compiles, and is refused at run time if the variable is not set.
  createWebhookReceiver({ secret: { eu: process.env.SECRET_EU, na: [process.env.SECRET_NA] } });
  createWebhookReceiver({ secret: () => process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
  parseWebhook('', { secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET });
  createWebhookReceiver();

  // @ts-expect-error A function that loads is given nothing to decide on.
  createWebhookReceiver({ secret: (presented: string) => presented });
  // @ts-expect-error A function that loads returns secrets, not a decision.
  createWebhookReceiver({ secret: () => true });
  // @ts-expect-error A name alone is no decision.
  createWebhookReceiver({ verifySecret: () => 'acme' });
  // @ts-expect-error Nor is nothing.
  createWebhookReceiver({ verifySecret: async () => undefined });
  // @ts-expect-error A `store` that returns nothing would be believed before anything is stored.
  createWebhookReceiver({ secret, inbox: { store: () => undefined } });
  // @ts-expect-error A name alone is no decision.
  parseWebhookRequest('', { verifySecret: () => 'acme' });
}

export function typesOfNamedHandlers(): void {
  const byName: WebhookHandler<'lead_captured'> = ({ payload }) => payload.leadEmail;
  const byEvent: WebhookHandler<WebhookEventOf<'lead_captured'>> = byName;
  const ofAny: WebhookHandler = ({ type }) => type;
  createWebhookReceiver({ secret: 'a' })
    .on('lead_captured', byName)
    .on('lead_captured', byEvent)
    .on('lead_captured', ofAny)
    .onAny(ofAny);
  type Two = 'lead_captured' | 'webhook_test';
  expectTypeOf<Parameters<WebhookHandler<Two>>[0]>().toEqualTypeOf<WebhookEventOf<Two>>();
}

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
