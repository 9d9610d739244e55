import {
  createWebhookReceiver,
  type LeadCapturedPayload,
  parseWebhook,
  parseWebhookRequest,
  type WebhookEvent,
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
    .onUnknown((event) => expectTypeOf(event.payload).toEqualTypeOf<Record<string, unknown>>())
    .onError((error, { handler }) => {
      expectTypeOf(error).toEqualTypeOf<unknown>();
      expectTypeOf(handler).not.toBeAny();
    });

  // @ts-expect-error There is no such event.
  receiver.on('lead_capturd', () => undefined);
  // @ts-expect-error A lead has no message.
  receiver.on('lead_captured', (event) => event.payload.messageContent);
  // A handler may return anything: what it resolves with is not used.
  receiver.on('lead_captured', async (event) => [event.payload.leadName]);
}

export function typesOfParsing(secret: string): void {
  expectTypeOf(parseWebhook('', { secret })).toEqualTypeOf<WebhookEvent>();
  expectTypeOf(parseWebhookRequest('', { secret: () => true })).toEqualTypeOf<Promise<WebhookEvent>>();
  // @ts-expect-error A look-up needs the asynchronous form.
  parseWebhook('', { secret: () => true });
}
