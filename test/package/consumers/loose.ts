/** A program without strict types. Compiled, never run. */
import { AgentPlatform, createWebhookHandlers, endpoint, withData, withoutData } from 'agent-platform-sdk';
import * as z from 'zod';

const platform = new AgentPlatform({ token: undefined });
const listNames = endpoint({ method: 'GET', path: '/names', response: withData(z.array(z.string())) });
const rename = endpoint({
  method: 'PATCH',
  path: '/agents/{agentId}',
  body: z.object({ name: z.string() }),
  response: withoutData(),
});

export async function main(): Promise<string[]> {
  await platform.send(rename, { path: { agentId: 'agent' }, body: { name: 'name' } });
  const tool = await platform.tools.get('tool', { timeout: undefined });
  return [...(await platform.send(listNames)), String(tool.name)];
}

export const handlers = createWebhookHandlers().on('lead_captured', ({ payload }) => payload.leadEmail);
