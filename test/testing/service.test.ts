import { endpoint, endpoints, ToolSchema, withData, withoutData } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, expectTypeOf, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { clientOf, send } from './support/client.js';

const json = { 'content-type': 'application/json' };

describe('fetch', () => {
  test('lets timers run: a loop without an end ends by one', { timeout: 20_000 }, async () => {
    const fake = createFakePlatform();
    let isOver = false;
    setTimeout(() => (isOver = true), 1);
    let calls = 0;
    while (!isOver && calls < 16_000) {
      calls += 1;
      await send(fake, '/v3/tools/defaults');
    }
    expect(isOver).toBe(true);
  });

  test('rejects with a TypeError for an address outside of the fake', async () => {
    await expect(createFakePlatform().fetch('https://elsewhere.example/v3')).rejects.toThrow(
      'the fake responds below https://eu.agent-platform.test and https://na.agent-platform.test',
    );
  });

  test('rejects with the reason of an aborted signal, before and during the call', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'latency', ms: 60_000 });
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    const call = send(fake, '/v3/tools/defaults', { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    await expect(send(fake, '/v3/tools/defaults', { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    );
    expect(fake.requests).toMatchObject([{ status: undefined }]);
  });
});

const NEAR = 'Did you mean ';
const VARIABLES = '/v3/agents/agent_eu_1/variables';
const posted = (body: BodyInit, headers: object = {}): RequestInit => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body,
});

test.each([
  ['an unknown operation', '/v3/campaigns', {}, 404, 'There is no operation GET /v3/campaigns'],
  ['a path without /v3', '/tools/defaults', {}, 404, 'There is no operation'],
  ['another method', '/v3/tools/defaults', { method: 'PUT', body: '{}' }, 404, `${NEAR}GET /tools/defaults`],
  ['a slash at the end', '/v3/tools/defaults/', {}, 404, `${NEAR}GET /tools/defaults below /v3?`],
  ['another case', '/v3/Tools//Defaults', {}, 404, `${NEAR}GET /tools/defaults below /v3?`],
  ['another method and case', '/v3/Workspaces/W1', {}, 404, `${NEAR}DELETE /workspaces/W1 below /v3?`],
  ['an empty id', '/v3/tools/', {}, 404, 'There is no operation'],
  ['another content type', VARIABLES, { method: 'POST', body: '{}' }, 400, 'must be application/json'],
  [
    'an encoded body',
    VARIABLES,
    posted('{}', { 'content-encoding': 'gzip' }),
    400,
    'not be encoded, and this is gzip',
  ],
  ['invalid JSON', VARIABLES, posted('{'), 400, 'it must be JSON in UTF-8'],
  ['UTF-16', VARIABLES, posted(Buffer.from('{}', 'utf16le')), 400, 'it must be JSON in UTF-8'],
])('%s is refused with the error body of section 7', async (_, path, init, status, message) => {
  const response = await send(createFakePlatform(), path, init);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect([response.status, await response.json()]).toEqual([
    status,
    { message: expect.stringContaining(message), code: expect.stringMatching(/^(NOT_FOUND|BAD_REQUEST)$/) },
  ]);
});

test('an invalid body is refused with an issue for each field', async () => {
  const body = JSON.stringify({ variable: { key: 7, required: 'yes', id: 'v1' } });
  const response = await send(createFakePlatform(), VARIABLES, posted(body));
  const { issues } = (await response.json()) as { issues: { message: string }[] };
  const paths = issues.map(({ message }) => message.split(':')[0]);
  expect([response.status, paths]).toEqual([
    400,
    expect.arrayContaining(['variable.id', 'variable.key', 'variable.required']),
  ]);
});

test('a body nested 20,000 deep is refused and recorded, and the fake goes on', async () => {
  const fake = createFakePlatform();
  const value = '['.repeat(20_000) + ']'.repeat(20_000);
  const body = `{"variable":{"key":"plan","value":${value}}}`;
  const response = await send(fake, VARIABLES, posted(body));
  expect([response.status, await response.json()]).toMatchObject([500, { code: 'INTERNAL_SERVER_ERROR' }]);
  expect(JSON.stringify(fake.requests)).toContain('[nested too deeply]');
  await expect(clientOf(fake).variables.create('agent_eu_1', { key: 'plan' })).resolves.toBeDefined();
});

