// The endpoints, schemas and errors of one installed copy, in a client of another. Compiled, never run.
import * as other from 'agent-platform-sdk'; // The test replaces the name.
import { AgentPlatform, type ApiError, endpoint, type Tool, ToolSchema, withData } from 'agent-platform-sdk';
import * as z from 'zod';

const platform = new AgentPlatform();

export async function calls(): Promise<readonly unknown[]> {
  const tool: Tool = await platform.send(other.endpoints.getTool, { path: { toolId: 'tool' } });
  // @ts-expect-error -- The ids are those of its path.
  await platform.send(other.endpoints.getTool, { path: { id: 'tool' } });
  const path = { agentId: 'agent' };
  // @ts-expect-error -- The body is that of its schema.
  await platform.send(other.endpoints.createVariable, { path, body: { variable: { descripton: 'x' } } });

  const data = z.array(other.ConversationSchema);
  const response = other.withFields({ data, nextCursor: z.string().nullish() });
  const listConvos = other.endpoint({ method: 'GET', path: '/agents/{agentId}/convos', response });
  const convos: readonly other.Conversation[] = (await platform.send(listConvos, { path })).data;
  const theirs = endpoint({ method: 'GET', path: '/tools', response: withData(z.array(other.ToolSchema)) });
  const tools: readonly other.Tool[] = await platform.send(theirs);
  const mixed = other.endpoint({ method: 'GET', path: '/tools', response: withData(ToolSchema) });
  const ours: Tool = await platform.send(mixed);
  return [tool, convos, tools, ours];
}

export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof other.NotFoundError)) return undefined;
  const same: ApiError = error;
  return same.status;
}
