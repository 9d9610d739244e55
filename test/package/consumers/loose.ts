import {
  AgentPlatform,
  ConversationSchema,
  endpoint,
  endpoints,
  withData,
  withFields,
  withoutData,
} from 'agent-platform-sdk';
import * as z from 'zod';

const platform = new AgentPlatform({
  region: 'eu',
  token: 'test-token',
  baseUrls: { eu: 'https://eu.test' },
});

const getAgent = endpoint({
  method: 'GET',
  path: '/agents/{agentId}',
  response: withData(z.object({ id: z.string() })),
});
const listConvos = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/convos',
  query: z.object({ cursor: z.string().optional() }),
  response: withFields({ data: z.array(ConversationSchema), nextCursor: z.string().nullish() }),
});
const save = endpoint({
  method: 'POST',
  path: '/agents',
  body: z.object({ name: z.string() }),
  response: withoutData(),
});

export async function run(agentId: string): Promise<string[]> {
  const path = { agentId };
  const agent = await platform.send(getAgent, { path });
  const page = await platform.send(listConvos, { path });
  await platform.send(save, { body: { name: agent.id } });
  await platform.send(endpoints.listDefaultTools);
  return [page.nextCursor ?? '', ...page.data.map(({ ID }) => ID)];
}
