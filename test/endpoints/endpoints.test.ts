import {
  ClientStatusSchema,
  type Conversation,
  ConversationSchema,
  type Endpoint,
  endpoint,
  endpoints,
  ToolSchema,
  type ValidationMode,
  withData,
  withFields,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createClient, rejectionOf, requests, respond, response, seed, success } from '../support/client.js';
import { operationNames, operations } from './operations.js';

// `test/validation/table.test.ts` has the envelopes of the documented operations in each mode.

test.each(operationNames)('%s has the method, path, body and bearer token of the document', (name) => {
  const { method, path, body, auth }: Endpoint = endpoints[name];
  expect({ call: `${method} ${path}`, auth }).toEqual({ call: operations[name].route, auth: 'bearer' });
  expect(body).toBe(operations[name].schemaOfBody);
});

test.each(operationNames)('%s gives the caller its part of the response, as it was sent', async (name) => {
  const { response: body, result } = operations[name];
  respond(response(200, JSON.stringify(body)));
  const given = await operations[name].call(createClient({ validation: 'strict' }), seed);
  expect(JSON.stringify(given)).toBe(JSON.stringify(result));
});

// fingerprintjs/node-sdk#282, semantic-kernel#14086
test.each([
  ['agents', 'a path like "/tools/{toolId}"'],
  ['/v3/agents', 'a path like'],
  ['/v3', 'a path like'],
  ['/agents/:agentId', 'a path like'],
  ['/agents/{agentId', 'a path like'],
  ['', 'a path like'],
  ['/a?b=1', 'a path like'],
  ['/a#b', 'a path like'],
  ['/x/../tools/defaults', 'a path that URL parsing does not change; it would become /tools/defaults'],
  ['/x/.', 'would become /x/'],
  ['/x/%2e%2E/y', 'would become /y'],
  ['/x/.%2e/y', 'would become /y'],
  ['/x\\y', 'would become /x/y'],
  ['/x\ty', 'would become /xy'],
  ['/x/\ud83d', 'would become /x/%EF%BF%BD'],
])('an endpoint cannot have the path %j: expected %s', (path, expected) => {
  const declare = () => endpoint({ method: 'GET', path, response: ToolSchema });
  expect(declare).toThrow(`endpoint: GET ${path}\n  - path: expected a path`);
  expect(declare).toThrow(expected);
});

const long = '/agents/{agentId}/convos/{convoId}';
test.each(['/', '/v3s', long, '/a/b:c', '/files/{file name}.json', '/a/.b/...', '/räume/a b'])(
  'an endpoint can have the path "%s"',
  (path) => {
    expect(endpoint({ method: 'GET', path, response: ToolSchema }).path).toBe(path);
  },
);

test.each<[issue: string, declaration: object]>([
  ['method: expected one of GET', { method: 'get', path: '/agents', response: ToolSchema }],
  ['path: expected a path like', { method: 'GET', response: ToolSchema }],
  ['body: expected none', { method: 'GET', path: '/agents', body: ToolSchema, response: ToolSchema }],
  ['body: expected a Standard Schema', { method: 'POST', path: '/agents', body: {}, response: ToolSchema }],
  ['query: expected a Standard Schema', { method: 'GET', path: '/agents', query: {}, response: ToolSchema }],
  ['response: expected withData(schema)', { method: 'GET', path: '/agents' }],
  ['response: expected withData(schema)', { method: 'GET', path: '/agents', response: withData }],
])('an endpoint is refused with "%s …"', (issue, declaration) => {
  expect(() => endpoint(declaration as never)).toThrow(issue);
});

test.each([undefined, null, { id: 'string' }])('%j is no schema of data or of a field', (schema) => {
  expect(() => withData(schema as never)).toThrow(/^withData: takes a Standard Schema/);
  expect(() => withFields({ id: schema } as never)).toThrow(
    /^withFields: takes an object of Standard Schemas/,
  );
  expect(() => withFields(schema as never)).toThrow(TypeError);
});

test('a schema may be a function, as those of ArkType are', () => {
  const schema = Object.assign(() => undefined, { '~standard': ToolSchema['~standard'] });
  expect(endpoint({ method: 'POST', path: '/agents', body: schema, response: schema }).body).toBe(schema);
});

// Envelopes with other fields than `data`.

/** Not shown by the document: as live responses are. */
const listConvos = endpoint({
  method: 'GET',
  path: '/agents/{agentId}/convos',
  query: z.object({ limit: z.number().optional(), cursor: z.string().optional() }),
  response: withFields({
    data: z.array(ConversationSchema),
    nextCursor: z.string().nullish(),
    hasMore: z.coerce.boolean(),
    status: ClientStatusSchema,
  }),
});
const path = { agentId: 'agent_1' };
const page = { ...success([{ ID: 'c1' }]), hasMore: 1, nextCursor: null, status: 'online', limit: 20 };

test('withFields gives the fields beside success and message, and each schema decides for its own', async () => {
  const odd = [{ ID: 7, ts: '1785326394', tags: null }, null];
  respond(response(200, { ...page, data: odd, status: 'away' }));
  const { data, drift, message } = await createClient().send(listConvos, { path }).withResponse();
  expect(data).toEqual({ data: odd, hasMore: true, nextCursor: null, status: 'away', limit: 20 });
  expect(message).toBe('ok');
  const places = ['data.0.ID', 'data.0.tags', 'data.0.ts', 'data.1', 'status'];
  expect(drift.map((issue) => issue.path.join('.')).sort()).toEqual(places);
});

