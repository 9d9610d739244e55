import {
  type AgentPlatform,
  type Drift,
  type Endpoint,
  endpoints,
  ResponseValidationError,
  type ValidationMode,
} from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
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
  const growth: [string, object, (string | number)[], string][] = [
    ['a new field in a closed object', { ID: 'c1', avatar: 1 }, ['clients', 0, 'avatar'], 'unrecognized_key'],
    [
      'a new field deep in a closed object',
      { ID: 'c1', onboardingState: { currentStep: 1, x: 1 } },
      ['clients', 0, 'onboardingState', 'x'],
      'unrecognized_key',
    ],
    ['a new value in a closed list', { ID: 'c1', status: 'away' }, ['clients', 0, 'status'], 'invalid_value'],
    ['null in an optional field', { ID: 'c1', name: null }, ['clients', 0, 'name'], 'invalid_type'],
    ['an expected id that is missing', { name: 'Dana' }, ['clients', 0, 'ID'], 'invalid_type'],
  ];

  test.each(growth)('%s', async (_, client, path, code) => {
    const strict = listMembers([client], 'strict');
    expect(await rejectionOf(strict.call)).toMatchObject({
      type: 'response_validation_error',
      issues: [{ path, code }],
    });
    for (const mode of ['tolerant', 'report'] as const) {
      const { call, drifts } = listMembers([client], mode);
      expect(await call).toEqual({ clients: [client], teams: [] });
      expect(drifts).toMatchObject([
        { source: 'GET /orgs/{orgId}/members-and-teams', region: 'eu', issues: [{ path, code }] },
      ]);
    }
    const off = listMembers([client], 'off');
    expect(await off.call).toEqual({ clients: [client], teams: [] });
    expect(off.drifts).toEqual([]);
  });

  const { createVariable, deleteWorkspace, releasePhoneNumber } = endpoints;
  const expected: [
    Endpoint,
    answer: object,
    call: (platform: AgentPlatform) => Promise<unknown>,
    string[],
  ][] = [
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

  test.each(expected)('%j without what is only expected', async (operation, answer, call, paths) => {
    const { platform, drifts } = watched(operation, answer);
    await call(platform);
    expect(drifts.flatMap(({ issues }) => issues.map(({ path }) => path.join('.')))).toEqual(paths);
    expect(await rejectionOf(call(watched(operation, answer, 'strict').platform))).toBeInstanceOf(
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
  test.each<[string, unknown, (string | number)[]]>([
    ['a wrong type', { id: 't1', name: 5 }, ['data', 'name']],
    ['a wrong element', { id: 't1', channels: ['web-chat', null] }, ['data', 'channels', 1]],
    ['a wrong type deep inside', { id: 't1', fields: [{}, { isEnv: 'y' }] }, ['data', 'fields', 1, 'isEnv']],
    ['an array for an object', [], ['data']],
  ])('%s', async (_, data, path) => {
    for (const validation of ['strict', 'tolerant'] as const) {
      const { call, drifts } = getTool(success(data), validation);
      expect(await rejectionOf(call)).toMatchObject({
        type: 'response_validation_error',
        issues: [{ path }],
      });
      expect(drifts).toEqual([]);
    }
    const report = getTool(success(data), 'report');
    expect(await report.call).toEqual(data);
    expect(report.drifts).toMatchObject([{ issues: [{ path }] }]);
    const off = getTool(success(data), 'off');
    expect(await off.call).toEqual(data);
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

test('a new field in each of 100,000 clients is drift, and takes no one down', async () => {
  const clients = Array.from({ length: 100_000 }, (_, index) => ({ ID: `c${index}`, grown: 1 }));
  const { call, drifts } = listMembers(clients, 'tolerant');
  expect((await call).clients).toHaveLength(100_000);
  expect(drifts).toHaveLength(1);
  expect(drifts[0]?.issues).toHaveLength(101);
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

test('the error names the field, what was expected and what came', async () => {
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

test('a deletion that is answered {} has an unknown outcome: nothing says that it succeeded', async () => {
  const { platform } = watched(endpoints.deleteWorkspace, {});
  expect(await rejectionOf(platform.workspaces.delete('w1'))).toMatchObject({
    type: 'response_validation_error',
    outcomeUnknown: true,
    issues: [{ path: ['success'] }],
  });
});
