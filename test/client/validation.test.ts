import {
  type AgentPlatform,
  type Drift,
  type Endpoint,
  endpoints,
  ResponseValidationError,
  type ValidationMode,
} from 'agent-platform-sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { createClient, fake, rejectionOf, respond, response, seed, success } from '../support/client.js';

const MODES: readonly ValidationMode[] = ['strict', 'tolerant', 'report', 'off'];

/** A client of a service that responds to an operation with this body, and the drift that it reports. */
function watched(operation: Endpoint, body: unknown, validation?: ValidationMode) {
  const drifts: Drift[] = [];
  const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
  fake.handle(operation, () => Response.json(body));
  return { drifts, platform: createClient({ validation, hooks }) };
}

function getTool(body: unknown, validation?: ValidationMode) {
  const { platform, drifts } = watched(endpoints.getTool, body, validation);
  return { call: platform.tools.get('t1'), drifts };
}

function listMembers(clients: unknown[], validation: ValidationMode, more: object = {}) {
  const body = { success: true, message: 'ok', clients, teams: [], ...more };
  const { platform, drifts } = watched(endpoints.listMembersAndTeams, body, validation);
  return { call: platform.orgs.listMembersAndTeams('o1'), drifts };
}

describe('what grows is an error in strict, drift in tolerant and report, nothing in off', () => {
  const growth: [string, object, (string | number)[], message: RegExp][] = [
    ['a new field in a closed object', { ID: 'c1', avatar: 1 }, ['avatar'], /^unknown field$/],
    [
      'a new field deep in a closed object',
      { ID: 'c1', onboardingState: { currentStep: 1, x: 1 } },
      ['onboardingState', 'x'],
      /^unknown field$/,
    ],
    [
      'a new value in a closed list',
      { ID: 'c1', status: 'away' },
      ['status'],
      /expected one of "online", "offline", received another string/,
    ],
    ['null in an optional field', { ID: 'c1', name: null }, ['name'], /expected string, received null/],
    ['an expected id that is missing', { name: 'Dana' }, ['ID'], /^required: expected string$/],
    ['an expected id that is null', { ID: null }, ['ID'], /expected string, received null/],
  ];

  test.each(growth)('%s', async (_, client, path, message) => {
    const issue = { path: ['clients', 0, ...path], message: expect.stringMatching(message) as string };
    const strict = listMembers([client], 'strict');
    expect(await rejectionOf(strict.call)).toMatchObject({
      type: 'response_validation_error',
      issues: [issue],
    });
    for (const mode of ['tolerant', 'report'] as const) {
      const { call, drifts } = listMembers([client], mode);
      expect(await call).toEqual({ clients: [client], teams: [] });
      expect(drifts).toMatchObject([
        { source: 'GET /orgs/{orgId}/members-and-teams', region: 'eu', issues: [issue] },
      ]);
    }
    const off = listMembers([client], 'off');
    expect(await off.call).toEqual({ clients: [client], teams: [] });
    expect(off.drifts).toEqual([]);
  });

  const { createVariable, deleteWorkspace, releasePhoneNumber } = endpoints;
  const expected: [Endpoint, body: object, call: (platform: AgentPlatform) => Promise<unknown>, string[]][] =
    [
      [
        releasePhoneNumber,
        { isGood: true },
        ({ phoneNumbers }) => phoneNumbers.release({ phoneNumberSid: 'PN1', isImportedNumber: true }),
        ['errors'],
      ],
      [
        createVariable,
        success({ id: 'v1' }),
        ({ variables }) => variables.create('a1', { key: 'plan' }),
        ['data.type', 'data.key', 'data.agentId', 'data.userId'],
      ],
      [deleteWorkspace, { success: true }, ({ workspaces }) => workspaces.delete('w1'), ['message']],
    ];

  test.each(expected)('%j without what is only expected', async (operation, body, call, paths) => {
    const { platform, drifts } = watched(operation, body);
    await call(platform);
    expect(drifts.flatMap(({ issues }) => issues.map(({ path }) => path.join('.')))).toEqual(paths);
    expect(await rejectionOf(call(watched(operation, body, 'strict').platform))).toBeInstanceOf(
      ResponseValidationError,
    );
  });

  test('a new field beside clients and teams is kept', async () => {
    const { call, drifts } = listMembers([], 'tolerant', { invitations: ['i1'] });
    expect(await call).toEqual({ clients: [], teams: [], invitations: ['i1'] });
    expect(drifts).toMatchObject([{ issues: [{ path: ['invitations'] }] }]);
  });
});