describe('requests', () => {
  test('records each request with its endpoint, body and response', async () => {
    const fake = createFakePlatform();
    await clientOf(fake).variables.create('agent_eu_1', { key: 'plan' });
    expect(fake.requests).toMatchObject([
      {
        id: 'request_1',
        method: 'POST',
        path: '/agents/agent_eu_1/variables',
        query: '',
        region: 'eu',
        endpoint: 'createVariable',
        body: { variable: { key: 'plan' } },
        status: 200,
        fault: undefined,
        response: { success: true, data: { key: 'plan' } },
      },
    ]);
    expect(fake.requests[0]?.duration).toBeGreaterThanOrEqual(0);
    expect(fake.requests[0]?.at).toBeCloseTo(Date.now(), -5);
  });

  test('masks credential headers and marked fields', async () => {
    const fake = createFakePlatform();
    await clientOf(fake).variables.create('agent_eu_1', { key: 'plan', value: 's3cret', isEnv: true });
    await clientOf(fake).tools.get('tool_eu_1');
    expect(fake.requests).toMatchObject([
      { headers: { authorization: '[redacted]' }, body: { variable: { value: '[redacted]' } } },
      { response: { data: { serverUrlSecret: '[redacted]' } } },
    ]);
    expect(JSON.stringify(fake.requests)).not.toContain(fake.seed.eu.workspaceSecret);
  });

  test('records whose secret was sent, and says if it is of the other region', async () => {
    const fake = createFakePlatform();
    const { eu, na } = fake.seed;
    for (const token of [eu.workspaceSecret, eu.agentSecret, na.workspaceSecret, 'unknown']) {
      const headers = { authorization: `Bearer ${token}` };
      await send(fake, '/v3/tools/defaults', { headers });
    }
    expect(fake.requests).toMatchObject([
      { secretOf: eu.workspaceId, status: 200 },
      { secretOf: eu.agentId, status: 200 },
      { secretOf: na.workspaceId, response: { message: 'The token belongs to region na, not to eu.' } },
      { secretOf: undefined, response: { message: 'The token is unknown.' } },
    ]);
  });

  test('records text that is not JSON, and no body', async () => {
    const fake = createFakePlatform();
    await send(fake, '/v3/nowhere?a=1', { method: 'POST', body: 'text' });
    await send(fake, '/v3/nowhere');
    expect(fake.requests).toMatchObject([
      { body: 'text', query: '?a=1', endpoint: undefined, status: 404 },
      { body: undefined },
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

  test('records the headers of the response', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ status: 429, headers: { 'x-node': '7', 'set-cookie': 'a=b' } });
    await send(fake, '/v3/tools/defaults');
    expect(fake.requests[0]?.responseHeaders).toMatchObject({
      'content-type': 'application/json',
      'x-node': '7',
      'set-cookie': '[redacted]',
    });
  });

  test('clearRequests empties the list, and ids start again', async () => {
    const fake = createFakePlatform();
    const { requests } = fake;
    await clientOf(fake).tools.listDefaults();
    fake.clearRequests();
    expect(requests).toEqual([]);
    await clientOf(fake).tools.listDefaults();
    expect(requests).toMatchObject([{ id: 'request_1' }]);
  });
});

describe('handle', () => {
  const createTool = endpoint({
    method: 'POST',
    path: '/agents/{agentId}/tools',
    body: z.object({ name: z.string() }),
    response: withData(ToolSchema),
  });

  test('adds a custom operation, before or after the first request', async () => {
    const fake = createFakePlatform();
    await clientOf(fake).tools.listDefaults();
    fake.handle(createTool, ({ path, body, succeed }) => succeed(fake.add.tool({ ...body, ...path })));
    const input = { path: { agentId: 'agent_eu_1' }, body: { name: 'CRM' } };
    const tool = await clientOf(fake).send(createTool, input);
    expect(tool).toMatchObject({ id: 'tool_eu_2', name: 'CRM', agentId: 'agent_eu_1' });
    await expect(
      send(fake, '/v3/agents/a/tools', { method: 'POST', headers: json, body: '{}' }),
    ).resolves.toMatchObject({ status: 400 });
  });

  test('replaces a documented operation; the last handler wins', async () => {
    const fake = createFakePlatform();
    fake.handle(endpoints.getTool, ({ succeed }) => succeed({ id: 'first' }));
    fake.handle(endpoints.getTool, ({ path, succeed }) => succeed({ id: path.toolId, name: 'second' }));
    expect(await clientOf(fake).tools.get('t')).toEqual({ id: 't', name: 'second' });
    expect(fake.requests).toMatchObject([{ endpoint: 'getTool' }]);
  });

  test.each([true, false])(
    'returns its undo, which uncovers what was replaced (by `using`: %s)',
    async (byUsing) => {
      const fake = createFakePlatform();
      const name = async () => (await clientOf(fake).tools.get(fake.seed.eu.toolId)).name;
      const own = (text: string) =>
        fake.handle(endpoints.getTool, ({ path, succeed }) => succeed({ id: path.toolId, name: text }));
      const [first, second] = [own('first'), own('second')];
      expect(await name()).toBe('second');
      fake.reset();
      expect(await name()).toBe('second');
      const undo = byUsing ? second[Symbol.dispose] : second;
      undo();
      undo();
      expect(await name()).toBe('first');
      first();
      expect(await name()).toBe('find_invoice');
    },
  );

  test('gets query and body as their schemas return them', async () => {
    const fake = createFakePlatform();
    const query = z.object({ limit: z.coerce.number() });
    const body = z.object({ size: z.number().default(3) });
    const search = endpoint({ method: 'POST', path: '/search', query, body, response: z.unknown() });
    fake.handle(search, (call) => [call.query, call.body]);
    const response = await send(fake, '/v3/search?limit=7', posted('{}'));
    expect(await response.json()).toEqual([{ limit: 7 }, { size: 3 }]);
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

  test.each([
    ['threw: Error: broken', () => Promise.reject(new Error('broken'))],
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
    const [byId, latest] = ['/reports/{id}', '/reports/latest'].map((path) =>
      endpoint({ method: 'GET', path, response: z.string() }),
    );
    if (byId === undefined || latest === undefined) throw new Error('two endpoints');
    fake.handle(latest, () => 'latest');
    fake.handle(byId, ({ path }) => JSON.stringify(path));
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
      expectTypeOf(call.query.limit).toEqualTypeOf<number | undefined>();
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
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      {
        message: 'The query does not match the operation.',
        issues: [{ message: expect.stringMatching(/^limit:/) }],
      },
    ]);
  });

  test('gives the records of the region, to read and to change', async () => {
    const fake = createFakePlatform();
    fake.handle(endpoints.getTool, ({ state, path, query, region, succeed }) => {
      state.tools.set(path.toolId, { id: path.toolId, name: `${region} ${query.v}` });
      return succeed({ id: path.toolId });
    });
    await send(fake, '/v3/tools/made?v=2');
    expect(fake.state.eu.tools.get('made')).toEqual({ id: 'made', name: 'eu 2' });
  });
});
