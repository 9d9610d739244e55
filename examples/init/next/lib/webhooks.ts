// The inbox and the receiver in front of it. Routes and the worker share them.
import { createWebhookReceiver, type WebhookReceiver } from 'agent-platform-sdk';
import { createInbox, type Inbox } from './inbox.ts';

interface Webhooks {
  readonly inbox: Inbox;
  readonly receiver: WebhookReceiver;
  isEnding: boolean;
}

// `next build` loads this module, so nothing is made here. A server loads it several times, so what is made at first
// use is kept where all of them find it.
const shared = globalThis as typeof globalThis & { webhooks?: Webhooks };

export function getWebhooks(): Webhooks {
  shared.webhooks ??= createWebhooks();
  return shared.webhooks;
}

function createWebhooks(): Webhooks {
  const inbox = createInbox();
  return { inbox, receiver: createWebhookReceiver({ inbox }), isEnding: false };
}
