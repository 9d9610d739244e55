import { runInNewContext } from 'node:vm';
import {
  type AgentPlatform,
  type AgentPlatformOptions,
  endpoint,
  endpoints,
  type OrgClient,
  OrgClientSchema,
  RequestValidationError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createClient, rejectionOf, requests, respond, response, seed } from '../support/client.js';

type Call = (platform: AgentPlatform) => Promise<unknown>;

/** The error of a call that is refused before anything is sent. */
async function refusalOf(call: Call, options: AgentPlatformOptions = {}): Promise<RequestValidationError> {
  const error = await rejectionOf(call(createClient(options)));
  expect(error).toBeInstanceOf(RequestValidationError);
  expect(requests).toHaveLength(0);
  return error as RequestValidationError;
}

/** Creates a variable, also with what the types forbid. */
const create = (variable: unknown) => (platform: AgentPlatform) =>
  platform.variables.create(seed.agentId, variable as { key: string });

/** Releases a number, also with what the types forbid. */
const release = (number: unknown) => (platform: AgentPlatform) =>
  platform.phoneNumbers.release(number as never);

test.each(['strict', 'tolerant', 'off'] as const)(
  'wrong arguments are refused in the mode %s, and nothing is sent',
  async (validation) => {
    const error = await refusalOf(create({ description: null, value: 'very-secret-value' }), { validation });
    expect(error).toMatchObject({
      issues: [{ path: ['variable', 'key'] }, { path: ['variable', 'description'] }],
      method: 'POST',
      path: '/agents/{agentId}/variables',
      outcomeUnknown: false,
    });
    expect(JSON.stringify(error) + String(error)).not.toContain('very-secret-value');
  },
);

const LONG = ': keep a long id as text, or pass String(id) of a bigint';

test.each([
  ['an empty string', '', 'an empty string'],
  ['a blank string', '  ', 'a blank string'],
  ['a dot', '.', "'.', the path of another operation"],
  ['two dots', '..', "'..', the path of another operation"],
  ['nothing', undefined, 'nothing'],
  ['null', null, 'null'],
  ['a broken number', 1.5, 'number'],
  ['a number that JSON has rounded', 2 ** 53, `number${LONG}`],
  ['a bigint', 5n, `bigint${LONG}`],
  ['a promise', Promise.resolve('t1'), 'a promise (is `await` missing?)'],
  ['a text made of nothing', String(undefined), "'undefined', which is a missing value as text"],
  ['a text made of null', String(null), "'null', which is a missing value as text"],
  ['a text made of a failed number', `${Number('x')}`, "'NaN', which is a missing value as text"],
  ['a text made of an object', '[object Object]', "'[object Object]', which is a missing value as text"],
  ['a blank at the end', 'tool_1\n', 'blanks at its start or end'],
  ['a blank at the start', '\u00a0tool_1', 'blanks at its start or end'],
  // mailgun-js#63
  ['half an emoji', 'tool_\ud83d', 'half a character (a lone surrogate)'],
])('%s is not an id', async (_, given, received) => {
  const id = given as never;
  const calls: Call[] = [
    ({ tools }) => tools.get(id),
    ({ workspaces }) => workspaces.delete(id),
    ({ conversations }) => conversations.get({ agentId: 'a', convoId: id }),
    ({ orgs }) => orgs.listMembersAndTeams(id),
    ({ variables }) => variables.create(id, { key: 'k' }),
    getTool({ path: { toolId: id } }),
  ];
  for (const call of calls) {
    expect(await refusalOf(call)).toMatchObject({
      issues: [{ code: 'invalid_id', message: `expected a non-empty string, received ${received}` }],
    });
  }
});

