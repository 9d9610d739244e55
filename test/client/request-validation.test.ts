import {
  type AgentPlatform,
  type AgentPlatformOptions,
  endpoint,
  endpoints,
  RequestValidationError,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf, success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

/** The error of a call that is refused before anything is sent. */
async function refusalOf(
  call: (platform: AgentPlatform) => Promise<unknown>,
  options: AgentPlatformOptions = {},
): Promise<Error> {
  const { platform, requests } = connectTo(answerWith(200), options);
  const error = await rejectionOf(call(platform));
  expect(requests).toHaveLength(0);
  return error as Error;
}

const modes = ['strict', 'tolerant', 'report', 'off'] as const;

test.each(modes)('a wrong argument is refused in the mode %s, and nothing is sent', async (validation) => {
  const error = await refusalOf(
    (platform) => platform.variables.create('a1', { description: 'no key' } as never),
    { validation },
  );
  expect(error).toBeInstanceOf(RequestValidationError);
  expect(error).toMatchObject({
    issues: [{ path: ['variable', 'key'], code: 'invalid_type', message: 'required: expected string' }],
    method: 'POST',
    path: '/agents/{agentId}/variables',
    outcomeUnknown: false,
  });
});

test.each([
  ['an empty string', '', 'an empty string'],
  ['a blank string', '  ', 'a blank string'],
  ['a dot', '.', "'.', the path of another operation"],
  ['two dots', '..', "'..', the path of another operation"],
  ['two dots, encoded', '%2E%2e', "'..', the path of another operation"],
  ['two dots, encoded twice', '%252e.', "'..', the path of another operation"],
  ['two dots, encoded eight times', `%${'25'.repeat(7)}2e.`, "'..', the path of another operation"],
  ['a way to another operation', '../agents/a', "'..', the path of another operation"],
  ['a way there and back', 'a/%2e%2e\\b', "'..', the path of another operation"],
  ['two dots before a parameter', '..;a/b', "'..', the path of another operation"],
  ['nothing', undefined, 'nothing'],
  ['null', null, 'null'],
  ['a number', 5, 'number'],
  ['an object', {}, 'object'],
  ['half a surrogate pair', 'a\ud800', 'a string that is not valid Unicode'],
  ['the other half of one', '\udc00a', 'a string that is not valid Unicode'],
])('%s is not an id', async (_, id, received) => {
  const calls: ((platform: AgentPlatform) => Promise<unknown>)[] = [
    ({ tools }) => tools.get(id as never),
    ({ workspaces }) => workspaces.delete(id as never),
    ({ orgs }) => orgs.listMembersAndTeams(id as never),
    ({ conversations }) => conversations.get({ agentId: 'a', convoId: id as never }),
  ];
  for (const call of calls) {
    expect(await refusalOf(call)).toMatchObject({
      type: 'request_validation_error',
      issues: [{ code: 'invalid_id', message: `expected a non-empty id, received ${received}` }],
    });
  }
});

test.each(['id', 'agentId', 'userId'])(
  '%s of a variable is returned only: sending it is refused',
  async (field) => {
    const variable = { key: 'plan', [field]: 'x' };
    expect(await refusalOf((platform) => platform.variables.create('a1', variable))).toMatchObject({
      type: 'request_validation_error',
      issues: [
        {
          path: ['variable', field],
          code: 'invalid_type',
          message: 'expected nothing (the service sets it), received string',
        },
      ],
    });
  },
);

class Plan {
  get key(): string {
    return 'plan';
  }
}

test('a field that only the class of an argument has is missing, since JSON leaves it out', async () => {
  const error = await refusalOf((platform) => platform.variables.create('a1', new Plan()));
  expect(error).toMatchObject({
    type: 'request_validation_error',
    issues: [{ path: ['variable', 'key'], message: 'required: expected string' }],
  });
  const { platform, requests } = connectTo(answerWith(200, success({ id: 'v1' })));
  await platform.variables.create('a1', Object.assign(new Plan(), { toJSON: () => ({ key: 'plan' }) }));
  expect(requests[0]?.body).toBe('{"variable":{"key":"plan"}}');
});

test('an empty phoneNumberSid is refused', async () => {
  const error = await refusalOf((platform) =>
    platform.phoneNumbers.release({ phoneNumberSid: '', isImportedNumber: true }),
  );
  expect(error).toMatchObject({
    type: 'request_validation_error',
    issues: [{ path: ['phoneNumberSid'], code: 'too_small', message: 'expected a non-empty string' }],
  });
});

test('the issue names the parameter', async () => {
  const error = await refusalOf((platform) => platform.conversations.get({ agentId: 'a', convoId: '' }));
  expect(error.message).toBe(
    'GET /agents/{agentId}/convos/{convoId} was not sent: the arguments do not fit the operation\n' +
      '  - convoId: expected a non-empty id, received an empty string',
  );
});

test.each([
  [
    'two ids in a row',
    ['a1', 'c1'],
    /^.*\n {2}- \(root\): expected the ids by name in one object, { agentId, convoId }, received string$/,
    ['invalid_type'],
  ],
  ['nothing', [], /agentId/, ['invalid_id', 'invalid_id']],
  ['null', [null], /agentId/, ['invalid_id', 'invalid_id']],
])('conversations.get with %s is refused as what it is', async (_, args, message, codes) => {
  const error = await refusalOf(({ conversations }) => conversations.get(...(args as [never])));
  expect(error).toMatchObject({ type: 'request_validation_error', issues: codes.map((code) => ({ code })) });
  expect(error.message).toMatch(message);
});

test.each([
  'defaults',
  'Defaults',
  '%64efaults',
  ' defaults',
  'defaults/',
  '%2Fdefaults',
  'defaults\\',
  'defaults;x',
  '/defaults;x=1/',
  'defaults?x',
  'defaults#',
  'defaults\0.json',
  'defaults/?/',
  'defaults%3Fx',
  '..?x',
  'a/..#/b',
  '.\0',
  'a?/../defaults',
  '?/../../orgs/o1',
  'a#/../x',
  'a\0/../x',
  '.. ?x',
  '.. ;x',
  '.. /x',
  'x/ ../y',
  'defaults ?x',
])('tools.get refuses the path of another operation: %s', async (id) => {
  const error = await refusalOf((platform) => platform.tools.get(id));
  expect(error).toMatchObject({ type: 'request_validation_error', issues: [{ path: ['toolId'] }] });
  expect(error.message).toContain('another operation');
});

test.each(['builtIn', 'BUILTIN', 'built%49n', 'shared', 'all;v=1'])(
  'an endpoint refuses the value that it reserves: %s',
  async (id) => {
    const response = z.unknown();
    const getThing = endpoint({
      method: 'GET',
      path: '/things/{id}',
      response,
      reserved: { id: ['builtIn', 'shared', 'all;v=1'] },
    });
    const error = await refusalOf((platform) => platform.send(getThing, { path: { id } }));
    expect(error.message).toMatch(/'(builtIn|shared|all;v=1)', the path of another operation/);
  },
);

test('an id that is encoded over and over is sent, and overflows no stack', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  const id = `%${'25'.repeat(50_000)}`;
  await platform.tools.get(id);
  expect(requests[0]?.url).toContain('2525252525');
});

