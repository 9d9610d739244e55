// Your integration: what happens when an event comes.
import { type AgentPlatform, createWebhookHandlers, type WebhookHandlers } from 'agent-platform-sdk';

/** Your ticket system. If the `key` exists, it opens no second ticket. */
export interface Tickets {
  open(ticket: { key: string; customer: string; lastMessage: string }): Promise<void>;
}

/** A handler can run twice, with the same `eventKey`. If it throws, the inbox runs the event again later. */
export function createHandlers(platform: AgentPlatform, tickets: Tickets): WebhookHandlers {
  return createWebhookHandlers().on('chat_delegated', async ({ payload }, { eventKey, signal }) => {
    const { agentId, convoId, customerName = 'unknown' } = payload;
    const { lastMessage = '' } = await platform.conversations.get({ agentId, convoId }, { signal });
    await tickets.open({ key: eventKey, customer: customerName, lastMessage });
  });
}
