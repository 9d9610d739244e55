import { createWebhookReceiver } from 'agent-platform-sdk';

const receiver = createWebhookReceiver({ logLevel: 'off' }).onAny(() => undefined);

export default defineEventHandler((event) => receiver.fetch(toWebRequest(event)));
