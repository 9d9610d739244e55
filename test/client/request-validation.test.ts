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

/** The error of a call that is refused before anything is sent. */
async function refusalOf(
  call: (platform: AgentPlatform) => Promise<unknown>,
  options: AgentPlatformOptions = {},
): Promise<RequestValidationError> {
  const error = await rejectionOf(call(createClient(options)));
  expect(error).toBeInstanceOf(RequestValidationError);
  expect(requests).toHaveLength(0);
  return error as RequestValidationError;
}

/** Creates a variable, also with what the types forbid. */
const create = (variable: unknown) => (platform: AgentPlatform) =>
  platform.variables.create(seed.agentId, variable as { key: string });

test.each(['strict', 'tolerant', 'off'] as const)(
  'wrong arguments are refused in the mode %s, and nothing is sent',
  async (validation) => {
    const error = await refusalOf(create({ description: null }), { validation });
    expect(error).toMatchObject({
      issues: [{ path: ['variable', 'key'] }, { path: ['variable', 'description'] }],
      method: 'POST',
      path: '/agents/{agentId}/variables',
      outcomeUnknown: false,
    });
  },
);

test.each([
  ['an empty string', '', 'an empty string'],
  ['a blank string', '  ', 'a blank string'],
  ['a dot', '.', "'.', the path of another operation"],
  ['two dots', '..', "'..', the path of another operation"],
  ['nothing', undefined, 'nothing'],
  ['null', null, 'null'],
  ['a broken number', 1.5, 'number'],
  [
    'a number that JSON has rounded',
    2 ** 53,
    'number: keep a long id as text, or pass String(id) of a bigint',
  ],
  ['a bigint', 5n, 'bigint: keep a long id as text, or pass String(id) of a bigint'],
  ['a text made of nothing', String(undefined), "'undefined', which is a missing value as text"],
  ['a text made of null', String(null), "'null', which is a missing value as text"],
  ['a text made of a failed number', `${Number('x')}`, "'NaN', which is a missing value as text"],
  ['a text made of an object', '[object Object]', "'[object Object]', which is a missing value as text"],
  ['a blank at the end', 'tool_1\n', 'blanks at its start or end'],
  ['a blank at the start', '\u00a0tool_1', 'blanks at its start or end'],
  // mailgun-js#63
  ['half an emoji', 'tool_\ud83d', 'half a character (a lone surrogate)'],
])('%s is not an id', async (_, id, received) => {
  const calls: ((platform: AgentPlatform) => Promise<unknown>)[] = [
    ({ tools }) => tools.get(id as never),
    ({ workspaces }) => workspaces.delete(id as never),
    ({ conversations }) => conversations.get({ agentId: 'a', convoId: id as never }),
    ({ orgs }) => orgs.listMembersAndTeams(id as never),
    ({ variables }) => variables.create(id as never, { key: 'k' }),
    (platform) => platform.send(endpoints.getTool, { path: { toolId: id as never } }),
  ];
  for (const call of calls) {
    expect(await refusalOf(call)).toMatchObject({
      issues: [{ code: 'invalid_id', message: `expected a non-empty string, received ${received}` }],
    });
  }
});