test('a safe integer is an id wherever one is taken, because chat ids arrive as numbers', async () => {
  respond(response(200, { success: true, message: '', data: {}, isGood: true, errors: '' }));
  const platform = createClient({ validation: 'off' });
  const id = 4915123456789 as never;
  await platform.tools.get(id);
  await platform.workspaces.delete(id);
  await platform.conversations.get({ agentId: id, convoId: 0 as never });
  await platform.phoneNumbers.release({ workspaceId: id, phoneNumberSid: id, isImportedNumber: true });
  expect(requests.map(({ path }) => path)).toEqual([
    '/v3/tools/4915123456789',
    '/v3/workspaces/4915123456789',
    '/v3/agents/4915123456789/convos/0',
    '/v3/utils/telco/release-number',
  ]);
  expect(requests.at(-1)?.body).toBe(
    '{"workspaceId":"4915123456789","phoneNumberSid":"4915123456789","isImportedNumber":true}',
  );
});

test('an endpoint refuses the values that it reserves, in any case', async () => {
  for (const id of ['defaults', 'Defaults', ' defaults']) {
    expect((await refusalOf(({ tools }) => tools.get(id))).message).toContain('another operation');
  }
  const reserved = { id: ['builtIn'] };
  const getThing = endpoint({ method: 'GET', path: '/things/{id}', response: z.unknown(), reserved });
  expect(await refusalOf((platform) => platform.send(getThing, { path: { id: 'BUILTIN' } }))).toMatchObject({
    issues: [{ path: ['id'] }],
  });
});

const getTool = (input: unknown) => (platform: AgentPlatform) =>
  platform.send(endpoints.getTool, input as never);
const getConversation = (ids: unknown) => (platform: AgentPlatform) =>
  platform.conversations.get(ids as never);
const ids = { agentId: seed.agentId, convoId: seed.convoId };

test.each<[what: string, call: Call, message: RegExp]>([
  ['one id for two', getConversation('a1'), /path: expected .* \{ agentId, convoId \}, received string/],
  ['no id of two', getConversation({}), /agentId: .*\n.*convoId: /],
  ['an option', getConversation({ ...ids, timeout: 5 }), /timeout: is an option: pass it after the input/],
  ['two options', getConversation({ ...ids, timeout: 5, signal: 1 }), /\n.*timeout: .*\n.*signal: /],
  ['an id beside `path`', getTool({ toolId: 't1' }), /toolId: unknown field\. Known: path\./],
  ['an id in place of the input', getTool('t1'), /\(root\): .* the form \{ path \}, received string/],
  [
    'a body in place of the input',
    (platform) => platform.send(endpoints.createVariable, ['x'] as never),
    /expected the input in the form \{ path, body \}, received array/,
  ],
  ['null for all arguments', getTool(null), /received null/],
  ['no body', release(undefined), /required.*a body/],
])('%s is refused by name', async (_, call, message) => {
  expect((await refusalOf(call)).message).toMatch(message);
});

test('a whole record with the ids is accepted', async () => {
  const payload = { ...ids, createdAt: 1, operation: 'updated' };
  expect(await createClient().conversations.get(payload)).toBeDefined();
});

const number = { phoneNumberSid: 'PN1', isImportedNumber: true };
const ofVariable = (fields: object) => create({ key: 'k', ...fields });
const addMember = endpoint({
  method: 'POST',
  path: '/members',
  body: OrgClientSchema,
  response: z.unknown(),
});
const member = { ID: 'c1', handoff: { maxAssignes: 1 } } as object as OrgClient;

