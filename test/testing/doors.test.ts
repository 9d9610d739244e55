import { connect } from 'node:net';
import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, httpClientOf, listening } from './support/client.js';

test('one state behind three doors', async () => {
  const fake = createFakePlatform();
  const server = await listening(fake);
  const msw = setupServer(...fakeHandlers(fake));
  msw.listen({ onUnhandledRequest: 'bypass' });
  onTestFinished(() => msw.close());
  const { agentId } = fake.seed.eu;

  await clientOf(fake).variables.create(agentId, { key: 'in_process' });
  await httpClientOf(fake, server).variables.create(agentId, { key: 'http' });
  await clientOf(fake, { fetch: (url, init) => globalThis.fetch(url, init) }).variables.create(agentId, {
    key: 'msw',
  });

  const keys = [...fake.state.eu.variables.values()].map((variable) => variable.key);
  expect(keys).toEqual(['customer_name', 'in_process', 'http', 'msw']);
  expect(fake.requests).toHaveLength(3);
});

test('msw intercepts the addresses that the fake was made with', async () => {
  const baseUrls = { eu: 'https://api.eu.example/base/v3/', na: 'https://api.na.example' };
  const fake = createFakePlatform({ baseUrls });
  const msw = setupServer(...fakeHandlers(fake));
  msw.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => msw.close());

  for (const region of ['eu', 'na'] as const) {
    const token = fake.seed[region].workspaceSecret;
    const platform = new AgentPlatform({ region, token, baseUrls, maxRetries: 0 });
    expect((await platform.tools.get(fake.seed[region].toolId)).id).toBe(`tool_${region}_1`);
  }
});

test('serves both regions over HTTP', async () => {
  const fake = createFakePlatform();
  const server = await listening(fake);

  for (const region of ['eu', 'na'] as const) {
    const { toolId } = fake.seed[region];
    expect((await httpClientOf(fake, server, { region }).tools.get(toolId)).id).toBe(toolId);
  }
});

test('listens on the port it is told', async () => {
  const first = await createFakePlatform().listen();
  await first.close();
  await using second = await createFakePlatform().listen({ port: first.port });

  expect(second.url).toBe(`http://127.0.0.1:${first.port}`);
});

test('says so when the port is taken', async () => {
  const { port } = await listening(createFakePlatform());

  await expect(createFakePlatform().listen({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

test('close ends idle connections', async () => {
  const server = await createFakePlatform().listen();
  const socket = connect(server.port, '127.0.0.1');
  const ended = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));

  await server.close();

  await ended;
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});

test('a path of no region is answered with the error body', async () => {
  const { url } = await listening(createFakePlatform());

  const response = await fetch(`${url}/v3/tools/defaults`);

  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    message: 'The fake serves its regions below /eu/v3 and /na/v3.',
    code: 'unknown_route',
  });
});

test('fetch takes a URL, a Request, and a signal', async () => {
  const fake = createFakePlatform();
  const url = `${fake.baseUrls.eu}/v3/tools/defaults`;
  const headers = { authorization: `Bearer ${fake.seed.eu.agentSecret}` };

  expect((await fake.fetch(new URL(url), { headers })).status).toBe(200);
  expect((await fake.fetch(new Request(url, { headers }))).status).toBe(200);
  const reason = new Error('changed my mind');
  await expect(fake.fetch(url, { headers, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(fake.requests).toHaveLength(2);
});

test('fetch reaches no other host', async () => {
  const fetching = createFakePlatform().fetch('https://elsewhere.example/v3/tools/defaults');

  await expect(fetching).rejects.toThrow(/^fetch failed: the fake answers below https:\/\/eu\./);
});
