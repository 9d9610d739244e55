// The service sends each event once. The handlers note which conversation an event names; `reconcile` reads those for which no
// `conversation_updated` has come since.
import {
  type AgentPlatform,
  type Conversation,
  type ConversationUpdatedPayload,
  NotFoundError,
  type WebhookReceiver,
} from 'agent-platform-sdk';
import type { ConversationKey, ConversationStore, Unseen } from './store.js';

/** Your own copy of the conversations. Both may be called twice with the same, so neither may add anything the second time. */
export interface Copy {
  /** An update has come, with the whole chat history. */
  update(payload: ConversationUpdatedPayload): Promise<void>;
  /** None has come: this is what the service says of the conversation now; undefined if it is gone. */
  replace(key: ConversationKey, conversation: Conversation | undefined): Promise<void>;
}

export function followConversations(receiver: WebhookReceiver, store: ConversationStore, copy: Copy): void {
  receiver
    .on('message_received', ({ payload }) => store.heardOf(payload, payload.createdAt))
    .on('form_submitted', ({ payload }) => store.heardOf(payload, payload.createdAt))
    .on('chat_delegated', ({ payload }) => store.heardOf(payload, payload.createdAt))
    .on('conversation_updated', async ({ payload }) => {
      // An update that cannot be copied is read later, too.
      await store.heardOf(payload, payload.createdAt);
      await copy.update(payload);
      await store.shown(payload, payload.createdAt);
    });
}

/** Reads what no update has shown. Run it every minute, in as many processes as you like. Returns how many it looked at. */
export async function reconcile(
  platform: AgentPlatform,
  store: ConversationStore,
  copy: Copy,
): Promise<number> {
  const unseen = await store.unseen();
  for (const conversation of unseen) await read(platform, store, copy, conversation);
  return unseen.length;
}

async function read(
  platform: AgentPlatform,
  store: ConversationStore,
  copy: Copy,
  unseen: Unseen,
): Promise<void> {
  const { agentId, convoId, heard } = unseen;
  try {
    await copy.replace({ agentId, convoId }, await find(platform, unseen));
    await store.shown(unseen, heard);
  } catch (error) {
    console.error(`${convoId} is read again later:`, error);
    await store.postpone(unseen);
  }
}

async function find(
  platform: AgentPlatform,
  { agentId, convoId }: ConversationKey,
): Promise<Conversation | undefined> {
  try {
    return await platform.conversations.get({ agentId, convoId });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    throw error;
  }
}
