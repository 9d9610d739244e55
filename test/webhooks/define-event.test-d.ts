import {
  createWebhookReceiver,
  defineEvent,
  parseWebhook,
  parseWebhookRequest,
  type ReceivedEvent,
  type WebhookEvent,
  type WebhookEventOf,
  type WebhookHandler,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';

const payload = z.object({ score: z.string().transform(Number), createdAt: z.number() });
const leadScored = defineEvent('lead_scored', payload);
const leadLost = defineEvent('lead_lost', z.object({ reason: z.string() }));
type Scored = ReceivedEvent<'lead_scored', { score: number; createdAt: number }>;

export function typesOfOwnEvents(secret: string): void {
  expectTypeOf<WebhookEventOf<typeof leadScored>>().toEqualTypeOf<Scored>();
  expectTypeOf<WebhookHandler<typeof leadScored>>().parameter(0).toEqualTypeOf<Scored>();
  const receiver = createWebhookReceiver({ secret }).on(leadScored, (event) => {
    expectTypeOf(event).toEqualTypeOf<Scored>();
  });
  // @ts-expect-error A score has no reason.
  receiver.on(leadScored, (event) => event.payload.reason);

  const one = parseWebhook('', { secret, events: [leadScored] });
  expectTypeOf(one).toEqualTypeOf<WebhookEvent | Scored>();
  if (one.type === 'lead_scored') expectTypeOf(one.payload.score).toEqualTypeOf<number>();
  const two = parseWebhookRequest('', { secret: () => secret, events: [leadScored, leadLost] });
  expectTypeOf(two).resolves.toEqualTypeOf<WebhookEvent | Scored | WebhookEventOf<typeof leadLost>>();
  expectTypeOf(parseWebhook('', { secret })).toEqualTypeOf<WebhookEvent>();
}

export function typesOfSendingOwnEvents(): void {
  const { webhooks } = createFakePlatform();
  webhooks.send(leadScored, { score: '9' });
  webhooks.send(leadScored, { score: '9', createdAt: 1 }, { copies: 2 });
  // @ts-expect-error What is sent is what the schema takes.
  webhooks.send(leadScored, { score: 9 });
  // @ts-expect-error The score is missing.
  webhooks.send(leadScored, {});
}
