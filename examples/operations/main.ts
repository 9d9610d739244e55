// Lists all conversations of an agent, reads the agent and renames it, against the fake.
// Run it with: npx tsx examples/operations/main.ts
import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { getAgent, listConvos, updateAgent } from './agents.js';

const fake = createFakePlatform();
const { agentId, workspaceSecret } = fake.seed.eu;

// The fake has the documented operations. It takes the others from you.
const PAGE = 20;
for (let number = 1; number < 45; number++) fake.add.conversation({ agentId, convoId: `convo_${number}` });
fake.handle(listConvos, ({ path, query, state }) => {
  const rows = [...state.conversations.values()].filter((row) => row.agentId === path.agentId);
  const start = Number(query.cursor ?? 0);
  const next = start + PAGE < rows.length ? String(start + PAGE) : null;
  const data = rows.slice(start, start + PAGE).map(({ record }) => record);
  return { success: true, message: 'ok', data, hasMore: next !== null, nextCursor: next };
});
fake.handle(getAgent, ({ path, state, succeed, refuse }) => {
  const agent = state.agents.get(path.agentId);
  return agent ? succeed({ id: agent.id, name: agent.name }) : refuse('notFound', 'There is no such agent');
});
fake.handle(updateAgent, ({ path, body, state, succeed, refuse }) => {
  const agent = state.agents.get(path.agentId);
  if (agent === undefined) return refuse('notFound', 'There is no such agent');
  state.agents.set(agent.id, { ...agent, ...body, name: body.name ?? agent.name });
  return succeed({ id: agent.id, name: body.name ?? agent.name });
});

const platform = new AgentPlatform({
  region: 'eu',
  token: workspaceSecret,
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
});

const path = { agentId };
let count = 0;
for await (const { ID } of platform.paginate(listConvos, { path })) if (ID !== '') count += 1;
console.log(`conversations: ${count}, in ${fake.requests.length} pages`);

console.log(`agent: ${(await platform.send(getAgent, { path })).name}`);
await platform.send(updateAgent, { path, body: { name: 'Front desk' } });
console.log(`renamed: ${(await platform.send(getAgent, { path })).name}`);
