import {
  endpoint,
  endpoints,
  PermissionDeniedError,
  ServerError,
  ToolSchema,
  withData,
  withoutData,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { clientOf, httpClientOf, listening, send } from './support/client.js';

const listTools = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/tools',
  query: z.object({ limit: z.optional(z.number()) }),
  response: withData(z.array(ToolSchema)),
});
const createTool = endpoint({
  method: 'POST',
  path: '/agents/{agentId}/tools',
  body: z.object({ name: z.string() }),
  response: withData(ToolSchema),
});
const deleteTool = endpoint({ method: 'DELETE', path: '/tools/{toolId}', response: withoutData() });
const health = endpoint({
  method: 'GET',
  path: '/health',
  response: z.object({ up: z.boolean() }),
  auth: 'none',
});

test('adds an operation of your own, on the state of the fake', async () => {
  const fake = createFakePlatform();
  fake.handle(listTools, ({ path, query, state, succeed }) => {
    const tools = [...state.tools.values()].filter((tool) => tool.agentId === path.agentId);
    return succeed(tools.slice(0, Number(query.get('limit') ?? tools.length)));
  });
  fake.handle(createTool, ({ path, body, state, ids, region, succeed }) => {
    const id = ids.next('tool', region, (taken) => state.tools.has(taken));
    const tool = { id, agentId: path.agentId, name: body.name };
    state.tools.set(id, tool);
    return succeed(tool);
  });
  const { agentId, toolId } = fake.seed.eu;
  const platform = httpClientOf(fake, await listening(fake));

  const created = await platform.send(createTool, { path: { agentId }, body: { name: 'crm' } });

  const listed = await platform.send(listTools, { path: { agentId }, query: {} });
  expect(listed.map((tool) => tool.id)).toEqual([toolId, created.id]);
  expect(await platform.send(listTools, { path: { agentId }, query: { limit: 1 } })).toHaveLength(1);
  expect(await platform.tools.get(created.id)).toEqual({ id: created.id, agentId, name: 'crm' });
  expect(fake.requests[0]).toMatchObject({ endpoint: 'POST /agents/{agentId}/tools', status: 200 });
});

test('succeeds without data where the endpoint has none', async () => {
  const fake = createFakePlatform();
  fake.handle(deleteTool, ({ path, state, succeed }) => {
    state.tools.delete(path.toolId);
    return succeed();
  });
  const { toolId } = fake.seed.eu;

  await expect(clientOf(fake).send(deleteTool, { path: { toolId } })).resolves.toBeUndefined();
  expect(fake.state.eu.tools.has(toolId)).toBe(false);
});

test('holds requests against the schema before the handler sees them', async () => {
  const fake = createFakePlatform();
  fake.handle(createTool, () => {
    throw new Error('must not be called');
  });
  const response = await send(fake, '/v3/agents/agent_eu_1/tools', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"name":1}',
  });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    issues: [{ message: expect.stringMatching(/^name: /) as string }],
  });
});

test('asks for a token unless the endpoint has none', async () => {
  const fake = createFakePlatform();
  fake.handle(health, ({ caller }) => ({ up: caller === undefined }));
  fake.handle(listTools, ({ caller, succeed }) => succeed([{ id: caller?.kind ?? '' }]));
  const stranger = clientOf(fake, { token: 'unknown-to-all' });

  expect(await stranger.send(health)).toEqual({ up: true });
  const listing = stranger.send(listTools, { path: { agentId: 'a' }, query: {} });
  await expect(listing).rejects.toMatchObject({ status: 401 });
  const listed = await clientOf(fake).send(listTools, { path: { agentId: 'a' }, query: {} });
  expect(listed).toEqual([{ id: 'workspace' }]);
});

test('succeeds with the chosen message', async () => {
  const fake = createFakePlatform({ choices: { successMessage: 'Done' } });
  fake.handle(listTools, ({ succeed }) => succeed([]));
  const listing = clientOf(fake).send(listTools, { path: { agentId: 'a' }, query: {} });

  expect(await listing.withResponse()).toMatchObject({ data: [], message: 'Done' });
});

