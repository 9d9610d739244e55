import { AgentPlatform, ConfigurationError } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';

const answers = {
  '/v3/tools/tool-1': [200, { success: true, data: { id: 'tool-1' } }],
  '/v3/tools/tool-2': [404, { message: 'no such tool', code: 'missing' }],
};

const platform = new AgentPlatform({
  region: 'eu',
  token: 'a-whole-secret',
  baseUrls: { eu: 'https://eu.example' },
  fetch: async (input) => {
    const [status, body] = answers[new URL(input.url ?? input).pathname];
    return Response.json(body, { status });
  },
});

function misconfigured() {
  try {
    new AgentPlatform({ region: 'eu' });
  } catch (error) {
    return error instanceof ConfigurationError && error.name;
  }
}

async function main() {
  const tool = await platform.tools.get('tool-1');
  const refused = await platform.tools.get('tool-2').catch((error) => error);
  console.log(
    JSON.stringify({
      name: platform.constructor.name,
      tool: tool.id,
      refused: { name: refused.name, type: refused.type, status: refused.status },
      misconfigured: misconfigured(),
      fake: typeof createFakePlatform().fetch,
    }),
  );
}
void main();
