import { AgentPlatform, createWebhookReceiver } from 'agent-platform-sdk';

// `next build` loads every route without the settings of production, so they are read on the first request.

let platform: AgentPlatform | undefined;

/** The client. Its settings are AGENT_PLATFORM_REGION, _TOKEN, and _BASE_URL_EU or _BASE_URL_NA. */
export function getPlatform(): AgentPlatform {
  platform ??= new AgentPlatform();
  return platform;
}

/** The receiver. If Next runs in several processes, add `dedupe: { store }` of agent-platform-sdk/redis. */
export const receiver = createWebhookReceiver({ secret: () => process.env.AGENT_PLATFORM_WEBHOOK_SECRET })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));
