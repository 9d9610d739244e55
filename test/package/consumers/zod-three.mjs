import { AgentPlatform } from 'agent-platform-sdk';
import { z } from 'zod';

const platform = new AgentPlatform({
  region: 'eu',
  token: 'a-token-of-tests',
  baseUrls: { eu: 'https://eu.example' },
  fetch: async () => Response.json({ success: true, message: '', data: { id: 7 } }),
});
const refused = await platform.tools.get('tool').catch((error) => error);

console.log(
  JSON.stringify({
    theirs: z.string().safeParse(7).error.issues[0].message,
    ours: refused.issues[0].message,
  }),
);
