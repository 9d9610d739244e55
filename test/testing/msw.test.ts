import { endpoint, withData } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { getResponse, HttpHandler } from 'msw';
import type { SetupServer } from 'msw/node';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { operationNames, operations } from '../endpoints/operations.js';
import { globalClientOf as clientOf, intercepting } from './clients.js';

/** The handlers that were used, with msw's names. */
function used(msw: SetupServer): unknown[] {
  const handlers = msw.listHandlers().filter((handler) => handler instanceof HttpHandler);
  return handlers.filter(({ isUsed }) => isUsed).map(({ info }) => info.header);
}

test('each operation has its own handler', async () => {
  const fake = createFakePlatform();
  const msw = intercepting(fake);
  const platform = clientOf(fake, { region: 'na' });
  for (const name of operationNames) await operations[name].call(platform, fake.seed.na);
  expect(used(msw)).toHaveLength(operationNames.length);
  for (const header of used(msw)) expect(header).toMatch(/^(GET|POST|DELETE) https:\/\/na\.[^*]+$/);
  expect(fake.requests.map(({ endpoint, status }) => [endpoint, status])).toEqual(
    operationNames.map((name) => [name, 200]),
  );
});

test.each([
  ['an unknown path', '/v3/campaigns', {}],
  ['the base address itself', '/', {}],
  ['a documented path with another method', '/v3/tools/tool_1', { method: 'PUT', body: '{}' }],
  ['a documented path with a slash at its end', '/v3/tools/defaults/', {}],
  ['OPTIONS', '/v3/tools/defaults', { method: 'OPTIONS' }],
])('the response to %s is that of fake.fetch', async (_, path, init) => {
  const fake = createFakePlatform();
  intercepting(fake);
  const url = fake.baseUrls.eu + path;
  const [inProcess, throughMsw] = [await fake.fetch(url, init), await fetch(url, init)];
  const text = await throughMsw.text();
  expect([throughMsw.status, text]).toEqual([404, await inProcess.text()]);
});

test('leaves another host to other handlers', async () => {
  const request = new Request('https://elsewhere.example/v3/tools/defaults');
  expect(await getResponse(fakeHandlers(createFakePlatform()), request)).toBeUndefined();
});

test('serves endpoints of fake.handle, also those added later', async () => {
  const fake = createFakePlatform();
  intercepting(fake);
  const path = '/agents/{agent-id}/names';
  const body = z.object({ prefix: z.string() });
  const listNames = endpoint({ method: 'PATCH', path, body, response: withData(z.array(z.string())) });
  fake.handle(listNames, (call) => call.succeed([`${call.body.prefix} ${call.path['agent-id']}`]));
  const sent = { path: { 'agent-id': 'a/1' }, body: { prefix: 'agent' } };
  expect(await clientOf(fake).send(listNames, sent)).toEqual(['agent a/1']);
});

test.each([
  ['https://api.example.com/v3/', 'https://api.example.com'],
  [' https://API.example.com:443/v3', 'https://api.example.com'],
  ['https://api.example.com/base/v3//', 'https://api.example.com/base'],
  ['http://localhost:4010', 'http://localhost:4010'],
  ['http://127.0.0.1:4010/eu', 'http://127.0.0.1:4010/eu'],
  ['https://api.example.com/{a}/ü', 'https://api.example.com/%7Ba%7D/%C3%BC'],
  ['http://[::1]:4010/eu', 'http://[::1]:4010/eu'],
  ['https://api.example.com/a+b/(eu)', 'https://api.example.com/a+b/(eu)'],
  ['https://api.example.com:4010/v:1/a:b', 'https://api.example.com:4010/v:1/a:b'],
])('intercepts the base address %j', async (given, baseUrl) => {
  const fake = createFakePlatform({ baseUrls: { eu: given } });
  const msw = intercepting(fake);
  const platform = clientOf(fake, { baseUrls: { eu: given } });

  expect(fake.baseUrls.eu).toBe(baseUrl);
  expect(platform.baseUrl).toBe(`${baseUrl}/v3`);
  expect((await platform.tools.get(fake.seed.eu.toolId)).id).toBe(fake.seed.eu.toolId);
  expect(used(msw)).toEqual([expect.stringMatching(/^GET .+\/v3\/tools\/:toolId$/)]);
  expect((await fetch(`${baseUrl}/v3/nothing`)).status).toBe(404);
});

test('one base address may be the beginning of the other', async () => {
  const baseUrls = { eu: 'https://api.example.com', na: 'https://api.example.com/na' };
  const fake = createFakePlatform({ baseUrls });
  const msw = intercepting(fake);
  for (const region of ['eu', 'na'] as const) {
    const { toolId } = fake.seed[region];
    expect((await clientOf(fake, { region }).tools.get(toolId)).id).toBe(toolId);
  }
  expect(used(msw)).toHaveLength(2);
});
