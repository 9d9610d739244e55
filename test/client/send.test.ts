import {
  dataEnvelopeSchema,
  endpoint,
  endpoints,
  type ResponseShape,
  type StandardSchemaV1,
  ToolSchema,
  withData,
  withoutData,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf, success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const getAgent = endpoint({
  method: 'GET',
  path: '/agents/{agentId}',
  response: z.object({
    agent: z.object({ id: z.string(), born: z.string().transform((text) => new Date(text)) }),
  }),
});

test('an endpoint of one’s own: the output of its schema is returned', async () => {
  const { platform, requests } = connectTo(answerWith(200, { agent: { id: 'a1', born: '2026-01-02' } }));
  const { agent } = await platform.send(getAgent, { path: { agentId: 'a/1' } });
  expect(agent.born).toEqual(new Date('2026-01-02'));
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v3/agents/a%2F1' });
});

test.each([
  ['an array', z.array(z.string()), ['a']],
  ['a nullable value', z.nullable(z.string()), null],
  ['any value', z.unknown(), { a: 1 }],
])('the whole answer may be %s: a schema with a method `unwrap` is a schema', async (_, response, body) => {
  const list = endpoint({ method: 'GET', path: '/names', response });
  const { platform } = connectTo(answerWith(200, JSON.stringify(body)));
  expect(await platform.send(list)).toEqual(body);
});

test('a path parameter may have any name', async () => {
  const getAgent = endpoint({ method: 'GET', path: '/agents/{agent-id}', response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200, '{}'));
  await platform.send(getAgent, { path: { 'agent-id': 'a1' } });
  expect(requests[0]?.url).toBe('/v3/agents/a1');
});

test('an answer that does not fit it is an error in strict and tolerant, and drift in report', async () => {
  const { platform } = connectTo(answerWith(200, { agent: { id: 5 } }));
  for (const validation of ['strict', 'tolerant'] as const) {
    const error = await rejectionOf(platform.send(getAgent, { path: { agentId: 'a' } }, { validation }));
    expect(error).toMatchObject({
      type: 'response_validation_error',
      issues: [{ path: ['agent', 'id'] }, {}],
    });
  }
  const reported = await platform.send(getAgent, { path: { agentId: 'a' } }, { validation: 'report' });
  expect(reported).toEqual({ agent: { id: 5 } });
});

test('withData unwraps the envelope around any Standard Schema', async () => {
  const upper: StandardSchemaV1<string, string> = {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: async (value) =>
        typeof value === 'string'
          ? { value: value.toUpperCase() }
          : { issues: [{ message: 'no text', path: [{ key: 'x' }] }] },
    },
  };
  const shout = endpoint({ method: 'GET', path: '/shout', response: withData(upper) });
  const good = connectTo(answerWith(200, success('hello')));
  expect(await good.platform.send(shout)).toBe('HELLO');
  expect((await good.platform.send(shout).withResponse()).message).toBe('ok');
  const bad = connectTo(answerWith(200, success(5)));
  expect(await rejectionOf(bad.platform.send(shout))).toMatchObject({
    issues: [{ path: ['data', 'x'], message: 'no text' }],
  });
  const quiet = connectTo(answerWith(200, { success: true, data: 'hello' }), { validation: 'strict' });
  expect(await quiet.platform.send(shout)).toBe('HELLO');
  const none = connectTo(answerWith(200, success(undefined)));
  expect(await rejectionOf(none.platform.send(shout))).toMatchObject({ issues: [{ path: ['data', 'x'] }] });
});

test('withData around this package’s records has the four modes and passes the value on as sent', async () => {
  const listTools = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/tools',
    response: withData(z.array(ToolSchema)),
  });
  const tools = [{ id: 't1', name: null, later: 1 }];
  const { platform } = connectTo(answerWith(200, success(tools)));
  expect(await platform.send(listTools, { path: { agentId: 'a1' } })).toEqual(tools);
  expect(
    await rejectionOf(platform.send(listTools, { path: { agentId: 'a1' } }, { validation: 'strict' })),
  ).toMatchObject({
    issues: [{ path: ['data', 0, 'name'] }],
  });
});

