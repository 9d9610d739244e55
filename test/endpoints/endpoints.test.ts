import * as sdk from 'agent-platform-sdk';
import { type Endpoint, endpoint, endpoints, ToolSchema } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { isOwnSchema } from '../../src/schemas/object.js';
import { validate } from '../../src/validation/validate.js';
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
  const verdict = await validate(endpointOf(name).response.schema, answer, 'strict');
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
  expect(await issuePaths(name, answer)).toEqual([]);
  expect(endpointOf(name).response.unwrap(structuredClone(answer))).toEqual(result);
});

test.each(names)('%s is read by a schema of the package, which never rewrites', (name) => {
  expect(isOwnSchema(endpointOf(name).response.schema)).toBe(true);
});

test.each(withData)('%s requires success and data of its envelope, and expects a message', async (name) => {
  const { data } = operations[name].answer as { data?: unknown };
  expect(await issuePaths(name, envelope)).toEqual([['data']]);
  expect(await issuePaths(name, { data, message: '' })).toEqual([['success']]);
  const { schema } = endpointOf(name).response;
  const body = { success: true, data };
  expect(await validate(schema, body, 'tolerant')).toMatchObject({
    ok: true,
    drift: [{ path: ['message'] }],
  });
});

test.each(['success', 'message', 'clients', 'teams'])('a listing of members requires %s', async (field) => {
  const { [field]: _, ...rest } = operations.listMembersAndTeams.answer as Record<string, unknown>;
  expect(await issuePaths('listMembersAndTeams', rest)).toEqual([[field]]);
});

test('a listing of members keeps what the service added', () => {
  const answer = { ...operations.listMembersAndTeams.answer, pending: 1 };
  expect(endpoints.listMembersAndTeams.response.unwrap(answer)).toEqual({ ...members, pending: 1 });
});

test('a listing of members is not copied, which could take ten times as long as to parse it', () => {
  const answer = structuredClone(operations.listMembersAndTeams.answer);
  expect(endpoints.listMembersAndTeams.response.unwrap(answer)).toBe(answer);
});

test('the release of a number gives the body as it was sent', () => {
  const answer = { isGood: true, errors: '', added: 1 };
  expect(endpoints.releasePhoneNumber.response.unwrap(answer)).toBe(answer);
});

test.each(names)('%s may be answered with an empty body only where it has no data', (name) => {
  expect(endpointOf(name).response.allowEmpty).toBe(name === 'deleteWorkspace');
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
  '/agents/agentId}',
  '/agents/{}',
  '',
  '/a?b=1',
  '/a#b',
  '/x/../tools/defaults',
  '/x/.',
  '/x/%2e%2E/tools',
  '/x/.%2e',
  '/x\\..\\tools',
  '/x/.\t./tools',
  '/x/.. ',
  '/x/..\u0000',
])('an endpoint cannot have the path "%s"', (path) => {
  expect(() => endpoint({ method: 'GET', path, response: ToolSchema })).toThrow(
    `must look like "/tools/{toolId}", without "/v3", "..", a query or white space: ${path}`,
  );
});

test.each([
  '/',
  '/v3s',
  '/agents/{agent-id}',
  '/agents/{agentId}/convos/{convoId}',
  '/a/b:c',
  '/files/{name}.json',
  '/a/.b/..c/...',
])('an endpoint can have the path "%s"', (path) => {
  expect(endpoint({ method: 'GET', path, response: ToolSchema }).path).toBe(path);
});

test.each(['get', 'HEAD', 'GETS', 'UNPOST', '', undefined])(
  'an endpoint cannot have the method %j',
  (method) => {
    const declaration = { method, path: '/agents', response: ToolSchema } as unknown;
    expect(() => endpoint(declaration as Parameters<typeof endpoint>[0])).toThrow(
      new TypeError('endpoint: the method of /agents must be GET, POST, PUT, PATCH or DELETE'),
    );
  },
);

test.each(['None', 'basic', '', null, ['none']])('an endpoint cannot have the auth %j', (auth: unknown) => {
  const declaration = { method: 'GET', path: '/agents', response: ToolSchema, auth } as unknown;
  expect(() => endpoint(declaration as Parameters<typeof endpoint>[0])).toThrow(
    new TypeError("endpoint: the auth of /agents must be 'bearer' or 'none'"),
  );
});

test('an endpoint must declare what it is answered', () => {
  const declaration = { method: 'GET', path: '/agents' } as unknown as Parameters<typeof endpoint>[0];
  expect(() => endpoint(declaration)).toThrow(new TypeError('endpoint: GET /agents must declare a response'));
});

test.each([
  ['body', { body: { name: 'string' } }],
  ['body', { body: null }],
  ['query', { query: 'page' }],
  ['query', { query: { '~standard': {} } }],
  ['response', { response: { id: 'string' } }],
  ['response', { response: { schema: { id: 'string' }, unwrap: String, allowEmpty: false } }],
])('the %s of an endpoint must be a schema: %j', (part, parts) => {
  const declaration = { method: 'POST', path: '/agents', response: ToolSchema, ...parts };
  expect(() => endpoint(declaration as never)).toThrow(
    new TypeError(`endpoint: the ${part} of POST /agents must be a Standard Schema, such as Zod's`),
  );
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

test.each(['GET', 'DELETE'] as const)('a %s cannot declare a body', (method) => {
  const make = () => endpoint({ method, path: '/agents', body: ToolSchema, response: ToolSchema });
  expect(make).toThrow(`${method} /agents must not declare a body`);
});
