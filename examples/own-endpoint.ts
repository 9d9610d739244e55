// Two operations that the document names without their shapes, declared by you: typed, checked and retried like the
// built-in ones, and answered by the fake too.
// Run it with: npx tsx examples/own-endpoint.ts
import { AgentPlatform, endpoint, type Tool, ToolSchema, withData } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import * as z from 'zod';

// What you know of them, from your dashboard or from the service's support. Any Standard Schema works.
const listTools = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/tools',
  response: withData(z.array(ToolSchema)),
});
const createTool = endpoint({
  method: 'POST',
  path: '/agents/{agentId}/tools',
  body: z.object({ name: z.string(), serverUrl: z.url() }),
  response: withData(ToolSchema),
});

// The fake learns them from the same declarations; `body` is typed, and has been validated.
const fake = createFakePlatform();
const toolsOf = (agentId: string, tools: Iterable<Tool>) =>
  [...tools].filter((tool) => tool.agentId === agentId);
fake.handle(listTools, ({ path, state, succeed }) => succeed(toolsOf(path.agentId, state.tools.values())));
fake.handle(createTool, ({ path, body, succeed }) => succeed(fake.add.tool({ ...body, ...path })));

const { agentId, workspaceSecret } = fake.seed.eu;
const platform = new AgentPlatform({
  region: 'eu',
  token: workspaceSecret,
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
});

const created = await platform.send(createTool, {
  path: { agentId },
  body: { name: 'CRM lookup', serverUrl: 'https://crm.shop.example/lookup' },
});
console.log(`created: ${created.id}`);

const tools: Tool[] = await platform.send(listTools, { path: { agentId } });
console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);

try {
  await platform.send(createTool, {
    path: { agentId },
    body: { name: 'CRM lookup', serverUrl: 'not an address' },
  });
} catch (error) {
  console.log(String(error)); // Found before anything is sent.
}
