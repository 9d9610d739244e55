// Run by Jest with jsdom, which has no TextEncoder, Request, Response and fetch (jest#10431, jsdom#2524).
test('the package loads', async () => {
  expect([typeof TextEncoder, typeof fetch]).toEqual(['undefined', 'undefined']);
  const { AgentPlatform, createWebhookReceiver } = require('agent-platform-sdk');
  const { createFakePlatform } = require('agent-platform-sdk/testing');
  expect(createFakePlatform().seed.eu.toolId).toBe('tool_eu_1');
  const baseUrls = { eu: 'https://eu.example' };
  // jest#2549: of another realm than the package's.
  const headers = new Headers({ 'x-app': 'shop' });
  expect(new AgentPlatform({ region: 'eu', token: 'a-token', baseUrls, headers }).region).toBe('eu');
  expect(createWebhookReceiver({ secret: 'a-secret' })).toBeDefined();
});