test('an envelope around a schema of one’s own is one of one’s own: its output is returned', async () => {
  const born = z.string().transform((text) => new Date(text));
  const response = dataEnvelopeSchema(z.object({ born }));
  const { platform } = connectTo(answerWith(200, success({ born: '2026-01-02' })));
  const { data } = await platform.send(endpoint({ method: 'GET', path: '/newest', response }));
  expect(data.born).toEqual(new Date('2026-01-02'));
});

test('a refinement of a list of this package’s records is asked, whichever copy of Zod made it', async () => {
  const tools = z.array(ToolSchema).check(z.minLength(1));
  const listTools = endpoint({ method: 'GET', path: '/agents/{agentId}/tools', response: withData(tools) });
  const { platform } = connectTo(answerWith(200, success([])));
  const error = await rejectionOf(platform.send(listTools, { path: { agentId: 'a1' } }));
  expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ path: ['data'] }] });
});

test('withoutData returns nothing, and an empty body is a success', async () => {
  const stop = endpoint({ method: 'DELETE', path: '/campaigns/{id}', response: withoutData() });
  const { platform } = connectTo(answerWith(204));
  expect(await platform.send(stop, { path: { id: 'c1' } })).toBeUndefined();
});

test('a body and a query are checked by their schemas, and their output is sent', async () => {
  const search = endpoint({
    method: 'POST',
    path: '/leads/search',
    body: z.object({ since: z.date().transform((date) => date.toISOString()) }),
    query: z.object({ page: z.number(), tag: z.array(z.string()), none: z.optional(z.string()) }),
    response: z.unknown(),
  });
  const { platform, requests } = connectTo(answerWith(200, '[]'));
  const query = { page: 2, tag: ['a b', 'c&d'], none: undefined };
  expect(await platform.send(search, { body: { since: new Date(0) }, query })).toEqual([]);
  expect(requests[0]?.url).toBe('/v3/leads/search?page=2&tag=a+b&tag=c%26d');
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ since: '1970-01-01T00:00:00.000Z' });
  const error = await rejectionOf(platform.send(search, { body: { since: 'today' } as never, query }));
  expect(error).toMatchObject({ type: 'request_validation_error', issues: [{ path: ['since'] }] });
  expect(requests).toHaveLength(1);
});

test('a query without values leaves no trace in the address', async () => {
  const search = endpoint({ method: 'GET', path: '/leads', query: z.looseObject({}), response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200, '[]'));
  for (const query of [{}, { tag: undefined }, { tag: [] }]) await platform.send(search, { query });
  expect(requests.map(({ url }) => url)).toEqual(['/v3/leads', '/v3/leads', '/v3/leads']);
});

test("auth: 'none' sends no token, not even a hook's, and asks for none", async () => {
  const ping = endpoint({ method: 'GET', path: '/ping', response: z.unknown(), auth: 'none' });
  const { platform, requests } = connectTo(answerWith(200, '{}'), {
    token: () => {
      throw new Error('must not be asked');
    },
    hooks: { onRequest: ({ headers }) => headers.set('authorization', 'Bearer of-a-hook') },
  });
  await platform.send(ping);
  expect(requests[0]?.headers).not.toHaveProperty('authorization');
});

test('the documented operations can be sent as data', async () => {
  const { platform } = connectTo(answerWith(200, success({ id: 't1' })));
  expect(await platform.send(endpoints.getTool, { path: { toolId: 't1' } })).toEqual({ id: 't1' });
});