test.each([0, '', false, null])('succeeds with %j as data', async (data) => {
  const fake = createFakePlatform();
  const path = '/flags/{name}';
  fake.handle(endpoint({ method: 'GET', path, response: withData(z.unknown()) }), ({ succeed }) =>
    succeed(data),
  );

  expect(await (await send(fake, '/v3/flags/beta')).json()).toEqual({ success: true, message: 'OK', data });
});

test('refuses with the chosen status and code', async () => {
  const fake = createFakePlatform();
  fake.handle(deleteTool, ({ refuse }) => refuse('notPermitted', 'Tools stay.'));

  const deleting = clientOf(fake).send(deleteTool, { path: { toolId: 't' } });

  await expect(deleting).rejects.toThrow(PermissionDeniedError);
  await expect(deleting).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringContaining('Tools stay.') as string,
  });
});

test('a handler that throws is answered with 500 and its message', async () => {
  const fake = createFakePlatform();
  fake.handle(deleteTool, () => Promise.reject(new Error('out of tools')));

  const deleting = clientOf(fake).send(deleteTool, { path: { toolId: 't' } });

  await expect(deleting).rejects.toThrow(ServerError);
  await expect(deleting).rejects.toThrow('The handler of DELETE /tools/{toolId} threw: Error: out of tools');
});

test.each([
  ['at once', () => undefined],
  ['later', async () => undefined],
])('a handler that returns nothing, %s, where an answer is expected, is told', async (_, handler) => {
  const fake = createFakePlatform();
  fake.handle(health, handler);
  const response = await send(fake, '/v3/health');

  const message = 'The handler of GET /health returned nothing';
  expect([response.status, await response.json()]).toEqual([500, { message, code: 'internal_error' }]);
});

test('a handler may return nothing where an empty answer is a success', async () => {
  const fake = createFakePlatform();
  fake.handle(deleteTool, () => undefined);
  expect(await clientOf(fake).send(deleteTool, { path: { toolId: 't' } })).toBeUndefined();
});

test('a handler that throws a text is answered with 500 and that', async () => {
  const fake = createFakePlatform();
  // Anything can be thrown.
  const thrown: unknown = 'out of tools';
  fake.handle(health, () => {
    throw thrown;
  });
  const response = await send(fake, '/v3/health');

  const message = 'The handler of GET /health threw: out of tools';
  expect([response.status, await response.json()]).toEqual([500, { message, code: 'internal_error' }]);
});

test('a handler may answer with a whole Response', async () => {
  const fake = createFakePlatform();
  fake.handle(health, () => Response.json({ up: false }, { headers: { 'x-node': '7' } }));

  const { data, response } = await clientOf(fake).send(health).withResponse();

  expect([data, response.headers.get('x-node')]).toEqual([{ up: false }, '7']);
});

test('takes the place of a documented operation, and of an earlier handler', async () => {
  const fake = createFakePlatform();
  fake.handle(endpoints.getTool, ({ succeed }) => succeed({ id: 'first' }));
  fake.handle(endpoints.getTool, ({ path, succeed }) => succeed({ id: `mine:${path.toolId}` }));

  expect((await clientOf(fake).tools.get('x')).id).toBe('mine:x');
  expect((await clientOf(fake).tools.listDefaults()).length).toBe(7);
  expect(fake.requests[0]).toMatchObject({ endpoint: 'getTool' });
});

test('of two that fit a request alike, the one that was handled last answers', async () => {
  const fake = createFakePlatform();
  const response = z.string();
  const paths = ['/lists/{id}/first', '/lists/all/{name}'] as const;
  for (const path of paths) fake.handle(endpoint({ method: 'GET', path, response }), () => path);

  expect(await (await send(fake, '/v3/lists/all/first')).json()).toBe('/lists/all/{name}');
});