test('all ids that are missing are told at once', async () => {
  const error = await refusalOf((platform) => platform.conversations.get({} as never));
  expect(error).toMatchObject({ issues: [{ path: ['agentId'] }, { path: ['convoId'] }] });
});

test('an object that a body holds twice is sent twice', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 'v1' })));
  const twice = { a: 1 };
  await platform.variables.create('a1', { key: 'k', value: [twice, twice], defaultValue: twice });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    variable: { key: 'k', value: [{ a: 1 }, { a: 1 }], defaultValue: { a: 1 } },
  });
});

test('null in a body is sent as it is', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 'v1' })));
  await platform.variables.create('a1', { key: 'k', value: null, defaultValue: [null] });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    variable: { key: 'k', value: null, defaultValue: [null] },
  });
});

const cycle: Record<string, unknown> = {};
cycle.self = cycle;

test.each([
  ['NaN', Number.NaN, ['variable', 'value'], 'NaN'],
  ['Infinity', { a: [Number.POSITIVE_INFINITY] }, ['variable', 'value', 'a', 0], 'Infinity'],
  ['a bigint', 1n, ['variable', 'value'], 'BigInt'],
  ['a function', () => 1, ['variable', 'value'], 'Function'],
  ['a symbol', Symbol('s'), ['variable', 'value'], 'Symbol'],
  ['a Map', new Map(), ['variable', 'value'], 'Map'],
  ['a promise that was not awaited', Promise.resolve(1), ['variable', 'value'], 'Promise'],
  ['bytes', new Uint8Array(2), ['variable', 'value'], 'Uint8Array'],
  ['a date that is none', new Date(Number.NaN), ['variable', 'value'], 'Invalid Date'],
  ['undefined in a list', [1, undefined], ['variable', 'value', 1], 'Undefined'],
  ['a cycle', cycle, ['variable', 'value', 'self'], 'an object that holds itself'],
])(
  '%s has no JSON form, and is refused instead of being changed on the way',
  async (_, value, path, received) => {
    const error = await refusalOf((platform) => platform.variables.create('a1', { key: 'k', value }));
    const message = `expected a value that JSON can hold, received ${received}`;
    expect(error).toMatchObject({
      type: 'request_validation_error',
      issues: [{ path, code: 'not_json', message }],
    });
  },
);

