import { createWebhookReceiver } from 'agent-platform-sdk';
import { env } from '$env/dynamic/private';

// `vite build` loads every route without the secrets of production.
const receiver = createWebhookReceiver({ secret: () => env.AGENT_PLATFORM_WEBHOOK_SECRET }).onAny(
  () => undefined,
);

export const POST = ({ request }) => receiver.fetch(request);
