import { endpoint, endpoints, ToolSchema, withData, withoutData } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { clientOf, send } from './clients.js';

const [CATALOGUE, VARIABLES] = ['/v3/tools/defaults', '/v3/agents/agent_eu_1/variables'];
const posted = (body: BodyInit, headers: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body,
});

describe('fetch', () => {
  test('lets timers run: a loop without an end ends by one', { timeout: 20_000 }, async () => {
    const fake = createFakePlatform();
    let isOver = false;
    setTimeout(() => (isOver = true), 1);
    let calls = 0;
    while (!isOver && calls < 16_000) {
      calls += 1;
      await send(fake, CATALOGUE);
    }
    expect(isOver).toBe(true);
  });

  test('rejects with a TypeError for an address outside of the fake', async () => {
    await expect(createFakePlatform().fetch('https://elsewhere.example/v3')).rejects.toThrow(
      'the fake responds below https://eu.agent-platform.test and https://na.agent-platform.test',
    );
  });

  test('rejects with the reason of an aborted signal; a call that is aborted while it waits does nothing', async () => {
    const fake = createFakePlatform();
    const { secondWorkspaceId, secondWorkspaceSecret } = fake.seed.eu;
    fake.faults.inject({ kind: 'latency', ms: 60_000 });
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const { signal } = controller;
    const headers = { authorization: `Bearer ${secondWorkspaceSecret}` };
    const call = send(fake, `/v3/workspaces/${secondWorkspaceId}`, { method: 'DELETE', headers, signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(send(fake, CATALOGUE, { signal })).rejects.toBe(reason);
    await vi.waitFor(() => expect(fake.requests).toMatchObject([{ duration: expect.any(Number) as number }]));
    expect(fake.requests).toMatchObject([{ status: undefined, fault: 'latency' }]);
    expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(true);
  });
});

const NEAR = 'Did you mean ';
test.each([
  ['an unknown operation', '/v3/campaigns', {}, 404, 'There is no operation GET /v3/campaigns'],
  ['a path without /v3', '/tools/defaults', {}, 404, 'There is no operation'],
  ['another method', CATALOGUE, { method: 'PUT', body: '{}' }, 404, `${NEAR}GET /tools/defaults`],
  ['another case and slashes', '/v3/Tools//Defaults/', {}, 404, `${NEAR}GET /tools/defaults below /v3?`],
  ['another method and case', '/v3/Workspaces/W1', {}, 404, `${NEAR}DELETE /workspaces/W1 below /v3?`],
  ['an empty id', '/v3/tools/', {}, 404, 'There is no operation'],
  ['another content type', VARIABLES, { method: 'POST', body: '{}' }, 400, 'must be application/json'],
  ['an encoded body', VARIABLES, posted('{}', { 'content-encoding': 'gzip' }), 400, 'and this is gzip'],
  ['invalid JSON', VARIABLES, posted('{'), 400, 'it must be JSON in UTF-8'],
  ['UTF-16', VARIABLES, posted(Buffer.from('{}', 'utf16le')), 400, 'it must be JSON in UTF-8'],
])('%s is refused with the error body of section 7', async (_, path, init, status, message) => {
  const response = await send(createFakePlatform(), path, init);
  expect(response.headers.get('content-type')).toBe('application/json');
  const code = status === 404 ? 'NOT_FOUND' : 'BAD_REQUEST';
  expect([response.status, await response.json()]).toEqual([
    status,
    { message: expect.stringContaining(message), code },
  ]);
});

test('an invalid body is refused with an issue for each field', async () => {
  const body = JSON.stringify({ variable: { key: 7, required: 'yes', id: 'v1' } });
  const response = await send(createFakePlatform(), VARIABLES, posted(body));
  const { issues } = (await response.json()) as { issues: { message: string }[] };
  const paths = issues.map(({ message }) => message.split(':')[0]);
  const named = ['variable.id', 'variable.key', 'variable.required'];
  expect([response.status, paths]).toEqual([400, expect.arrayContaining(named)]);
});

test('a body nested 20,000 deep is refused and recorded, and the fake goes on', async () => {
  const fake = createFakePlatform();
  const value = '['.repeat(20_000) + ']'.repeat(20_000);
  const response = await send(fake, VARIABLES, posted(`{"variable":{"key":"plan","value":${value}}}`));
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'INTERNAL_SERVER_ERROR' }]);
  expect(JSON.stringify(fake.requests)).toContain('[nested too deeply]');
  await expect(clientOf(fake).variables.create('agent_eu_1', { key: 'plan' })).resolves.toBeDefined();
});

