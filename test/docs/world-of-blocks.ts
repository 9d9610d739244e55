import { endpoint, ToolSchema, withData } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FakeServer } from 'agent-platform-sdk/testing';
import { vi } from 'vitest';
import * as z from 'zod/mini';

/** The secret of the workspace that the documentation's programs speak for. Looks like nothing real. */
export const secret = 'workspace-secret-of-the-documentation';
const agentSecret = 'agent-secret-of-the-documentation';

/** The records that the documentation speaks of. */
const RECORDS = {
  workspaces: [{ id: 'workspace_1', secret }, { id: 'workspace_2' }],
  orgs: [{ id: 'org_1' }],
  agents: [{ id: 'agent_1', secret: agentSecret }],
  tools: [{ id: 'tool_1' }],
  conversations: [{ convoId: 'convo_1' }],
  phoneNumbers: [{ sid: 'PN1', imported: true }],
};

/** The operations that its programs declare by themselves. */
const listTools = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/tools',
  response: withData(z.array(ToolSchema)),
});
const getAgent = endpoint({ method: 'GET', path: '/agents/{agentId}', response: withData(z.unknown()) });

/** What the programs of the documentation find: a service with these records, over real HTTP. */
export interface World {
  readonly fake: FakePlatform;
  readonly server: FakeServer;
}

/** Makes the world, and its settings of the environment. */
export async function createWorld(): Promise<World> {
  const fake = createFakePlatform({ seed: 'empty', regions: { eu: RECORDS, na: RECORDS } });
  fake.handle(listTools, ({ state, succeed }) => succeed([...state.tools.values()]));
  fake.handle(getAgent, ({ path, succeed }) => succeed({ id: path.agentId, name: 'Support agent' }));
  const server = await fake.listen();
  const environment = {
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: secret,
    AGENT_PLATFORM_BASE_URL_EU: server.baseUrls.eu,
    AGENT_PLATFORM_BASE_URL_NA: server.baseUrls.na,
    WORKSPACE_SECRET: secret,
    WORKSPACE_SECRET_NA: secret,
    AGENT_SECRET: agentSecret,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.stubGlobal('fetch', leadingTo(server));
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation(() => undefined);
  }
  return { fake, server };
}

/** The addresses of the documentation, such as `https://api.eu.example.com`, are those of the fake. */
function leadingTo({ baseUrls }: FakeServer): typeof fetch {
  const real = fetch;
  return (input, init) => {
    if (typeof input !== 'string') return real(input, init);
    const [eu, na] = ['https://api.eu.example.com', 'https://api.na.example.com'];
    return real(input.replace(eu, baseUrls.eu).replace(na, baseUrls.na), init);
  };
}