test.each(['undefined', ' PN1', 'PN\ud83d'])('%j is not an id in a body either', async (id) => {
  for (const number of [{ phoneNumberSid: id }, { phoneNumberSid: 'PN1', workspaceId: id }]) {
    const error = await refusalOf(({ phoneNumbers }) =>
      phoneNumbers.release({ ...number, isImportedNumber: true }),
    );
    expect(error).toMatchObject({ issues: [{ code: 'invalid_id' }] });
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

test.each(['defaults', 'Defaults', ' defaults'])(
  'tools.get refuses the path of another operation: %s',
  async (id) => {
    expect((await refusalOf(({ tools }) => tools.get(id))).message).toContain('another operation');
  },
);

test('an endpoint refuses the values that it reserves', async () => {
  const reserved = { id: ['builtIn'] };
  const getThing = endpoint({ method: 'GET', path: '/things/{id}', response: z.unknown(), reserved });
  expect(await refusalOf((platform) => platform.send(getThing, { path: { id: 'BUILTIN' } }))).toMatchObject({
    issues: [{ path: ['id'] }],
  });
});

test.each<[what: string, call: (platform: AgentPlatform) => Promise<unknown>, message: RegExp]>([
  [
    'one id for two',
    ({ conversations }) => conversations.get('a1' as never),
    /path: expected the ids by name in one object, \{ agentId, convoId \}, received string/,
  ],
  ['no id of two', ({ conversations }) => conversations.get({} as never), /agentId: .*\n.*convoId: /],
  [
    'an id beside `path`',
    (platform) => platform.send(endpoints.getTool, { toolId: 't1' } as never),
    /toolId: unknown field\. Known: path\./,
  ],
  [
    'an id in place of the input',
    (platform) => platform.send(endpoints.getTool, 'tool_1' as never),
    /\(root\): expected the input in the form \{ path \}, received string/,
  ],
  [
    'a body in place of the input',
    (platform) => platform.send(endpoints.createVariable, ['x'] as never),
    /expected the input in the form \{ path, body \}, received array/,
  ],
  ['null for all arguments', (platform) => platform.send(endpoints.getTool, null as never), /received null/],
  ['no body', ({ phoneNumbers }) => phoneNumbers.release(undefined as never), /required.*a body/],
])('%s is refused by name', async (_, call, message) => {
  expect((await refusalOf(call)).message).toMatch(message);
});

test.each<[what: string, variable: object, path: string, message: RegExp]>([
  [
    'a misspelt field',
    { key: 'k', default_value: 'x' },
    'default_value',
    /unknown field\. Did you mean `defaultValue`\?/,
  ],
  ['an unknown field', { key: 'k', colour: 'red' }, 'colour', /^unknown field$/],
  ['an empty key', { key: '' }, 'key', /non-empty/],
  [
    'a field that the service sets',
    { key: 'k', userId: 'u1' },
    'userId',
    /expected nothing \(the service sets it\)/,
  ],
  ['a wrong type', { key: 'k', isEnv: 'yes' }, 'isEnv', /expected boolean, received string/],
])('%s of a variable is refused', async (_, variable, field, message) => {
  expect(await refusalOf(create(variable))).toMatchObject({
    issues: [{ path: ['variable', field], message: expect.stringMatching(message) as string }],
  });
});

test.each([
  ['phoneNumberSid', { isImportedNumber: true }],
  ['phoneNumberSid', { phoneNumberSid: '', isImportedNumber: true }],
  ['isImportedNumber', { phoneNumberSid: 'PN1', isImportedNumber: 'true' }],
  ['workspaceId', { workspaceId: '', phoneNumberSid: 'PN1', isImportedNumber: true }],
  ['workspaceID', { workspaceID: 'w', phoneNumberSid: 'PN1', isImportedNumber: true }],
])('phoneNumbers.release checks %s: %j', async (field, number) => {
  const error = await refusalOf(({ phoneNumbers }) => phoneNumbers.release(number as never));
  expect(error).toMatchObject({ issues: [{ path: [field] }] });
});

test('an unknown field inside an optional object of an argument is refused too', async () => {
  const invite = endpoint({
    method: 'POST',
    path: '/orgs/{orgId}/members',
    body: OrgClientSchema,
    response: z.unknown(),
  });
  const body = { ID: 'c1', handoff: { maxAssignes: 1 } } as object as OrgClient;
  expect(await refusalOf((platform) => platform.send(invite, { path: { orgId: 'o1' }, body }))).toMatchObject(
    { issues: [{ path: ['handoff', 'maxAssignes'], code: 'unrecognized_key' }] },
  );
});

test('the values of a variable may have any fields', async () => {
  const variable = { key: 'k', value: { anything: [{ '': null }] }, defaultValue: '' };
  await create(variable)(createClient());
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ variable });
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

test.each<[what: string, value: unknown, place: (string | number)[]]>([
  ['NaN', Number.NaN, []],
  ['infinity', { a: [Number.POSITIVE_INFINITY] }, ['a', 0]],
  ['a bigint', 1n, []],
  ['a function', () => 1, []],
  ['a Map', { a: new Map() }, ['a']],
  ['a promise that was not awaited', Promise.resolve(1), []],
  ['undefined in a list', [1, undefined], [1]],
])('%s has no JSON form, and is refused by its path', async (_, value, place) => {
  expect(await refusalOf(create({ key: 'k', value }))).toMatchObject({
    issues: [{ path: ['variable', 'value', ...place], code: 'not_json' }],
  });
});

test.each([
  ['a cycle', cycle],
  ['a value nested too deeply', JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))],
])('%s is a typed error, and nothing is sent', async (_, value) => {
  await refusalOf(create({ key: 'k', value }));
});

test('what a toJSON throws is the cause', async () => {
  const cause = new Error('not today');
  const value = {
    toJSON(): never {
      throw cause;
    },
  };
  expect(await refusalOf(create({ key: 'k', value }))).toMatchObject({ cause });
});

class Plan {
  get key(): string {
    return 'plan';
  }
}

test('the JSON form of an argument is checked, which has no getters of a class', async () => {
  expect(await refusalOf(create(new Plan()))).toMatchObject({ issues: [{ path: ['variable', 'key'] }] });
  await create(Object.assign(new Plan(), { toJSON: () => ({ key: 'at', value: new Date(0) }) }))(
    createClient(),
  );
  expect(requests[0]?.body).toBe('{"variable":{"key":"at","value":"1970-01-01T00:00:00.000Z"}}');
});

test('the error holds no value of the argument', async () => {
  const error = await refusalOf(create({ key: 5, isEnv: true, value: 'very-secret-value' }));
  expect(JSON.stringify(error) + String(error)).not.toContain('very-secret-value');
});
