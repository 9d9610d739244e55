/** An integrator's backend, as the compiler sees it. Compiled against the packed package, never run. */
import {
  AgentPlatform,
  AuthenticationError,
  type Conversation,
  createWebhookReceiver,
  endpoint,
  parseWebhook,
  redact,
  type Tool,
  ToolSchema,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import * as z from 'zod/mini';

const fake = createFakePlatform();

const platform = new AgentPlatform({
  region: 'eu',
  token: async () => 'a-token-of-tests',
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
});

export async function readTool(): Promise<Tool> {
  try {
    return await platform.tools.get('tool');
  } catch (error) {
    if (error instanceof AuthenticationError) console.log(error.status, error.issues.length);
    throw error;
  }
}

export async function readConversation(): Promise<Conversation> {
  const { data, response } = await platform.conversations
    .get({ agentId: 'agent', convoId: 'convo' }, { timeout: 1000, validation: 'strict' })
    .withResponse();
  console.log(response.status);
  return data;
}

const listTools = endpoint({
  method: 'GET',
  path: '/workspaces/{workspaceId}/tools',
  response: z.array(ToolSchema),
});

export async function sendMine(): Promise<Tool[]> {
  // @ts-expect-error A path parameter that the path does not name.
  await platform.send(listTools, { path: { toolId: 'tool' } });
  return platform.send(listTools, { path: { workspaceId: 'workspace' } });
}

export async function misspelt(): Promise<unknown> {
  const tool = await readTool();
  // @ts-expect-error No record has an index signature, so a misspelt field does not compile.
  return tool.chanels;
}

export const receiver = createWebhookReceiver({ secret: 'a-secret' }).on('lead_captured', async (event) => {
  const type: 'lead_captured' = event.type;
  console.log(type, redact(event.payload));
});

export function createdAt(body: string): number {
  return parseWebhook(body, { secret: 'a-secret' }).payload.createdAt;
}