describe('requests', () => {
  test('records each request and its response, credentials and marked fields masked, until they are cleared', async () => {
    const fake = createFakePlatform();
    const { requests } = fake;
    await clientOf(fake).variables.create('agent_eu_1', { key: 'plan', value: 's3cret', isEnv: true });
    expect(requests).toMatchObject([
      {
        id: 'request_1',
        method: 'POST',
        path: '/agents/agent_eu_1/variables',
        query: '',
        region: 'eu',
        endpoint: 'createVariable',
        headers: { authorization: '[redacted]' },
        body: { variable: { key: 'plan', value: '[redacted]' } },
        status: 200,
        fault: undefined,
        response: { success: true, data: { key: 'plan', value: '[redacted]' } },
      },
    ]);
    expect(requests[0]?.duration).toBeGreaterThanOrEqual(0);
    expect(requests[0]?.at).toBeCloseTo(Date.now(), -5);
    fake.clearRequests();
    expect(requests).toEqual([]);
    await send(fake, '/v3/nowhere?a=1', { method: 'POST', body: 'text' });
    fake.faults.inject({ status: 429, headers: { 'x-node': '7', 'set-cookie': 'a=b' } });
    await send(fake, '/v3/nowhere');
    const responseHeaders = { 'content-type': 'application/json', 'x-node': '7', 'set-cookie': '[redacted]' };
    expect(requests).toMatchObject([
      { id: 'request_1', body: 'text', query: '?a=1', endpoint: undefined, status: 404 },
      { id: 'request_2', body: undefined, responseHeaders },
    ]);
  });

  test('records whose secret was sent, also of the other region', async () => {
    const fake = createFakePlatform();
    const { eu, na } = fake.seed;
    for (const token of [eu.workspaceSecret, eu.agentSecret, na.workspaceSecret, 'unknown']) {
      await send(fake, CATALOGUE, { headers: { authorization: `Bearer ${token}` } });
    }
    expect(fake.requests).toMatchObject([
      { secretOf: eu.workspaceId, status: 200 },
      { secretOf: eu.agentId, status: 200 },
      { secretOf: na.workspaceId, status: 401 },
      { secretOf: undefined, status: 401 },
    ]);
  });

  test('what a listener throws does not fail the request', async () => {
    const thrown: unknown[] = [];
    const onError = (error: unknown) => void thrown.push(error);
    process.prependOnceListener('uncaughtException', onError);
    const others = process.listeners('uncaughtException').filter((each) => each !== onError);
    for (const other of others) process.off('uncaughtException', other);
    onTestFinished(() => others.forEach((other) => void process.on('uncaughtException', other)));
    const fake = createFakePlatform();
    fake.onChange((change) => {
      if (change.type === 'request' && change.request.status === 200) throw new Error('of the test');
    });
    await clientOf(fake).tools.listDefaults();
    await vi.waitFor(() => expect(thrown).toMatchObject([{ message: 'of the test' }]));
  });
});

