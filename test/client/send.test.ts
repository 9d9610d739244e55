import {
  endpoint,
  endpoints,
  type RequestValidationError,
  type StandardSchemaV1,
  ToolSchema,
  withData,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  createClient,
  fake,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  success,
} from '../support/client.js';

const { agentId, toolId } = seed;

const getCampaign = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/campaigns/{id}',
  response: z.object({ id: z.string(), born: z.string().transform((text) => new Date(text)) }),
});

test('a declared operation reaches the service, and the output of its schema is returned', async () => {
  fake.handle(getCampaign, ({ path }) => Response.json({ id: path.id, born: '2026-01-02' }));
  const campaign = await createClient().send(getCampaign, { path: { agentId, id: '../c\\?' } });
  expect(campaign).toEqual({ id: '../c\\?', born: new Date('2026-01-02') });
  expect(requests[0]).toMatchObject({ method: 'GET', path: `/v3/agents/${agentId}/campaigns/..%2Fc%5C%3F` });
});

test('the fixed part of a path is encoded', async () => {
  respond(response(200, '{}'));
  const getRoom = endpoint({ method: 'GET', path: '/räume/{id}/x y', response: z.unknown() });
  await createClient().send(getRoom, { path: { id: 'r' } });
  expect(requests[0]?.path).toBe('/v3/r%C3%A4ume/r/x%20y');
});

test('the documented operations can be sent as data', async () => {
  expect(await createClient().send(endpoints.getTool, { path: { toolId } })).toMatchObject({ id: toolId });
});

test.each([
  ['an array', z.array(z.string()), ['a']],
  ['a nullable value', z.nullable(z.string()), null],
  ['any value', z.unknown(), { a: 1 }],
])('the whole body may be %s', async (_, schema, body) => {
  const list = endpoint({ method: 'GET', path: '/names', response: schema });
  respond(response(200, JSON.stringify(body)));
  expect(await createClient().send(list)).toEqual(body);
});

test('a response that a custom schema refuses is an error in strict and tolerant alone', async () => {
  respond(response(200, { id: 5 }));
  const platform = createClient();
  const input = { path: { agentId: 'a', id: 'c' } };
  for (const validation of ['strict', 'tolerant'] as const) {
    expect(await rejectionOf(platform.send(getCampaign, input, { validation }))).toMatchObject({
      type: 'response_validation_error',
      issues: [{ path: ['id'] }, { path: ['born'] }],
    });
  }
  expect(await platform.send(getCampaign, input, { validation: 'off' })).toEqual({ id: 5 });
});

test('withData unwraps the envelope around any Standard Schema', async () => {
  const upper: StandardSchemaV1<string, string> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: async (value) =>
        typeof value === 'string'
          ? { value: value.toUpperCase() }
          : { issues: [{ message: 'no\ntext', path: [{ key: 'x' }, Symbol('s'), 1] }, { message: 'm' }] },
    },
  };
  const shout = endpoint({ method: 'GET', path: '/shout', response: withData(upper) });
  respond(response(200, success('hello')), response(200, success(5)));
  const platform = createClient();
  expect(await platform.send(shout).withResponse()).toMatchObject({ data: 'HELLO', message: 'ok' });
  expect(await rejectionOf(platform.send(shout))).toMatchObject({
    issues: [
      { path: ['data', 'x', 'Symbol(s)', 1], code: 'invalid', message: 'no\ntext' },
      { path: ['data'], message: 'm' },
    ],
    message: expect.stringContaining('\n  - data.x["Symbol(s)"][1]: no\\ntext\n') as string,
  });
});

test('a body and a query are checked by their schemas, and their output is sent', async () => {
  const search = endpoint({
    method: 'POST',
    path: '/leads/search',
    body: z.object({ since: z.date().transform((date) => date.toISOString()) }),
    query: z.object({ page: z.number(), tag: z.array(z.string()), none: z.optional(z.string()) }),
    response: z.unknown(),
  });
  respond(response(200, '[]'));
  const platform = createClient();
  const query = { page: 2, tag: ['a b', 'c&d'], none: undefined };
  expect(await platform.send(search, { body: { since: new Date(0) }, query })).toEqual([]);
  expect(requests[0]?.path).toBe('/v3/leads/search?page=2&tag=a+b&tag=c%26d');
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ since: '1970-01-01T00:00:00.000Z' });
  const error = await rejectionOf(platform.send(search, { body: { since: 'today' } as never, query }));
  expect(error).toMatchObject({ type: 'request_validation_error', issues: [{ path: ['since'] }] });
  expect(requests).toHaveLength(1);
});

test("auth: 'none' sends no token, not even a hook's, and asks for none", async () => {
  const ping = endpoint({ method: 'GET', path: '/ping', response: z.unknown(), auth: 'none' });
  respond(response(200, '{}'));
  const platform = createClient({
    token: () => {
      throw new Error('must not be asked');
    },
    hooks: { onRequest: ({ headers }) => headers.set('authorization', 'Bearer of-a-hook') },
  });
  await platform.send(ping);
  expect(requests[0]?.headers.has('authorization')).toBe(false);
});

const broken: StandardSchemaV1 = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: () => {
      throw new Error('a bug of the schema');
    },
  },
};

