import * as z from 'zod';

z.config({ customError: () => 'customised', localeError: () => 'localised', jitless: true });

const { AgentPlatform, parseWebhook } = await import('agent-platform-sdk');

const answering = (data) =>
  new AgentPlatform({
    region: 'eu',
    token: 'a-token-of-tests',
    baseUrls: { eu: 'https://eu.example' },
    fetch: async () => Response.json({ success: true, message: '', data }),
  });
const sent = { id: 'tool-1', channels: ['web-chat'], unheardOf: true };
const tool = await answering(sent).tools.get('tool');
const response = await answering({ id: 7 })
  .tools.get('tool')
  .catch((error) => error);

let webhook;
try {
  const payload = { message: 7, createdAt: 1, workspaceSecret: 'a-secret' };
  parseWebhook({ type: 'webhook_test', payload }, { secret: 'a-secret' });
} catch (error) {
  webhook = error;
}

console.log(
  JSON.stringify({
    tool,
    response: response.issues,
    webhook: webhook.issues,
    theirs: z.string().safeParse(7).error.issues[0].message,
  }),
);
