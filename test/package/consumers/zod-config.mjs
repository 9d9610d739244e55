import * as z from 'zod';

/** Schemas that the user's configuration was shown. */
const seen = [];
z.config({
  customError: () => 'customised',
  localeError: () => 'localised',
  postProcessor: (schema) => seen.push(schema._zod.def.type),
});

const { AgentPlatform, parseWebhook } = await import('agent-platform-sdk');

const platform = new AgentPlatform({
  region: 'eu',
  token: 'a-token',
  baseUrls: { eu: 'https://eu.example' },
  fetch: async () => Response.json({ success: true, message: '', data: { id: 7 } }),
});
const response = await platform.tools.get('tool').catch((error) => error);

let webhook;
try {
  const payload = { message: 7, createdAt: 1, workspaceSecret: 'a-secret' };
  parseWebhook({ type: 'webhook_test', payload }, { secret: 'a-secret' });
} catch (error) {
  webhook = error;
}

console.log(
  JSON.stringify({
    response: response.issues,
    webhook: webhook.issues,
    seen: [...seen],
    theirs: z.string().safeParse(7).error.issues[0].message,
  }),
);
