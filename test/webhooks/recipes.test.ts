import { type ConversationUpdatedPayload, createWebhookReceiver } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { post, secret } from './deliveries.js';

// The recipes of docs/guides/webhooks.md and order-and-loss.md.

test('the newest snapshot of a conversation stays, of equal ones the last, for each agent', async () => {
  const conversations = new Map<string, ConversationUpdatedPayload>();
  const receiver = createWebhookReceiver({ secret, logLevel: 'off' }).on(
    'conversation_updated',
    ({ payload }) => {
      const key = JSON.stringify([payload.agentId, payload.convoId]);
      const saved = conversations.get(key);
      if (saved !== undefined && timeOf(saved) > timeOf(payload)) return;
      conversations.set(key, payload);
    },
  );
  const timeOf = ({ createdAt }: { createdAt: unknown }) => (typeof createdAt === 'number' ? createdAt : 0);
  const sent = [3, 1, 5, 2, 5, 4].map((createdAt, index) => ({ createdAt, turns: [index] }));
  const other = { agentId: 'agent_2', createdAt: 1, turns: ['other'] };
  const odd = ['2026-08-02T10:00:00.000Z', null].flatMap((createdAt) => [
    { agentId: 'agent_2', createdAt, turns: [] },
    { agentId: 'agent_3', createdAt, turns: [] },
  ]);
  const last = { agentId: 'agent_3', createdAt: 1, turns: ['third'] };
  for (const update of [...sent, other, ...odd, last]) {
    expect((await receiver.handle(post('conversation_updated', update))).status).toBe(200);
  }
  expect([...conversations.values()]).toMatchObject([
    { agentId: 'agent_1', createdAt: 5, turns: [4] },
    other,
    last,
  ]);
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
