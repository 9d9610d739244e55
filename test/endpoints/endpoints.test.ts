import * as sdk from 'agent-platform-sdk';
import {
  type AgentPlatform,
  type Drift,
  type Endpoint,
  endpoint,
  endpoints,
  ToolSchema,
  type ValidationMode,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod/v4/mini';
import { createClient, rejectionOf, respond, response, seed } from '../support/client.js';
import { envelope, type OperationName, operationNames, operations } from './operations.js';

const enveloped = operationNames.filter((name) => 'data' in operations[name].response);

/** Makes a call to a service that responds with this body. */
async function callWith(
  send: (platform: AgentPlatform) => PromiseLike<unknown>,
  body: unknown,
  validation: ValidationMode,
) {
  const drifts: Drift[] = [];
  respond(response(200, body === undefined ? '' : JSON.stringify(body)));
  const result = await send(
    createClient({ validation, hooks: { onDrift: (drift) => void drifts.push(drift) } }),
  );
  return { result, drift: drifts.flatMap(({ issues }) => issues) };
}

const call = (name: OperationName, body: unknown, validation: ValidationMode = 'strict') =>
  callWith((platform) => operations[name].call(platform, seed), body, validation);

test.each(operationNames)('%s has the method, path, body and bearer token of the document', (name) => {
  const { method, path, body, auth }: Endpoint = endpoints[name];
  expect({ call: `${method} ${path}`, auth }).toEqual({ call: operations[name].route, auth: 'bearer' });
  expect(body).toBe(operations[name].schemaOfBody);
});

test.each(operationNames)('%s gives the caller its part of the response, as it was sent', async (name) => {
  const { response: body, result } = operations[name];
  const given = await call(name, body);
  expect(given).toEqual({ result, drift: [] });
  expect(JSON.stringify(given.result)).toBe(JSON.stringify(result));
});

test.each(operationNames)('%s is validated by a schema of this package, in its words', async (name) => {
  const isEnveloped = enveloped.includes(name);
  expect(await rejectionOf(call(name, isEnveloped ? { ...envelope, data: 5 } : 5))).toMatchObject({
    issues: [{ path: isEnveloped ? ['data'] : [], code: 'invalid_type' }],
  });
});

test.each(enveloped)('%s requires success and data of its envelope, and expects a message', async (name) => {
  const { data } = operations[name].response as { data?: unknown };
  expect(await rejectionOf(call(name, envelope))).toMatchObject({ issues: [{ path: ['data'] }] });
  expect(await rejectionOf(call(name, { data, message: '' }))).toMatchObject({
    issues: [{ path: ['success'] }],
  });
  expect(await call(name, { success: true, data }, 'tolerant')).toMatchObject({
    drift: [{ path: ['message'] }],
  });
});

test.each(['success', 'message', 'clients', 'teams'])('a listing of members requires %s', async (field) => {
  const { [field]: _, ...rest } = operations.listMembersAndTeams.response as Record<string, unknown>;
  expect(await rejectionOf(call('listMembersAndTeams', rest))).toMatchObject({ issues: [{ path: [field] }] });
});

test.each(['strict', 'tolerant', 'off'] as const)(
  'only an operation without data may have an empty body: %s',
  async (mode) => {
    for (const name of operationNames.filter((one) => one !== 'deleteWorkspace')) {
      expect(await rejectionOf(call(name, undefined, mode)), name).toMatchObject({
        issues: [{ code: 'empty_body' }],
      });
    }
    expect(await call('deleteWorkspace', undefined, mode)).toMatchObject({ result: undefined });
  },
);

test('the envelope around a custom schema is checked too, and gives the output of the schema', async () => {
  const data = z.object({ id: z.pipe(z.string(), z.transform(Number)) });
  const getCampaign = endpoint({ method: 'GET', path: '/x', response: sdk.withData(data) });
  const callCampaign = (body: object, mode: ValidationMode) =>
    callWith((platform) => platform.send(getCampaign), body, mode);
  expect(await callCampaign({ ...envelope, data: { id: '7' } }, 'strict')).toMatchObject({
    result: { id: 7 },
  });
  expect(await rejectionOf(callCampaign({ success: true, data: { id: '7' } }, 'strict'))).toMatchObject({
    issues: [{ path: ['message'] }],
  });
  expect(await rejectionOf(callCampaign({ data: { id: 7 } }, 'strict'))).toMatchObject({
    issues: [{ path: ['success'] }, { path: ['message'] }, { path: ['data', 'id'] }],
  });
});

test.each(['agents', '/v3/agents', '/v3', '/agents/:agentId', '/agents/{agentId', '', '/a?b=1', '/a#b'])(
  'an endpoint cannot have the path "%s"',
  (path) => {
    expect(() => endpoint({ method: 'GET', path, response: ToolSchema })).toThrow(
      `endpoint: GET ${path}\n  - path: expected a path like "/tools/{toolId}"`,
    );
  },
);

// fingerprintjs/node-sdk#282, semantic-kernel#14086
test.each([
  ['/x/../tools/defaults', '/tools/defaults'],
  ['/x/.', '/x/'],
  ['/x/%2e%2E/y', '/y'],
  ['/x/.%2e/y', '/y'],
  ['/x\\y', '/x/y'],
  ['/x\ty', '/xy'],
  ['/x/\ud83d', '/x/%EF%BF%BD'],
])('an endpoint cannot have the path %j, which URLs turn into %j', (path, sent) => {
  expect(() => endpoint({ method: 'GET', path, response: ToolSchema })).toThrow(
    `  - path: expected a path that URL parsing does not change; it would become ${sent}`,
  );
});

test.each([
  '/',
  '/v3s',
  '/agents/{agentId}/convos/{convoId}',
  '/a/b:c',
  '/files/{file name}.json',
  '/a/.b/...',
  '/räume/a b',
])('an endpoint can have the path "%s"', (path) => {
  expect(endpoint({ method: 'GET', path, response: ToolSchema }).path).toBe(path);
});

test.each<[issue: string, declaration: object]>([
  ['method: expected one of GET', { method: 'get', path: '/agents', response: ToolSchema }],
  ['path: expected a path like', { method: 'GET', response: ToolSchema }],
  ['body: expected none', { method: 'GET', path: '/agents', body: ToolSchema, response: ToolSchema }],
  ['response: expected withData(schema)', { method: 'GET', path: '/agents' }],
  ['response: expected withData(schema)', { method: 'GET', path: '/agents', response: sdk.withData }],
])('an endpoint is refused with "%s …"', (issue, declaration) => {
  expect(() => endpoint(declaration as never)).toThrow(issue);
});

test.each([undefined, null, { id: 'string' }])('what is in an envelope must be a schema: %j', (schema) => {
  expect(() => sdk.withData(schema as never)).toThrow(
    new TypeError("withData: takes a Standard Schema, such as Zod's"),
  );
});

test('a schema may be a function, as those of ArkType are', () => {
  const schema = Object.assign(() => undefined, { '~standard': ToolSchema['~standard'] });
  expect(endpoint({ method: 'POST', path: '/agents', body: schema, response: schema }).body).toBe(schema);
});