test.each<[call: Call, path: string, message: RegExp]>([
  [ofVariable({ default_value: 'x' }), 'variable.default_value', /unknown field\. Did you mean `defaultV/],
  [ofVariable({ colour: 'red' }), 'variable.colour', /^unknown field$/],
  [ofVariable({ key: '' }), 'variable.key', /non-empty/],
  [ofVariable({ userId: 'u1' }), 'variable.userId', /expected nothing \(the service sets it\)/],
  [ofVariable({ isEnv: 'yes' }), 'variable.isEnv', /expected boolean, received string/],
  [release({ ...number, phoneNumberSid: undefined }), 'phoneNumberSid', /required/],
  [release({ ...number, phoneNumberSid: '' }), 'phoneNumberSid', /an empty string/],
  [release({ ...number, phoneNumberSid: 'undefined' }), 'phoneNumberSid', /a missing value/],
  [release({ ...number, workspaceId: ' PN1' }), 'workspaceId', /blanks/],
  [release({ ...number, workspaceID: 'w' }), 'workspaceID', /Did you mean `workspaceId`\?/],
  [release({ ...number, isImportedNumber: 'true' }), 'isImportedNumber', /expected boolean/],
  // Inside an optional object.
  [(platform) => platform.send(addMember, { body: member }), 'handoff.maxAssignes', /Did you mean/],
])('a wrong body is refused by its field (%#: %s)', async (call, path, message) => {
  expect(await refusalOf(call)).toMatchObject({
    issues: [{ path: path.split('.'), message: expect.stringMatching(message) as string }],
  });
});

test('the values of a variable may have any fields', async () => {
  const variable = { key: 'k', value: { anything: [{ '': null }] }, defaultValue: '' };
  await create(variable)(createClient());
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ variable });
});

const cycle: Record<string, unknown> = { name: 'a' };
cycle.list = [cycle];

test.each<[what: string, value: unknown, place: (string | number)[], received: string]>([
  ['NaN', Number.NaN, [], 'NaN'],
  ['infinity', { a: [Number.POSITIVE_INFINITY] }, ['a', 0], 'Infinity'],
  ['a bigint', 1n, [], 'BigInt'],
  ['a function', () => 1, [], 'Function'],
  ['a Map', { a: new Map() }, ['a'], 'Map'],
  ['a promise that was not awaited', Promise.resolve(1), [], 'Promise'],
  ['undefined in a list', [1, undefined], [1], 'Undefined'],
  ['a cycle', cycle, ['list', 0], 'a circular reference'],
  // eris#1197
  ['a toJSON that returns nothing', { toJSON: () => undefined }, [], 'a `toJSON()` that returns nothing'],
  ['a toJSON that returns something else', { toJSON: () => ({ a: new Map() }) }, ['a'], 'Map'],
  // jest#2549
  ['an invalid date of another realm', runInNewContext('new Date(NaN)'), [], 'Invalid Date'],
  ['a promise of another realm', runInNewContext('Promise.resolve()'), [], 'Promise'],
])('%s has no JSON form, and is refused by its path', async (_, value, place, received) => {
  const message = expect.stringContaining(`a value that JSON can hold, received ${received}`) as string;
  expect(await refusalOf(create({ key: 'k', value }))).toMatchObject({
    issues: [{ path: ['variable', 'value', ...place], code: 'not_json', message }],
  });
  // Also as the whole body.
  expect(await refusalOf((platform) => platform.request('POST', '/x', { body: value }))).toMatchObject({
    issues: [{ path: place, code: 'not_json', message }],
  });
});

test('the same object twice in a body is no circle', async () => {
  const one = { a: 1 };
  await create({ key: 'k', value: { one, other: one } })(createClient());
  expect(requests).toHaveLength(1);
});

test('a value nested too deeply is a typed error, and nothing is sent', async () => {
  await refusalOf(create({ key: 'k', value: JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) }));
});

test('what a toJSON throws is the cause', async () => {
  const cause = new Error('not today');
  const toJSON = () => {
    throw cause;
  };
  expect(await refusalOf(create({ key: 'k', value: { toJSON } }))).toMatchObject({ cause });
});

class Plan {
  get key(): string {
    return 'plan';
  }
}

test('the JSON form of an argument is checked, which has no getters of a class', async () => {
  expect(await refusalOf(create(new Plan()))).toMatchObject({ issues: [{ path: ['variable', 'key'] }] });
  const toJSON = () => ({ key: 'at', value: new Date(0) });
  await create(Object.assign(new Plan(), { toJSON }))(createClient());
  expect(requests[0]?.body).toBe('{"variable":{"key":"at","value":"1970-01-01T00:00:00.000Z"}}');
});