test.each(['handoff', 'internal', 'onboardingState.personalInfo', 'onboardingState.setupData'])(
  'a new field in %s is kept in strict: the document does not mark it closed',
  async (place) => {
    const [name = '', inner] = place.split('.');
    const client = { ID: 'c1', [name]: inner === undefined ? { x: 1 } : { [inner]: { x: 1 } } };
    const { call, drifts } = listMembers([client], 'strict');
    expect(await call).toEqual({ clients: [client], teams: [] });
    expect(drifts).toEqual([]);
  },
);

describe('what is wrong is an error in strict and tolerant, drift in report, nothing in off', () => {
  test.each<[string, object, (string | number)[], message: RegExp]>([
    ['a wrong type', { name: 5 }, ['name'], /expected string, received number/],
    ['a wrong type for one of a list', { status: 7 }, ['status'], /expected one of .*, received number/],
    ['null in a list', { widgetIDs: ['w', null] }, ['widgetIDs', 1], /expected string, received null/],
    ['a wrong type deep inside', { handoff: { maxAssignees: '1' } }, ['handoff', 'maxAssignees'], /number/],
    ['an array for an object', { handoff: [] }, ['handoff'], /expected object, received array/],
    ['an object for an array', { widgetIDs: {} }, ['widgetIDs'], /expected array, received object/],
    [
      'a missing required field deep inside',
      { notificationsSettings: { notifyIf: 'all' } },
      ['notificationsSettings', 'notifyThrough'],
      /received nothing/,
    ],
  ])('%s', async (_, fields, path, message) => {
    const client = { ID: 'c1', ...fields };
    const issue = { path: ['clients', 0, ...path], message: expect.stringMatching(message) as string };
    for (const validation of ['strict', 'tolerant'] as const) {
      const { call, drifts } = listMembers([client], validation);
      expect(await rejectionOf(call)).toMatchObject({
        type: 'response_validation_error',
        issues: [issue],
      });
      expect(drifts).toEqual([]);
    }
    const report = listMembers([client], 'report');
    expect(await report.call).toEqual({ clients: [client], teams: [] });
    expect(report.drifts).toMatchObject([{ issues: [issue] }]);
    const off = listMembers([client], 'off');
    expect(await off.call).toEqual({ clients: [client], teams: [] });
    expect(off.drifts).toEqual([]);
  });

  test.each([
    ['a missing required field', { message: 'ok', data: { id: 't1' } }, ['success']],
    ['null in a required field', { success: null, message: 'ok', data: { id: 't1' } }, ['success']],
    ['no data', { success: true, message: 'ok' }, ['data']],
  ])('%s in the envelope', async (_, body, path) => {
    for (const validation of ['strict', 'tolerant'] as const) {
      expect(await rejectionOf(getTool(body, validation).call)).toMatchObject({ issues: [{ path }] });
    }
  });

  test('the error lists only what is not forgiven', async () => {
    const { call } = listMembers([{ ID: 'c1', avatar: 1, name: 5 }], 'tolerant');
    expect(await rejectionOf(call)).toMatchObject({ issues: [{ path: ['clients', 0, 'name'] }] });
  });
});

test('an `any` of a response takes any number of fields with any names', async () => {
  const capturedVariables = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [index, index]));
  const { agentId, convoId } = seed;
  const conversation = { ID: convoId, agentID: agentId, capturedVariables };
  const { platform } = watched(endpoints.getConversation, success(conversation), 'strict');
  const read = await platform.conversations.get({ agentId, convoId });
  expect(Object.keys(read.capturedVariables ?? {})).toHaveLength(20_000);
});

test.each([
  [100_000, 'tolerant', 101],
  // More than Zod can list.
  [150_000, 'report', 1],
] as const)('a new field in each of %i clients is drift in %s', async (count, mode, issues) => {
  const { call, drifts } = listMembers(clientsWith('grown', count), mode);
  expect((await call).clients).toHaveLength(count);
  expect(drifts).toHaveLength(1);
  expect(drifts[0]?.issues).toHaveLength(issues);
});

