// Run by Jest with jsdom, which has no TextEncoder, Request, Response, fetch and structuredClone (jest#10431,
// jsdom#2524, jsdom#3363).
const { AgentPlatform, createWebhookReceiver } = require('agent-platform-sdk');
const { createFakePlatform } = require('agent-platform-sdk/testing');
const { TextDecoder, TextEncoder } = require('node:util');
const { ReadableStream } = require('node:stream/web');
const { MessagePort } = require('node:worker_threads');

test('without them, the package loads', () => {
  expect([typeof globalThis.TextEncoder, typeof fetch]).toEqual(['undefined', 'undefined']);
  expect(createFakePlatform().seed.eu.toolId).toBe('tool_eu_1');
  const baseUrls = { eu: 'https://eu.example' };
  // jest#2549: of another realm than the package's.
  const headers = new Headers({ 'x-app': 'shop' });
  expect(new AgentPlatform({ region: 'eu', token: 'a-token', baseUrls, headers }).region).toBe('eu');
  expect(createWebhookReceiver({ secret: 'a-secret' })).toBeDefined();
});

test('with the polyfills of msw, a client calls the fake, and a receiver gets its event', async () => {
  Object.assign(globalThis, { TextDecoder, TextEncoder, ReadableStream, MessagePort });
  const { fetch, Headers, Request, Response } = require(process.env.UNDICI);
  Object.assign(globalThis, { fetch, Headers, Request, Response });
  expect(typeof structuredClone).toBe('undefined');
  const fake = createFakePlatform();
  const { workspaceSecret: token, toolId } = fake.seed.eu;
  const { baseUrls } = fake;
  const options = { region: 'eu', token, baseUrls, fetch: fake.fetch, dangerouslyAllowBrowser: true };
  expect((await new AgentPlatform(options).tools.get(toolId)).name).toBe('find_invoice');
  fake.webhooks.subscribe({ fetch: () => new Response('handled') });
  const [delivery] = await fake.webhooks.send('lead_captured', { leadName: 'Dana' });
  expect([delivery.status, delivery.response]).toEqual([200, 'handled']);
});
