// Two operations that the specification names (4.4) without their shapes, declared by you: typed, checked and retried like
// the built-in ones, and answered by the fake too. The shapes here are made up.
// Run it with: npx tsx examples/own-endpoint/main.ts
import { AgentPlatform, endpoint, ToolSchema, withData } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import * as z from 'zod';

// The fields that you know of, from your dashboard or from the service's support. Any Standard Schema works.
const assignTools = endpoint({
  method: 'PATCH',
  path: '/agents/{id}',
  body: z.object({ nodes: z.array(z.object({ toolsIds: z.array(z.string()) })) }),
  response: withData(
    z.object({ id: z.string(), nodes: z.array(z.object({ toolsIds: z.array(z.string()) })) }),
  ),
});
const createTool = endpoint({
  method: 'POST',
  path: '/agents/{agentId}/tools',
  body: z.object({ name: z.string(), serverUrl: z.url() }),
  response: withData(ToolSchema),
});

// The fake learns them from the same declarations; `body` is typed, and has been validated.
const fake = createFakePlatform();
fake.handle(assignTools, ({ path, body, succeed }) => succeed({ ...path, ...body }));
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

const body = { nodes: [{ toolsIds: ['web-search', created.id] }] };
const { nodes } = await platform.send(assignTools, { path: { id: agentId }, body });
console.log(`tools: ${nodes[0]?.toolsIds.join(', ')}`);

try {
  await platform.send(createTool, {
    path: { agentId },
    body: { name: 'CRM lookup', serverUrl: 'not an address' },
  });
} catch (error) {
  console.log(String(error)); // Found before anything is sent.
}
