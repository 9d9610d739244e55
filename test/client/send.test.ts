import { endpoint, endpoints, type StandardSchemaV1, ToolSchema, withData } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import {
  addFaults,
  createClient,
  fake,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  success,
} from '../support/client.js';

const { agentId } = seed;

const getCampaign = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/campaigns/{id}',
  response: z.object({ id: z.string(), born: z.string().transform((text) => new Date(text)) }),
});

test('a declared operation reaches the service, and the output of its schema is returned', async () => {
  fake.handle(getCampaign, ({ path }) => Response.json({ id: path.id, born: '2026-01-02' }));
  const campaign = await createClient().send(getCampaign, { path: { agentId, id: 'c/1' } });
  expect(campaign).toEqual({ id: 'c/1', born: new Date('2026-01-02') });
  expect(requests[0]).toMatchObject({ method: 'GET', path: `/v3/agents/${agentId}/campaigns/c%2F1` });
});

test('the documented operations can be sent as data', async () => {
  const { toolId } = seed;
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

test('withData around records of this package has the four modes, and returns the value as it was sent', async () => {
  const listTools = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/tools',
    response: withData(z.array(ToolSchema)),
  });
  const tools = [{ id: 't1', name: null, later: 1 }];
  respond(response(200, success(tools)));
  const platform = createClient();
  const input = { path: { agentId } };
  expect(await platform.send(listTools, input)).toEqual(tools);
  expect(await rejectionOf(platform.send(listTools, input, { validation: 'strict' }))).toMatchObject({
    issues: [{ path: ['data', 0, 'name'] }],
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

test.each(['PUT', 'PATCH'] as const)('a %s is repeated only if it was not accepted', async (method) => {
  const change = endpoint({ method, path: '/x', body: z.object({}), response: z.unknown() });
  const platform = createClient({ maxRetries: 2 });
  addFaults({ status: 503 });
  expect(await rejectionOf(platform.send(change, { body: {} }))).toMatchObject({ outcomeUnknown: true });
  expect(requests).toHaveLength(1);
  addFaults({ status: 429, retryAfter: 0, times: 3 });
  await rejectionOf(platform.send(change, { body: {} }));
  expect(requests).toHaveLength(4);
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
  expect((error as Error).message).toContain(
    'send: endpoint must come from `endpoints` or from `endpoint()`, got ',
  );
});
