import { type ConversationUpdatedPayload, createWebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { post, secret } from './deliveries.js';

// The recipes of docs/guides/webhooks.md.

test('a snapshot is written only if it is newer than the one that is saved', async () => {
  const conversations = new Map<string, ConversationUpdatedPayload>();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on(
    'conversation_updated',
    ({ payload }) => {
      const saved = conversations.get(payload.convoId);
      if (saved !== undefined && saved.createdAt >= payload.createdAt) return;
      conversations.set(payload.convoId, payload);
    },
  );
  for (const createdAt of [3, 1, 5, 2, 4]) {
    const turns = Array.from({ length: createdAt }, () => ({}));
    expect((await receiver.handle(post('conversation_updated', { createdAt, turns }))).status).toBe(200);
  }
  expect(conversations.get('convo_1')).toMatchObject({ createdAt: 5, turns: [{}, {}, {}, {}, {}] });
});

test('an event that the specification does not list is checked by a schema of your own', async () => {
  const LeadScored = z.object({ agentId: z.string(), score: z.number() });
  const scores: number[] = [];
  const failures: unknown[] = [];
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' })
    .onUnknown(({ type, payload }) => {
      if (type === 'lead_scored') scores.push(LeadScored.parse(payload).score);
    })
    .onError((error) => failures.push(error));
  const send = async (score: unknown) =>
    (await receiver.handle(post('lead_scored', { agentId: 'agent_1', score }))).status;
  expect([await send(9), await send('hot')]).toEqual([200, 500]);
  expect([scores, failures]).toEqual([[9], [expect.any(z.ZodError)]]);
});
