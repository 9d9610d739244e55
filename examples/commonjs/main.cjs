// The client, the fake and `parseWebhook` in CommonJS.
// Run it with: node examples/commonjs/main.cjs
const { AgentPlatform, ApiError, parseWebhook } = require('agent-platform-sdk');
const { createFakePlatform, fixtures } = require('agent-platform-sdk/testing');

async function main() {
  const fake = createFakePlatform();
  const { workspaceSecret, toolId } = fake.seed.eu;
  const platform = new AgentPlatform({
    region: 'eu',
    token: workspaceSecret,
    baseUrls: fake.baseUrls,
    fetch: fake.fetch,
  });

  const tool = await platform.tools.get(toolId);
  console.log(`tool: ${tool.name}`);

  await platform.tools.get('nowhere').catch((error) => {
    // The specification does not show the status of an unknown tool.
    if (!(error instanceof ApiError)) throw error;
    console.log(`refused: ${error.message.split('\n')[0]}`);
  });

  const { type, payload } = fixtures.event('lead_captured', { leadName: 'Dana' });
  const body = JSON.stringify({ type, payload: { ...payload, workspaceSecret } });
  const event = parseWebhook(body, { secret: workspaceSecret });
  console.log(`event: ${event.type} of ${event.payload.leadName}`);
}

void main();
