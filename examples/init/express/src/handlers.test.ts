import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentPlatform, createWebhookReceiver, endpoints } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { createHandlers } from './handlers.ts';

test('opens one ticket, although the service is busy and the event comes twice', async () => {
  const fake = createFakePlatform();
  const { workspaceSecret: token, agentId, convoId } = fake.seed.eu;
  const platform = new AgentPlatform({ region: 'eu', token, baseUrls: fake.baseUrls, fetch: fake.fetch });
  const opened = new Map<string, string>();
  const handlers = createHandlers(platform, {
    open: async ({ key, customer }) => void opened.set(key, customer),
  });
  // An inbox that runs the handlers at once.
  const receiver = createWebhookReceiver({
    secret: token,
    inbox: { store: (event) => handlers.process(event) },
  });
  fake.webhooks.subscribe(receiver);
  fake.faults.inject({ endpoint: endpoints.getConversation, status: 503, retryAfter: 0 });

  await fake.webhooks.send('chat_delegated', { agentId, convoId, customerName: 'Dana' }, { copies: 2 });
  assert.deepEqual([...opened.values()], ['Dana']);
});