test('a schema that throws on the response is a typed error that knows what was sent', async () => {
  const remove = endpoint({ method: 'DELETE', path: '/campaigns/{id}', response: broken });
  respond(response(200, {}));
  expect(await rejectionOf(createClient().send(remove, { path: { id: 'c1' } }))).toMatchObject({
    type: 'response_validation_error',
    outcomeUnknown: true,
    issues: [{ path: [], code: 'unreadable' }],
    cause: { message: 'a bug of the schema' },
  });
});

test('a schema that throws on an argument is a typed error, and nothing is sent', async () => {
  const create = endpoint({ method: 'POST', path: '/campaigns', body: broken, response: z.unknown() });
  expect(await rejectionOf(createClient().send(create, { body: 1 }))).toMatchObject({
    type: 'request_validation_error',
    cause: { message: 'a bug of the schema' },
  });
  expect(requests).toHaveLength(0);
});

test.each<unknown>([
  undefined,
  'getTool',
  endpoints,
  { method: 'GET', path: '/tools', response: ToolSchema },
])('send rejects what endpoint() did not make: %#', async (given) => {
  const error = await rejectionOf(createClient().send(given as typeof endpoints.listDefaultTools));
  expect(error).toMatchObject({ type: 'configuration_error', option: 'endpoint' });
});

// `request`, for operations that are not declared.

test('request returns the whole body as it was sent', async () => {
  const body = await createClient().request('GET', `/tools/${toolId}`);
  expect(body).toMatchObject({ success: true, data: { id: toolId } });
});

test('request takes a query, a body and the options of a call, and retries', async () => {
  respond(response(429, '', { 'retry-after': '0' }), response(200, success({})));
  const query = { tag: ['a', 'b'], page: 2, none: undefined };
  const options = { query, body: { x: 1 }, headers: { 'x-app': 'shop' } };
  await createClient({ maxRetries: 1 }).request('POST', '/leads', options);
  expect(requests[1]).toMatchObject({
    method: 'POST',
    path: '/v3/leads?tag=a&tag=b&page=2',
    body: '{"x":1}',
  });
  expect(requests[1]?.headers.get('x-app')).toBe('shop');
});

test.each([
  ['/räume/a b', '/r%C3%A4ume/a%20b'],
  ['/r%C3%A4ume/a%2Fb/100%', '/r%C3%A4ume/a%2Fb/100%'],
  ['/tools//x/', '/tools//x/'],
  ['/workspaces/undefined', '/workspaces/undefined'],
  ['/agents/:id', '/agents/:id'],
  ['/tools?filter={"a":"../b"}&x', '/tools?filter={%22a%22:%22../b%22}&x&b=2'],
])('request sends the path %s as %s', async (path, sent) => {
  respond(response(200, success({})));
  await createClient().request('GET', path, path.includes('?') ? { query: { b: 2 } } : {});
  expect(requests[0]?.path).toBe(`/v3${sent}`);
});

// fingerprintjs/node-sdk#282, semantic-kernel#14086: URL parsers drop dots and turn `\` into `/`.
test.each([
  '/agents/..\\workspaces\\workspace_2',
  '/agents/../workspaces/workspace_2',
  '/agents/%2e%2e/workspaces/workspace_2',
  '/agents/.%2E/workspaces/workspace_2',
  '/agents/./a',
  '/agents/\t../a',
  '/agents/a#/b',
  '/agents/a ',
  'tools',
  '/v3?x',
  '/tools/{toolId}',
  5,
])('request sends nothing to the path %j', async (path) => {
  const error = await rejectionOf(createClient().request('DELETE', path as string));
  expect(error).toMatchObject({ type: 'request_validation_error', issues: [{ path: ['path'] }] });
  expect(requests).toEqual([]);
});

test.each<[body: string, data: unknown]>([
  ['', undefined],
  ['null', null],
  ['{"odd":true}', { odd: true }],
])('a 2xx with the body %j gives %j', async (body, data) => {
  respond(response(200, body));
  expect(await createClient().request('DELETE', '/things/1')).toEqual(data);
});

test.each<[what: string, args: readonly unknown[], message: string]>([
  ['no argument', [], 'method: expected one of GET, POST, PUT, PATCH, DELETE'],
  ['a method in small letters', ['get', '/tools'], 'method: expected one of GET'],
  ['a path with a parameter', ['GET', '/tools/{toolId}'], 'replace the braces by ids'],
  ['a GET with a body', ['GET', '/tools', { body: {} }], 'body: expected none: a GET sends no body'],
  ['a body that is JSON text', ['POST', '/x', { body: '{"a":1}' }], 'received it as JSON text'],
  ['a query that is a text', ['GET', '/tools', { query: 'a=1' }], 'query: expected object, received string'],
  ['another option', ['GET', '/tools', { params: {} }], 'GET /tools: params is not a known option. Known: '],
  ['a mode', ['GET', '/tools', { validation: 'strict' }], 'GET /tools: validation is not a known option'],
  ['no options', ['GET', '/tools', null], 'GET /tools: options must be of type object, got null'],
])('request rejects %s', async (_, args, message) => {
  const platform = createClient();
  const error = await rejectionOf(Reflect.apply(platform.request, platform, args));
  const isOption = message.startsWith('GET');
  expect(error).toMatchObject({ type: isOption ? 'configuration_error' : 'request_validation_error' });
  expect((error as RequestValidationError).message).toContain(message);
  expect(requests).toHaveLength(0);
});
