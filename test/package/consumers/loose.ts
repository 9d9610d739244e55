/** A program without strict types. Compiled, never run. */
import {
  AgentPlatform,
  createWebhookHandlers,
  endpoint,
  ToolSchema,
  withData,
  withoutData,
} from 'agent-platform-sdk';
import * as z from 'zod';

const platform = new AgentPlatform({ token: undefined });
const listTools = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/tools',
  response: withData(z.array(ToolSchema)),
});
const stop = endpoint({ method: 'POST', path: '/stop', response: withoutData() });
const rename = endpoint({
  method: 'PATCH',
  path: '/agents/{agentId}',
  body: z.object({ name: z.string() }),
  response: withoutData(),
});

export async function main(): Promise<string[]> {
  await platform.send(stop);
  await platform.send(rename, { path: { agentId: 'agent' }, body: { name: 'name' } });
  const tools = await platform.send(listTools, { path: { agentId: 'agent' } });
  const tool = await platform.tools.get('tool', { timeout: undefined });
  return [...tools.map(({ id }) => id), String(tool.name)];
}

export const handlers = createWebhookHandlers().on('lead_captured', ({ payload }) => payload.leadEmail);
