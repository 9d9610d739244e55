// The endpoints, schemas and errors of one installed copy, in a client of another.

import * as other from 'agent-platform-sdk';
import {
  AgentPlatform,
  type ApiError,
  type Conversation,
  endpoint,
  type Tool,
  ToolSchema,
  withData,
} from 'agent-platform-sdk';
import * as z from 'zod';

const platform = new AgentPlatform();

export async function calls(): Promise<readonly unknown[]> {
  const tool: Tool = await platform.send(other.endpoints.getTool, { path: { toolId: 'tool' } });
  // @ts-expect-error -- The ids are those of its path.
  await platform.send(other.endpoints.getTool, { path: { id: 'tool' } });
  const path = { agentId: 'agent' };
  // @ts-expect-error -- The body is that of its schema.
  await platform.send(other.endpoints.createVariable, { path, body: { variable: { descripton: 'x' } } });
  const { teams } = await platform.send(other.endpoints.listMembersAndTeams, { path: { orgId: 'org' } });

  const data = z.array(other.ConversationSchema);
  const listConvos = other.endpoint({
    method: 'GET',
    path: '/agents/{agentId}/convos',
    query: z.object({ cursor: z.string().optional() }),
    response: other.withFields({ data, nextCursor: z.string().nullish() }),
  });
  const page = await platform.send(listConvos, { path });
  const convos: readonly Conversation[] = page.data;
  const listTools = endpoint({
    method: 'GET',
    path: '/tools',
    response: withData(z.array(other.ToolSchema)),
  });
  const theirs: readonly other.Tool[] = await platform.send(listTools);
  const mixed = other.endpoint({ method: 'GET', path: '/tools', response: withData(ToolSchema) });
  const ours: Tool = await platform.send(mixed);
  return [tool, teams.length, convos, page.nextCursor, theirs, ours];
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof other.NotFoundError)) return undefined;
  const same: ApiError = error;
  return same.status;
}
