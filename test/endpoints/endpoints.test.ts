import * as sdk from 'agent-platform-sdk';
import { type Endpoint, endpoint, endpoints, ToolSchema } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { validateResponse } from '../../src/endpoints/response-shape.js';
import { isOwnSchema } from '../../src/schemas/object.js';
import { complete, minimal } from '../schemas/samples.js';

/** An operation as section 4 has it, with an answer that holds each field, and what of it the caller gets. */
interface Documented {
  readonly call: string;
  readonly body: unknown;
  readonly answer: object;
  readonly result: unknown;
}

type Name = keyof typeof endpoints;

const envelope = { success: true, message: 'done' };
const members = { clients: [complete('OrgClient')], teams: [complete('Team')] };

/** One for each operation: a forgotten one does not compile. */
const operations: Readonly<Record<Name, Documented>> = {
  listMembersAndTeams: {
    call: 'GET /orgs/{orgId}/members-and-teams',
    body: undefined,
    answer: { ...envelope, ...members },
    result: members,
  },
  createVariable: {
    call: 'POST /agents/{agentId}/variables',
    body: sdk.CreateVariableBodySchema,
    answer: { ...envelope, data: complete('Variable') },
    result: complete('Variable'),
  },
  releasePhoneNumber: {
    call: 'POST /utils/telco/release-number',
    body: sdk.ReleaseNumberInputSchema,
    answer: complete('ReleaseNumberResult'),
    result: complete('ReleaseNumberResult'),
  },
  listDefaultTools: {
    call: 'GET /tools/defaults',
    body: undefined,
    answer: { ...envelope, data: [complete('DefaultTool'), minimal('DefaultTool')] },
    result: [complete('DefaultTool'), minimal('DefaultTool')],
  },
  getTool: {
    call: 'GET /tools/{toolId}',
    body: undefined,
    answer: { ...envelope, data: complete('Tool') },
    result: complete('Tool'),
  },
  getConversation: {
    call: 'GET /agents/{agentId}/convos/{convoId}',
    body: undefined,
    answer: { ...envelope, data: complete('Conversation') },
    result: complete('Conversation'),
  },
  deleteWorkspace: {
    call: 'DELETE /workspaces/{id}',
    body: undefined,
    answer: envelope,
    result: undefined,
  },
};

const names = Object.keys(operations) as readonly Name[]; // `Object.keys` forgets the names.
const withData: readonly Name[] = ['createVariable', 'listDefaultTools', 'getTool', 'getConversation'];
const endpointOf = (name: Name): Endpoint => endpoints[name];

async function issuePaths(name: Name, answer: unknown) {
  const verdict = await validateResponse(endpointOf(name).response, answer, 'strict');
  return verdict.ok ? [] : verdict.issues.map(({ path }) => path);
}

test('there are the seven documented operations', () => {
  expect(Object.keys(endpoints).sort()).toEqual([...names].sort());
});

test.each(names)('%s has the method, path, body and bearer token of the document', (name) => {
  const { method, path, body, auth } = endpointOf(name);
  expect({ call: `${method} ${path}`, auth }).toEqual({ call: operations[name].call, auth: 'bearer' });
  expect(body).toBe(operations[name].body);
});

test.each(names)('%s accepts its answer and gives the caller the part it asked for', async (name) => {
  const { answer, result } = operations[name];
  const { response } = endpointOf(name);
  expect(await validateResponse(response, answer, 'strict')).toEqual({ ok: true, value: result, drift: [] });
});

test.each(names)('%s is read by a schema of the package, which never rewrites', (name) => {
  expect(isOwnSchema(endpointOf(name).response.schema)).toBe(true);
});

test.each(withData)('%s requires success and data of its envelope, and expects a message', async (name) => {
  const { data } = operations[name].answer as { data?: unknown };
  expect(await issuePaths(name, envelope)).toEqual([['data']]);
  expect(await issuePaths(name, { data, message: '' })).toEqual([['success']]);
  const body = { success: true, data };
  expect(await validateResponse(endpointOf(name).response, body, 'tolerant')).toMatchObject({
    ok: true,
    drift: [{ path: ['message'] }],
  });
});

test.each(['success', 'message', 'clients', 'teams'])('a listing of members requires %s', async (field) => {
  const { [field]: _, ...rest } = operations.listMembersAndTeams.answer as Record<string, unknown>;
  expect(await issuePaths('listMembersAndTeams', rest)).toEqual([[field]]);
});

test('a listing of members keeps what the service added', async () => {
  const answer = { ...operations.listMembersAndTeams.answer, pending: 1 };
  expect(await validateResponse(endpoints.listMembersAndTeams.response, answer, 'tolerant')).toMatchObject({
    value: { ...members, pending: 1 },
    drift: [{ path: ['pending'] }],
  });
});

test('the release of a number gives the body as it was sent', async () => {
  const answer = { isGood: true, errors: '', added: 1 };
  const verdict = await validateResponse(endpoints.releasePhoneNumber.response, answer, 'strict');
  expect(verdict.ok && verdict.value).toBe(answer);
});

test.each(['strict', 'tolerant', 'report', 'off'] as const)(
  'only an operation without data may be answered with an empty body: %s',
  async (mode) => {
    for (const name of names) {
      const { ok } = await validateResponse(endpointOf(name).response, undefined, mode);
      expect(ok, name).toBe(name === 'deleteWorkspace');
    }
  },
);

const custom = z.object({ id: z.pipe(z.string(), z.transform(Number)) });

test('the envelope around a custom schema is checked too, and gives the output of the schema', async () => {
  const response = sdk.withData(custom);
  const data = { id: '7' };
  expect(await validateResponse(response, { ...envelope, data }, 'strict')).toMatchObject({
    value: { id: 7 },
  });
  expect(await validateResponse(response, { success: true, data }, 'strict')).toMatchObject({
    issues: [{ path: ['message'] }],
  });
  expect(await validateResponse(response, { data: { id: 7 } }, 'tolerant')).toMatchObject({
    issues: [{ path: ['success'] }, { path: ['data', 'id'] }],
  });
});

test('the id of a tool cannot be the name of another operation', () => {
  expect(endpoints.getTool.reserved).toEqual({ toolId: ['defaults'] });
});

test.each([
  'agents',
  '/v3/agents',
  '/v3',
  '/agents/:agentId',
  '/agents/{agentId',
  '',
  '/a?b=1',
  '/a#b',
  '/x/../tools/defaults',
  '/x/.',
  '/x y',
])('an endpoint cannot have the path "%s"', (path) => {
  expect(() => endpoint({ method: 'GET', path, response: ToolSchema })).toThrow(
    `endpoint: GET ${path}\n  - path: expected a form like "/tools/{toolId}", without "/v3", "..", a query or white space`,
  );
});

test.each([
  '/',
  '/v3s',
  '/agents/{agentId}/convos/{convoId}',
  '/a/b:c',
  '/files/{file name}.json',
  '/a/.b/...',
])('an endpoint can have the path "%s"', (path) => {
  expect(endpoint({ method: 'GET', path, response: ToolSchema }).path).toBe(path);
});

test.each<[issue: string, declaration: object]>([
  ['method: expected one of GET', { method: 'get', path: '/agents', response: ToolSchema }],
  ['path: expected a form like', { method: 'GET', response: ToolSchema }],
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