describe('handle', () => {
  test('adds an operation on the records of the region, before or after the first request', async () => {
    const fake = createFakePlatform();
    await clientOf(fake).tools.listDefaults();
    const createTool = endpoint({
      method: 'POST',
      path: '/agents/{agentId}/tools',
      query: z.object({ v: z.coerce.number() }),
      body: z.object({ name: z.string(), channels: z.array(z.string()).default(['web-chat']) }),
      response: withData(ToolSchema),
    });
    fake.handle(createTool, ({ path, query, body, region, state, succeed }) => {
      const tool = { id: `${region}_${JSON.stringify(query.v)}`, ...body, ...path };
      state.tools.set(tool.id, tool);
      return succeed(tool);
    });
    const response = await send(fake, '/v3/agents/agent_eu_1/tools?v=6', posted('{"name":"CRM"}'));
    const tool = { id: 'eu_6', name: 'CRM', channels: ['web-chat'], agentId: 'agent_eu_1' };
    expect(await response.json()).toMatchObject({ success: true, data: tool });
    expect(fake.state.eu.tools.get('eu_6')).toEqual(tool);
  });

  test('replaces an operation, and returns its undo, which uncovers what was replaced', async () => {
    const fake = createFakePlatform();
    const name = async () => (await clientOf(fake).tools.get(fake.seed.eu.toolId)).name;
    const own = (text: string) =>
      fake.handle(endpoints.getTool, ({ path, succeed }) => succeed({ id: path.toolId, name: text }));
    const [first, second] = [own('first'), own('second')];
    expect(await name()).toBe('second');
    expect(fake.requests).toMatchObject([{ endpoint: 'getTool' }]);
    fake.reset();
    expect(await name()).toBe('second');
    // What `using` calls. The second time, it does nothing.
    second[Symbol.dispose]();
    second();
    expect(await name()).toBe('first');
    first();
    expect(await name()).toBe('find_invoice');
  });

  test('responds with what the handler returns: an envelope, a refusal, a Response', async () => {
    const fake = createFakePlatform();
    const remove = endpoint({ method: 'DELETE', path: '/tools/{toolId}', response: withoutData() });
    fake.handle(remove, ({ path, succeed, refuse }) => {
      if (path.toolId === 'used') refuse('notPermitted', 'In use.');
      return path.toolId === 'raw' ? new Response('busy', { status: 503 }) : succeed();
    });
    const platform = clientOf(fake);
    expect(await platform.send(remove, { path: { toolId: 'a' } })).toBeUndefined();
    await expect(platform.send(remove, { path: { toolId: 'used' } })).rejects.toMatchObject({ status: 403 });
    await expect(platform.send(remove, { path: { toolId: 'raw' } })).rejects.toMatchObject({ status: 503 });
  });

  test('returns one Response for several calls', async () => {
    const fake = createFakePlatform();
    const busy = Response.json({ isGood: false });
    fake.handle(endpoints.getTool, () => busy);
    for (const path of ['/v3/tools/a', '/v3/tools/b']) {
      expect(await (await send(fake, path)).json()).toEqual({ isGood: false });
    }
  });

  test.each([
    ['threw: Error: broken', () => Promise.reject(new Error('broken'))],
    ['threw: something that cannot be described', () => Promise.reject(Object.create(null))],
    ['returned nothing: return a body or a Response.', () => undefined],
  ])('responds with 500 if the handler %s', async (problem, handler) => {
    const fake = createFakePlatform();
    fake.handle(endpoints.getTool, handler);
    const response = await send(fake, '/v3/tools/t');
    const error = { message: `The handler of getTool ${problem}`, code: 'INTERNAL_SERVER_ERROR' };
    expect([response.status, await response.json()]).toEqual([500, error]);
  });

  test('static segments win over parameters', async () => {
    const fake = createFakePlatform();
    const at = (path: string) => endpoint({ method: 'GET', path, response: z.string() });
    fake.handle(at('/reports/latest'), () => 'latest');
    fake.handle(at('/reports/{id}'), ({ path }) => JSON.stringify(path));
    expect(await (await send(fake, '/v3/reports/latest')).json()).toBe('latest');
    expect(await (await send(fake, '/v3/reports/7')).json()).toBe('{"id":"7"}');
  });

  test('gets the query as an object that fits its schema', async () => {
    const fake = createFakePlatform();
    const query = z.object({
      limit: z.number().optional(),
      cursor: z.string().optional(),
      isOpen: z.boolean().optional(),
      tags: z.array(z.string()).optional(),
      sizes: z.array(z.number()).optional(),
    });
    const list = endpoint({ method: 'GET', path: '/convos', query, response: z.unknown() });
    const seen: unknown[] = [];
    fake.handle(list, (call) => {
      seen.push(call.query);
      return {};
    });
    const sent = [
      { limit: 20, cursor: '7', isOpen: true, tags: ['1'], sizes: [2] },
      { tags: ['a', 'b'], sizes: [1, 2] },
      {},
    ];
    for (const each of sent) await clientOf(fake).send(list, { query: each });
    expect(seen).toEqual(sent);
    const refused = await send(fake, '/v3/convos?limit=many');
    const issues = [{ message: expect.stringMatching(/^limit:/) as string }];
    expect([refused.status, await refused.json()]).toMatchObject([400, { issues }]);
  });
});
