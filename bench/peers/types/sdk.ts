import { AgentPlatform, NotFoundError, parseWebhook, RateLimitError, type Tool } from 'agent-platform-sdk';

const platform = new AgentPlatform({ region: 'eu', token: 'token', maxRetries: 3, timeout: 20_000 });

export async function findTool(id: string): Promise<Tool | undefined> {
  try {
    return await platform.tools.get(id, { timeout: 5_000 });
  } catch (error) {
    if (error instanceof NotFoundError) return undefined;
    if (error instanceof RateLimitError) console.warn(error.retryAfter);
    throw error;
  }
}

export async function define(agentId: string, key: string): Promise<string> {
  const variable = await platform.variables.create(agentId, {
    key,
    type: 'string',
    value: 'free',
    isEnv: false,
  });
  return variable.id;
}

export async function summarize(agentId: string, convoId: string): Promise<string> {
  const { data, response } = await platform.conversations.get({ agentId, convoId }).withResponse();
  return `${data.userName}: ${data.lastMessage} (${response.status})`;
}

export function receive(body: string): void {
  const event = parseWebhook(body, { secret: 'secret' });
  if (event.type === 'lead_captured') console.log(event.payload.leadEmail);
}
