import { AgentPlatform, createWebhookReceiver, parseWebhook } from 'agent-platform-sdk';

const service = (status, body) =>
  new AgentPlatform({
    region: 'eu',
    token: 'workspace-secret',
    baseUrls: { eu: 'https://service.test' },
    logLevel: 'off',
    fetch: async () => new Response(JSON.stringify(body), { status }),
  });

/** The first line of the stack, without the error's own text. */
async function firstFrame(lineOfTheUser) {
  try {
    await lineOfTheUser();
  } catch ({ name, message, stack }) {
    return [name, stack.slice(`${name}: ${message}\n`.length).split('\n')[0]];
  }
}

async function main() {
  const kinds = [
    () => new AgentPlatform({ timeout: -1 }),
    () => createWebhookReceiver({ secret: '' }),
    () => parseWebhook('{}', { secret: 'workspace-secret' }),
    () => service(200, {}).variables.create('agent_1', {}),
    () => service(404, {}).tools.get('tool_1'),
    () => service(200, {}).tools.get('tool_1').withResponse(),
  ];
  console.log(JSON.stringify(await Promise.all(kinds.map(firstFrame))));
}
void main();
