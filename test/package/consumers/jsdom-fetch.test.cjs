// Run by Jest with jsdom, and with the polyfills that msw's documentation gives for it. They have no
// `structuredClone` (jsdom#3363).
const { TextDecoder, TextEncoder } = require('node:util');
const { ReadableStream } = require('node:stream/web');
const { MessagePort } = require('node:worker_threads');
Object.assign(globalThis, { TextDecoder, TextEncoder, ReadableStream, MessagePort });
const { fetch, Headers, Request, Response } = require(process.env.UNDICI);
Object.assign(globalThis, { fetch, Headers, Request, Response });

test('a client calls the fake, and a receiver gets its event', async () => {
  expect(typeof structuredClone).toBe('undefined');
  const { AgentPlatform } = require('agent-platform-sdk');
  const { createFakePlatform } = require('agent-platform-sdk/testing');
  const fake = createFakePlatform();
  const { workspaceSecret: token, toolId } = fake.seed.eu;
  const { baseUrls } = fake;
  const options = { region: 'eu', token, baseUrls, fetch: fake.fetch, dangerouslyAllowBrowser: true };
  expect((await new AgentPlatform(options).tools.get(toolId)).name).toBe('find_invoice');
  fake.webhooks.subscribe({ fetch: () => new Response('handled') });
  const [delivery] = await fake.webhooks.send('lead_captured', { leadName: 'Dana' });
  expect([delivery.status, delivery.response]).toEqual([200, 'handled']);
});