test.each([
  ['/agents/{agentId}.json', '/agents/a%2F1.json', { agentId: 'a/1' }],
  ['/days/{from}-{to}', '/days/1-2', { from: '1', to: '2' }],
  ['/a.b/v{version number}', '/a.b/v7', { 'version number': '7' }],
  ['/a.b/{c}', '/a-b/7', undefined],
  ['/a+(b)*$|[d]/{c}', '/a+(b)*$|[d]/7', { c: '7' }],
  ['/agents/{agentId}.json', '/agents/1/2.json', undefined],
  ['/agents/{agentId}.json', '/agents/.json', undefined],
  ['/agents/{agentId}.json', '/agents/%zz.json', undefined],
])('of %s the values in %s are %j', async (path, asked, values) => {
  const fake = createFakePlatform();
  fake.handle(endpoint({ method: 'GET', path, response: z.unknown() }), (call) => call.path);
  const response = await send(fake, `/v3${asked}`);

  expect(response.status).toBe(values === undefined ? 404 : 200);
  if (values !== undefined) expect(await response.json()).toEqual(values);
});

test('of several that fit a request, the one with the most fixed text in its segments answers', async () => {
  const fake = createFakePlatform();
  const paths = ['/lists/mine.json', '/lists/{id}.json', '/lists/{id}-{part}', '/lists/{all}'];
  for (const path of paths) fake.handle(endpoint({ method: 'GET', path, response: z.string() }), () => path);
  const answers = ['/lists/mine.json', '/lists/a.json', '/lists/a-b', '/lists/a'].map(async (asked) =>
    (await send(fake, `/v3${asked}`)).json(),
  );

  expect(await Promise.all(answers)).toEqual(paths);
});

test('an operation is the same, however its path parameters are called', async () => {
  const fake = createFakePlatform();
  const path = '/tools/{id}';
  const ownTool = endpoint({ method: 'GET', path, response: withData(ToolSchema) });
  fake.handle(ownTool, (call) => call.succeed({ id: `mine:${call.path.id}` }));
  fake.faults.inject({ endpoint: endpoints.getTool, status: 503 });

  await expect(clientOf(fake).tools.get('x')).rejects.toThrow(ServerError);
  expect((await clientOf(fake).tools.get('x')).id).toBe('mine:x');
  expect(fake.requests).toMatchObject([{ endpoint: 'getTool' }, { endpoint: 'getTool' }]);
  fake.handle(endpoints.getTool, ({ succeed }) => succeed({ id: 'last' }));
  expect((await clientOf(fake).tools.get('x')).id).toBe('last');
});

test('a fault strikes the last handler of an operation, by the name of that one', async () => {
  const fake = createFakePlatform();
  const response = z.string();
  fake.handle(endpoint({ method: 'GET', path: '/flags/{id}', response }), () => 'first');
  fake.handle(endpoint({ method: 'GET', path: '/flags/{name}', response }), () => 'last');

  expect(() => fake.faults.inject({ endpoint: 'GET /flags/{id}', status: 503 })).toThrow('no endpoint');
  fake.faults.inject({ endpoint: 'GET /flags/{name}', status: 503 });
  expect((await send(fake, '/v3/flags/x')).status).toBe(503);
  expect(await (await send(fake, '/v3/flags/x')).json()).toBe('last');
});

test('faults strike it by endpoint', async () => {
  const fake = createFakePlatform();
  fake.handle(health, () => ({ up: true }));
  fake.faults.inject({ endpoint: health, status: 503 });

  await expect(clientOf(fake).send(health)).rejects.toThrow(ServerError);
  await expect(clientOf(fake).send(health)).resolves.toEqual({ up: true });
});

test('stays after reset', async () => {
  const fake = createFakePlatform();
  fake.handle(health, () => ({ up: true }));
  fake.reset();

  await expect(clientOf(fake).send(health)).resolves.toEqual({ up: true });
});