test('more issues than can be listed are one typed error', async () => {
  expect(await rejectionOf(listMembers(clientsWith('grown', 150_000), 'tolerant').call)).toMatchObject({
    issues: [{ path: [], code: 'too_many_issues' }],
  });
});

function clientsWith(field: string, count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ ID: `c${index}`, [field]: 1 }));
}

test('100 issues are listed, and the rest is counted', async () => {
  const { issues } = (await rejectionOf(
    getTool(success({ id: 't1', channels: Array(250).fill(1) })).call,
  )) as ResponseValidationError;
  expect(issues).toHaveLength(101);
  expect(issues.at(-1)).toEqual({ path: ['data'], code: 'more_issues', message: 'and 150 more issue(s)' });
});

test('the configuration of Zod does not change the words of an issue', async () => {
  const before = z.config();
  z.config({ customError: () => 'changed' });
  onTestFinished(() => void z.config({ ...before, customError: undefined }));
  expect(await rejectionOf(getTool(success({ id: 't1', name: 5 })).call)).toMatchObject({
    issues: [{ message: 'expected string, received number' }],
  });
});

test('a valid response reports nothing', async () => {
  for (const validation of MODES) {
    const { call, drifts } = getTool(success({ id: 't1', grown: true }), validation);
    expect(await call).toEqual({ id: 't1', grown: true });
    expect(drifts).toEqual([]);
  }
});

test('the mode of a call wins over the client’s', async () => {
  const { platform } = watched(endpoints.getTool, success({}), 'strict');
  expect(await platform.tools.get('t1', { validation: 'off' })).toEqual({});
  await expect(platform.tools.get('t1')).rejects.toBeInstanceOf(ResponseValidationError);
});

test('an error shows a path as developers write it', async () => {
  const { call } = listMembers([{ ID: 'c1', 'a-b': 1, onboardingState: { '1c': 1 } }], 'strict');
  const { message } = (await rejectionOf(call)) as Error;
  expect(message).toContain('\n  - clients[0]["a-b"]: unknown field');
  expect(message).toContain('\n  - clients[0].onboardingState["1c"]: unknown field');
});

test('the error names the field, what was expected and what was received', async () => {
  const error = (await rejectionOf(getTool(success({ id: 't1', name: 5 })).call)) as ResponseValidationError;
  expect(error.message).toMatch(
    /^GET \/tools\/t1 responded with 200, but .*\n {2}- data\.name: expected string, received number/,
  );
  expect(error).toMatchObject({ status: 200, method: 'GET', path: '/tools/t1', region: 'eu' });
  expect(error.body).toEqual(success({ id: 't1', name: 5 }));
});

test.each([
  ['HTML', '<html><body>Login</body></html>', 'not_json', /HTML/],
  ['truncated JSON', '{"success":true,"data":{"id":"t', 'not_json', /JSON/],
  ['text', 'OK', 'not_json', /text that is not JSON/],
  ['an empty body', '', 'empty_body', /an empty body/],
])('%s for JSON is a typed error in every mode', async (_, body, code, description) => {
  respond(response(200, body));
  for (const validation of MODES) {
    const error = (await rejectionOf(createClient({ validation }).tools.get('t1'))) as Error;
    expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ code }] });
    expect(error.message).toMatch(description);
  }
});

test.each(['null', '[]', '5', '"text"'])('%s in place of an envelope never crashes', async (body) => {
  respond(response(200, body));
  for (const validation of MODES) {
    const platform = createClient({ validation });
    const calls = [platform.tools.get('t1'), platform.orgs.listMembersAndTeams('o1')];
    if (validation === 'strict' || validation === 'tolerant') {
      for (const call of calls) expect(await rejectionOf(call)).toBeInstanceOf(ResponseValidationError);
    } else {
      await expect(Promise.all(calls)).resolves.toHaveLength(2);
    }
  }
});

test.each([204, 200])('%i with an empty body is a success of a deletion, in every mode', async (status) => {
  respond(response(status));
  for (const validation of MODES) {
    const drifts: Drift[] = [];
    const platform = createClient({ validation, hooks: { onDrift: (drift) => drifts.push(drift) } });
    expect(await platform.workspaces.delete('w1')).toBeUndefined();
    expect(drifts).toMatchObject(validation === 'off' ? [] : [{ issues: [{ code: 'empty_body' }] }]);
  }
});
