import { AgentPlatform, endpoint, type Tool, ToolSchema, withData } from 'agent-platform-sdk';
import * as z from 'zod';
import * as mini from 'zod/mini';

const platform = new AgentPlatform({ region: 'eu', token: 'a-token-of-tests' });

const listTools = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/tools',
  response: withData(z.array(ToolSchema)),
});

export const listed: Promise<Tool[]> = platform.send(listTools, { path: { agentId: 'agent' } });
export const classic: Tool[] = z.array(ToolSchema).parse([]);
export const small: Tool[] = mini.array(ToolSchema).parse([]);
