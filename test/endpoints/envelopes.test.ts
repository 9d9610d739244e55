import {
  ClientStatusSchema,
  type Conversation,
  ConversationSchema,
  type Endpoint,
  endpoint,
  ToolSchema,
  type ValidationMode,
  withData,
  withFields,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createClient, rejectionOf, requests, respond, response, seed, success } from '../support/client.js';

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

const page = (fields: object = {}) => ({
  ...success([{ ID: 'c1' }]),
  hasMore: 1,
  nextCursor: null,
  status: 'online',
  limit: 20,
  ...fields,
});

test('withFields gives the fields beside success and message, and each schema decides for its own', async () => {
  const odd = [{ ID: 7, ts: '1785326394', tags: null }, null];
  respond(response(200, page({ data: odd, status: 'away' })));
  const { data, drift, message } = await createClient().send(listConvos, { path }).withResponse();
  expect(data).toEqual({ data: odd, hasMore: true, nextCursor: null, status: 'away', limit: 20 });
  expect(message).toBe('ok');
  const places = ['data.0.ID', 'data.0.tags', 'data.0.ts', 'data.1', 'status'];
  expect(drift.map((issue) => issue.path.join('.')).sort()).toEqual(places);
});

test.each<[what: string, fields: object, places: string[], modes: ValidationMode[]]>([
  ['a field that its own schema refuses', { nextCursor: 5 }, ['nextCursor'], ['tolerant', 'strict']],
  ['no rows', { data: undefined }, ['data'], ['tolerant', 'strict', 'off']],
  ['rows that are no list', { data: {} }, ['data'], ['tolerant', 'strict', 'off']],
  ['two faults', { data: null, nextCursor: {} }, ['data', 'nextCursor'], ['tolerant', 'strict']],
  ['success that is no boolean', { success: 'yes' }, ['success'], ['tolerant', 'strict']],
])('an envelope with %s is refused', async (_, fields, places, modes) => {
  respond(response(200, page(fields)));
  for (const validation of modes) {
    expect(await rejectionOf(createClient({ validation }).send(listConvos, { path }))).toMatchObject({
      type: 'response_validation_error',
      issues: places.map((place) => ({ path: [place] })),
    });
  }
});

test('withFields takes schemas only', () => {
  for (const fields of [undefined, null, { data: undefined }, { data: {} }]) {
    expect(() => withFields(fields as never)).toThrow(
      new TypeError("withFields: takes an object of Standard Schemas, such as Zod's"),
    );
  }
});

test('a query whose fields are all optional may be left out, and no other', async () => {
  respond(response(200, page()));
  const platform = createClient();
  await platform.send(listConvos, { path });
  await platform.send(listConvos, { path, query: { cursor: 'x y' } });
  expect(requests.map((request) => request.path)).toEqual([
    '/v3/agents/agent_1/convos',
    '/v3/agents/agent_1/convos?cursor=x+y',
  ]);
  const search = endpoint({
    method: 'GET',
    path: '/search',
    query: z.object({ q: z.string() }),
    response: z.unknown(),
  });
  expect(await rejectionOf(platform.send(search, {} as never))).toMatchObject({ issues: [{ path: ['q'] }] });
});

const odd = { id: 't1', name: 5 };

test.each<[what: string, response: Endpoint['response'], body: unknown]>([
  ['directly', endpoint({ method: 'GET', path: '/x', response: ToolSchema }).response, odd],
  ['in a list', endpoint({ method: 'GET', path: '/x', response: z.array(ToolSchema) }).response, [odd]],
  ['in withData', withData(ToolSchema), success(odd)],
  ['as a list in withData', withData(z.array(ToolSchema)), success([odd])],
  ['in withFields', withFields({ tool: ToolSchema }), { success: true, message: 'ok', tool: odd }],
])('a schema of this package is tolerant %s', async (_, shape, body) => {
  respond(response(200, body));
  const read: Endpoint = { method: 'GET', path: '/x', response: shape, auth: 'bearer' };
  const { drift } = await createClient()
    .send(read, {} as never)
    .withResponse();
  expect(drift).toMatchObject([{ code: 'invalid_type', message: 'expected string, received number' }]);
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
  respond(response(200, success(odd)));
  const { data, drift } = await platform
    .send(other.endpoints.getTool, { path: { toolId: seed.toolId } })
    .withResponse();
  expect(data).toEqual(odd);
  expect(drift).toMatchObject([{ path: ['data', 'name'] }]);
  respond(response(200, success([{ ID: 'c1', ts: 2 ** 60 }])));
  const list = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/convos',
    response: withData(z.array(other.ConversationSchema)),
  });
  const read = await platform.send(list, { path }).withResponse();
  const rows: Conversation[] = read.data;
  expect(rows).toEqual([{ ID: 'c1', ts: 2 ** 60 }]);
  expect(read.drift).toMatchObject([{ path: ['data', 0, 'ts'] }]);
});