test.each(['PUT', 'PATCH'] as const)(
  'a %s is not repeated either, but where it was not accepted',
  async (method) => {
    const change = endpoint({ method, path: '/x', body: z.object({}), response: z.unknown() });
    const { platform, requests } = connectTo(answerWith(503), { maxRetries: 2 });
    expect(await rejectionOf(platform.send(change, { body: {} }))).toMatchObject({ outcomeUnknown: true });
    expect(requests).toHaveLength(1);
    const busy = connectTo(answerWith(429, '', { 'retry-after': '0' }), { maxRetries: 2 });
    await rejectionOf(busy.platform.send(change, { body: {} }));
    expect(busy.requests).toHaveLength(3);
  },
);

test.each([
  ['a path without a slash', { method: 'GET', path: 'tools', response: z.unknown() }],
  ['a GET with a body', { method: 'GET', path: '/tools', body: z.object({}), response: z.unknown() }],
  ['a DELETE with a body', { method: 'DELETE', path: '/tools', body: z.object({}), response: z.unknown() }],
])('%s is refused where it is declared', (_, declaration) => {
  expect(() => endpoint(declaration as never)).toThrow(TypeError);
});

const broken = (): never => {
  throw new Error('a bug of the schema');
};

const brokenSchema: StandardSchemaV1 = { '~standard': { version: 1, vendor: 'test', validate: broken } };

test.each<[string, StandardSchemaV1 | ResponseShape<unknown>]>([['a schema', brokenSchema]])(
  '%s that throws on the answer is a typed error that knows what was sent',
  async (_, response) => {
    const { platform } = connectTo(answerWith(200, {}));
    const remove = endpoint({ method: 'DELETE', path: '/campaigns/{id}', response });
    expect(await rejectionOf(platform.send(remove, { path: { id: 'c1' } }))).toMatchObject({
      type: 'response_validation_error',
      outcomeUnknown: true,
      issues: [{ path: [], code: 'unreadable', message: 'reading it threw; see `error.cause`' }],
      cause: { message: 'a bug of the schema' },
      message: expect.not.stringContaining("validation: 'report'") as string,
    });
  },
);

test('what a schema makes of an argument must have a form in JSON too', async () => {
  const body = z.string().transform((text) => new Map([[text, 1]]));
  const create = endpoint({ method: 'POST', path: '/campaigns', body, response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200, {}));
  expect(await rejectionOf(platform.send(create, { body: 'a' }))).toMatchObject({
    issues: [{ code: 'not_json' }],
  });
  expect(requests).toHaveLength(0);
});

test('a body that holds itself is refused, at its first field that does', async () => {
  const body: Record<string, unknown> = {};
  body.self = body;
  const create = endpoint({ method: 'POST', path: '/campaigns', body: z.unknown(), response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200, {}));
  expect(await rejectionOf(platform.send(create, { body }))).toMatchObject({
    issues: [{ code: 'not_json', path: ['self'] }],
  });
  expect(requests).toHaveLength(0);
});

test('a schema that throws on an argument is a typed error, and nothing is sent', async () => {
  const create = endpoint({ method: 'POST', path: '/campaigns', body: brokenSchema, response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200, {}));
  expect(await rejectionOf(platform.send(create, { body: 1 }))).toMatchObject({
    type: 'request_validation_error',
    cause: { message: 'a bug of the schema' },
  });
  expect(requests).toHaveLength(0);
});

test.each([
  ['an object', { a: 1 }, 'object'],
  ['a date', new Date(0), 'object'],
  ['null', null, 'null'],
  ['a list of lists', [['a']], 'array'],
])('%s in a query has no form in an address, and is refused', async (_, value, received) => {
  const search = endpoint({ method: 'GET', path: '/x', query: z.looseObject({}), response: z.unknown() });
  const { platform, requests } = connectTo(answerWith(200, {}));
  expect(await rejectionOf(platform.send(search, { query: { value } }))).toMatchObject({
    type: 'request_validation_error',
    issues: [
      {
        path: ['value'],
        code: 'invalid_type',
        message: `expected a plain value or a list of them, received ${received}`,
      },
    ],
  });
  expect(requests).toHaveLength(0);
});