test.each<[what: string, fields: object, places: string[], modes: ValidationMode[]]>([
  ['a field that its own schema refuses', { nextCursor: 5 }, ['nextCursor'], ['tolerant', 'strict']],
  ['no rows', { data: undefined }, ['data'], ['tolerant', 'strict', 'off']],
  ['two faults', { data: null, nextCursor: {} }, ['data', 'nextCursor'], ['tolerant', 'strict']],
  ['no boolean for success', { success: 'yes' }, ['success'], ['tolerant', 'strict']],
  ['no message', { message: undefined, nextCursor: {} }, ['message', 'nextCursor'], ['strict']],
])('an envelope of fields with %s is refused', async (_, fields, places, modes) => {
  respond(response(200, { ...page, ...fields }));
  for (const validation of modes) {
    expect(await rejectionOf(createClient({ validation }).send(listConvos, { path }))).toMatchObject({
      type: 'response_validation_error',
      issues: places.map((place) => ({ path: [place] })),
    });
  }
});

test('a query whose fields are all optional may be left out, and no other', async () => {
  respond(response(200, page));
  const platform = createClient();
  await platform.send(listConvos, { path });
  expect(requests[0]?.path).toBe('/v3/agents/agent_1/convos');
  const query = z.object({ q: z.string() });
  const search = endpoint({ method: 'GET', path: '/search', query, response: z.unknown() });
  expect(await rejectionOf(platform.send(search, {} as never))).toMatchObject({ issues: [{ path: ['q'] }] });
});

// Schemas of this package, and of the integrator.

const readTool = (shape: Endpoint['response']): Endpoint => ({
  method: 'GET',
  path: '/x',
  response: shape,
  auth: 'bearer',
});
const odd = { id: 't1', name: 5 };

test.each<[what: string, shape: Endpoint['response'], body: unknown]>([
  ['directly', { kind: 'body', schema: ToolSchema }, odd],
  ['in a list', { kind: 'body', schema: z.array(ToolSchema) }, [odd]],
  ['in withData', withData(ToolSchema), success(odd)],
  ['as a list in withData', withData(z.array(ToolSchema)), success([odd])],
  ['in withFields', withFields({ tool: ToolSchema }), { success: true, message: 'ok', tool: odd }],
])('a schema of this package is tolerant %s', async (_, shape, body) => {
  respond(response(200, body));
  const call = createClient().send(readTool(shape), {} as never);
  const drift = [{ code: 'invalid_type', message: 'expected string, received number' }];
  expect(await call.withResponse()).toMatchObject({ drift });
});

test.each<[what: string, schema: z.ZodType, data: unknown]>([
  ['extended', z.object({ ...ToolSchema.shape, more: z.string().optional() }), odd],
  ['in an object', z.object({ items: z.array(ToolSchema) }), { items: [odd] }],
  ['optional', z.optional(ToolSchema), odd],
  ['in a list with a rule', z.array(ToolSchema).min(1), [odd]],
])('%s, it is a schema of the integrator, which decides alone', async (_, schema, data) => {
  respond(response(200, success(data)));
  const read = endpoint({ method: 'GET', path: '/x', response: withData(schema) });
  expect(await rejectionOf(createClient().send(read))).toMatchObject({ type: 'response_validation_error' });
  expect(await createClient({ validation: 'off' }).send(read)).toEqual(data);
});

test('in off, a schema is asked only about what is missing', async () => {
  respond(response(200, { success: true, message: 'ok' }));
  const platform = createClient({ validation: 'off' });
  const of = (schema: z.ZodType) => endpoint({ method: 'GET', path: '/x', response: withData(schema) });
  expect(await rejectionOf(platform.send(of(z.object({}))))).toMatchObject({ issues: [{ path: ['data'] }] });
  expect(await platform.send(of(z.string().nullish()))).toBeUndefined();
});

// zod#5452, headstartwp#504: one installation as ESM, another as CommonJS.
test('endpoints and schemas of another copy of the package keep checks and tolerance', async () => {
  vi.resetModules();
  const other = await import('agent-platform-sdk');
  expect(other.ToolSchema).not.toBe(ToolSchema);
  const platform = createClient();
  const input = { path, body: { variable: { key: 'plan', defaultvalue: 1 } } };
  expect(await rejectionOf(platform.send(other.endpoints.createVariable, input))).toMatchObject({
    issues: [{ path: ['variable', 'defaultvalue'], code: 'unrecognized_key' }],
  });
  expect(requests).toEqual([]);
  respond(response(200, success([{ ID: 'c1', ts: 2 ** 60 }])));
  const list = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/convos',
    response: withData(z.array(other.ConversationSchema)),
  });
  const { data, drift } = await platform.send(list, { path }).withResponse();
  const rows: Conversation[] = data;
  expect(rows).toEqual([{ ID: 'c1', ts: 2 ** 60 }]);
  expect(drift).toMatchObject([{ path: ['data', 0, 'ts'] }]);
});
