/** An integrator's backend. Compiled against the packed package, never run. */
import {
  AgentPlatform,
  AuthenticationError,
  type Conversation,
  createWebhookReceiver,
  endpoint,
  parseWebhook,
  type Tool,
  ToolSchema,
  withData,
} from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import * as z from 'zod';
import * as mini from 'zod/mini';

const { baseUrls, fetch } = createFakePlatform();
const platform = new AgentPlatform({ token: async () => 'a-token', baseUrls, fetch });

// @ts-expect-error Without a type for headers, anything would do.
export const wrong = new AgentPlatform({ headers: 5 });

export async function readConversation(): Promise<Conversation> {
  const ids = { agentId: 'agent', convoId: 'convo' };
  const { data, response } = await platform.conversations.get(ids, { timeout: 1000 }).withResponse();
  console.log(response.status);
  // @ts-expect-error No record has an index signature, so a misspelt field does not compile.
  console.log(data.ttile);
  return data;
}

const path = '/workspaces/{workspaceId}/tools';
const listTools = endpoint({ method: 'GET', path, response: withData(z.array(ToolSchema)) });
const listToolsMini = endpoint({ method: 'GET', path, response: withData(mini.array(ToolSchema)) });

export async function sendCustom(): Promise<Tool[]> {
  // @ts-expect-error The path has no such parameter.
  await platform.send(listTools, { path: { toolId: 'tool' } });
  const tools: Tool[] = await platform.send(listTools, { path: { workspaceId: 'workspace' } });
  return tools.concat(await platform.send(listToolsMini, { path: { workspaceId: 'workspace' } }));
}

export const statusOf = (error: unknown) => error instanceof AuthenticationError && error.status;

const secret = 'a-secret';
export const createdAt: number = parseWebhook('{}', { secret }).payload.createdAt;
export const receiver = createWebhookReceiver({ secret }).on('lead_captured', async (event) => {
  const type: 'lead_captured' = event.type;
  console.log(type, event.payload.leadEmail);
});

const inbox = createSqliteInbox({ path: 'webhooks.db', backoff: { type: 'fixed', delay: 1_000 } });
export const storing = createWebhookReceiver({ secret, inbox });
export const worker = inbox.work({ lead_captured: ({ payload }) => console.log(payload.leadEmail) });
// @ts-expect-error There is no such event type.
inbox.work({ lead_caught: () => undefined });
/** What comes from a queue of one's own. */
export const move = inbox.work({ handles: () => true, process: async ({ key }) => console.log(key) });