const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000)) as unknown;
const hostile = new Proxy({}, { ownKeys: () => expect.fail('a trap') });
const throwing = {
  toJSON(): never {
    throw new Error('not today');
  },
};

test.each([
  ['nested too deeply', deep],
  ['a proxy that throws', hostile],
  ['a toJSON that throws', throwing],
  ['a toJSON that gives a bigint', { toJSON: () => 1n }],
])('%s is a typed error, and nothing is sent', async (_, value) => {
  expect(await refusalOf((platform) => platform.variables.create('a1', { key: 'k', value }))).toMatchObject({
    type: 'request_validation_error',
  });
});

test('an error of the user’s own that has issues is the cause, and its issues are not those of the call', async () => {
  const cause = Object.assign(new Error('not today'), {
    issues: [{ path: ['mine'], code: 'c', message: 'm' }],
  });
  const value = {
    toJSON(): never {
      throw cause;
    },
  };
  const error = await refusalOf((platform) => platform.variables.create('a1', { key: 'k', value }));
  expect(error).toMatchObject({ cause, issues: [{ path: [] }] });
});

test('a date is sent in its JSON form', async () => {
  const { platform, requests } = connectTo(answerWith(200, { success: true, data: { id: 'v1' } }));
  await platform.variables.create('a1', { key: 'k', value: new Date(0) });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    variable: { key: 'k', value: '1970-01-01T00:00:00.000Z' },
  });
});

test('null for all arguments of send is a typed error', async () => {
  const error = await refusalOf((platform) => platform.send(endpoints.getTool, null as never));
  expect(error).toMatchObject({ type: 'request_validation_error', issues: [{ path: ['toolId'] }] });
});

const search = endpoint({ method: 'GET', path: '/leads', query: z.object({}), response: z.unknown() });

test.each<[string, (platform: AgentPlatform) => Promise<unknown>]>([
  ['body', ({ phoneNumbers }) => phoneNumbers.release(undefined as never)],
  ['query', (platform) => platform.send(search, {} as never)],
])('a missing %s is a typed error', async (part, call) => {
  expect(await refusalOf(call)).toMatchObject({
    type: 'request_validation_error',
    issues: [{ path: [], code: 'invalid_type', message: `required: expected a ${part}` }],
  });
});

test.each(modes)('null in an optional field is refused in the mode %s', async (validation) => {
  const variable = { key: 'k', description: null } as never;
  const error = await refusalOf(({ variables }) => variables.create('a1', variable), { validation });
  expect(error).toMatchObject({ issues: [{ path: ['variable', 'description'] }] });
});

test.each([
  ['phoneNumberSid', { isImportedNumber: true }],
  ['isImportedNumber', { phoneNumberSid: 'PN1' }],
  ['isImportedNumber', { phoneNumberSid: 'PN1', isImportedNumber: 'true' }],
  ['workspaceId', { workspaceId: 5, phoneNumberSid: 'PN1', isImportedNumber: true }],
])('phoneNumbers.release checks %s', async (field, number) => {
  const error = await refusalOf((platform) => platform.phoneNumbers.release(number as never));
  expect(error).toMatchObject({ issues: [{ path: [field] }] });
});

test('the error holds no value of the argument', async () => {
  const error = await refusalOf((platform) =>
    platform.variables.create('a1', { key: 5, isEnv: true, value: 'very-secret-value' } as never),
  );
  expect(JSON.stringify(error) + String(error)).not.toContain('very-secret-value');
});
