import {
  type AgentPlatform,
  type Drift,
  endpoint,
  ResponseValidationError,
  type ValidationMode,
} from 'agent-platform-sdk';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { rejectionOf, success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

const MODES: readonly ValidationMode[] = ['strict', 'tolerant', 'report', 'off'];

/** A client of a service that answers so, and the drift that it reports. */
function watched(body: unknown, validation?: ValidationMode, status = 200) {
  const drifts: Drift[] = [];
  const hooks = { onDrift: (drift: Drift) => void drifts.push(drift) };
  return { drifts, ...connectTo(answerWith(status, body), { validation, hooks }) };
}

function getTool(body: unknown, validation?: ValidationMode) {
  const { platform, drifts } = watched(body, validation);
  return { call: platform.tools.get('t1'), drifts };
}

function listMembers(clients: unknown[], validation: ValidationMode, more: object = {}) {
  const body = { success: true, message: 'ok', clients, teams: [], ...more };
  const { platform, drifts } = watched(body, validation);
  return { call: platform.orgs.listMembersAndTeams('o1'), drifts };
}

describe('what grows', () => {
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
    [
      'null in an optional field of a list of values',
      { ID: 'c1', status: null },
      ['clients', 0, 'status'],
      'invalid_value',
    ],
    [
      'null in an optional object',
      { ID: 'c1', notificationsSettings: null },
      ['clients', 0, 'notificationsSettings'],
      'invalid_type',
    ],
    ['null in an optional array', { ID: 'c1', widgetIDs: null }, ['clients', 0, 'widgetIDs'], 'invalid_type'],
    ['an expected id that is missing', { name: 'Dana' }, ['clients', 0, 'ID'], 'invalid_type'],
    [
      'an expected id that is missing in a team summary',
      { ID: 'c1', teams: [{ key: 'support' }] },
      ['clients', 0, 'teams', 0, 'ID'],
      'invalid_type',
    ],
  ];

  test.each(growth)(
    '%s: an error in strict, drift in tolerant and report, nothing in off',
    async (_, client, path, code) => {
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
    },
  );

  test('what is only expected of an answer is drift where it is missing', async () => {
    const answers: [answer: object, call: (platform: AgentPlatform) => Promise<unknown>, paths: unknown[]][] =
      [
        [
          { isGood: true },
          ({ phoneNumbers }) => phoneNumbers.release({ phoneNumberSid: 'PN1', isImportedNumber: true }),
          [['errors']],
        ],
        [
          { success: true, message: 'ok', data: { id: 'v1' } },
          ({ variables }) => variables.create('a1', { key: 'plan' }),
          [
            ['data', 'type'],
            ['data', 'key'],
            ['data', 'agentId'],
            ['data', 'userId'],
          ],
        ],
        [{ success: true }, ({ workspaces }) => workspaces.delete('w1'), [['message']]],
      ];
    for (const [answer, call, paths] of answers) {
      const { platform, drifts } = watched(answer);
      await call(platform);
      expect(drifts.flatMap(({ issues }) => issues.map(({ path }) => path))).toEqual(paths);
      expect(await rejectionOf(call(watched(answer, 'strict').platform))).toBeInstanceOf(
        ResponseValidationError,
      );
    }
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

  test('a new field of the closed envelope is kept beside clients and teams', async () => {
    const { call, drifts } = listMembers([], 'tolerant', { invitations: ['i1'] });
    expect(await call).toEqual({ clients: [], teams: [], invitations: ['i1'] });
    expect(drifts).toMatchObject([{ issues: [{ path: ['invitations'] }] }]);
  });
});

describe('what breaks the contract', () => {
  const breaks: [string, unknown, (string | number)[]][] = [
    ['a wrong type', { id: 't1', name: 5 }, ['data', 'name']],
    ['a wrong element', { id: 't1', channels: ['web-chat', null] }, ['data', 'channels', 1]],
    [
      'a wrong type deep inside',
      { id: 't1', fields: [{}, { isEnv: 'yes' }] },
      ['data', 'fields', 1, 'isEnv'],
    ],
    ['an array for an object', [], ['data']],
  ];

  test.each(breaks)(
    '%s: an error in strict and tolerant, drift in report, nothing in off',
    async (_, data, path) => {
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
    },
  );

  test.each([
    ['a missing required field', { message: 'ok', data: { id: 't1' } }, ['success']],
    ['null in a required field', { success: null, message: 'ok', data: { id: 't1' } }, ['success']],
    ['an answer without data', { success: true, message: 'ok' }, ['data']],
  ])('%s of the envelope is an error in strict and tolerant', async (_, answer, path) => {
    for (const validation of ['strict', 'tolerant'] as const) {
      const { call } = getTool(answer, validation);
      expect(await rejectionOf(call)).toMatchObject({ issues: [{ path }] });
    }
  });

  test('a number in a closed list of strings is not growth', async () => {
    const { call } = listMembers([{ ID: 'c1', status: 5 }], 'tolerant');
    expect(await rejectionOf(call)).toBeInstanceOf(ResponseValidationError);
  });

  test('only what cannot be forgiven stands in the error', async () => {
    const { call } = listMembers([{ ID: 'c1', avatar: 1, name: 5 }], 'tolerant');
    expect(await rejectionOf(call)).toMatchObject({ issues: [{ path: ['clients', 0, 'name'] }] });
  });
});

test('a valid answer reports nothing', async () => {
  for (const validation of MODES) {
    const { call, drifts } = getTool(success({ id: 't1', grown: true }), validation);
    expect(await call).toEqual({ id: 't1', grown: true });
    expect(drifts).toEqual([]);
  }
});

test('the mode of a call wins over the client’s', async () => {
  const { platform } = connectTo(answerWith(200, success({})), { validation: 'strict' });
  expect(await platform.tools.get('t1', { validation: 'off' })).toEqual({});
  await expect(platform.tools.get('t1')).rejects.toBeInstanceOf(ResponseValidationError);
});

test('the error names the field, what was expected and what came', async () => {
  const { call } = getTool(success({ id: 't1', name: 5 }));
  const error = (await rejectionOf(call)) as ResponseValidationError;
  expect(error.message).toBe(
    'GET /tools/t1 answered 200 with a body that does not fit the specification\n' +
      '  - data.name: expected string, received number\n' +
      "  With `validation: 'report'` it is passed on as it is.",
  );
  expect(error).toMatchObject({ status: 200, method: 'GET', path: '/tools/t1', region: 'eu' });
  expect(error.body).toEqual(success({ id: 't1', name: 5 }));
});

test.each([
  ['no envelope', null],
  ['an envelope without data', { success: true, message: 'ok' }],
])('no mode is named as the way out where none would return anything: %s', async (_, body) => {
  const { call } = getTool(body);
  const error = (await rejectionOf(call)) as ResponseValidationError;
  expect(error.message).not.toContain('report');
  expect(await getTool(body, 'report').call).toBeUndefined();
});

test('an answer without data is passed on where none is asked for', async () => {
  const { platform } = connectTo(answerWith(200, { message: 'deleted' }));
  const error = (await rejectionOf(platform.workspaces.delete('w1'))) as ResponseValidationError;
  expect(error.message).toContain("With `validation: 'report'`");
});

test('a thousand wrong fields are listed up to a limit, and the rest is counted', async () => {
  const { call } = getTool(success({ id: 't1', channels: Array.from({ length: 1000 }, () => 1) }));
  const { issues } = (await rejectionOf(call)) as ResponseValidationError;
  expect(issues).toHaveLength(101);
  expect(issues[100]).toMatchObject({ code: 'more_issues', message: 'and 900 more issue(s)' });
});

describe('a 2xx that cannot be read', () => {
  test.each([
    ['HTML', '<html><body>Login</body></html>', 'an HTML page'],
    ['an empty body', '', 'an empty body'],
    ['truncated JSON', '{"success":true,"data":{"id":"t', 'broken or unexpected JSON'],
    ['text', 'OK', 'text that is not JSON'],
  ])('%s is a typed error with status and text, in every mode', async (_, body, description) => {
    for (const validation of MODES) {
      const { call } = getTool(body, validation);
      const error = (await rejectionOf(call)) as ResponseValidationError;
      expect(error).toBeInstanceOf(ResponseValidationError);
      expect(error).toMatchObject({ status: 200, rawBody: body, issues: [{ code: 'not_json' }] });
      expect(error.message).toContain(description);
      const deleting = connectTo(answerWith(200, body), { validation }).platform.workspaces.delete('w1');
      // No mode passes it on; an empty one is a success.
      if (body !== '') expect(((await rejectionOf(deleting)) as Error).message).not.toContain('report');
    }
  });

  test.each(['null', '[]', '5', '"text"'])('%s in place of an envelope never crashes', async (body) => {
    for (const validation of MODES) {
      const { platform } = connectTo(answerWith(200, body), { validation });
      const tool = () => platform.tools.get('t1');
      const members = () => platform.orgs.listMembersAndTeams('o1');
      if (validation === 'strict' || validation === 'tolerant') {
        expect(await rejectionOf(tool())).toBeInstanceOf(ResponseValidationError);
        expect(await rejectionOf(members())).toBeInstanceOf(ResponseValidationError);
      } else {
        expect(await tool()).toBeUndefined();
        expect(await members()).toEqual({});
      }
    }
  });
});

describe('an operation without data', () => {
  test.each([
    [204, ''],
    [200, ''],
    [202, ' \n'],
  ])('%i with an empty body succeeds: the deletion has happened', async (status, body) => {
    for (const validation of MODES) {
      const { platform, drifts } = watched(body, undefined, status);
      expect(await platform.workspaces.delete('w1', { validation })).toBeUndefined();
      const issues = [
        { path: [], code: 'empty_body', message: 'expected an envelope, received an empty body' },
      ];
      expect(drifts).toMatchObject(
        validation === 'off' ? [] : [{ source: 'DELETE /workspaces/{id}', issues }],
      );
    }
  });
});

test.each(['strict', 'tolerant'] as const)(
  'a deletion that is answered {} has an unknown outcome in %s: nothing says that it succeeded',
  async (validation) => {
    const { platform } = connectTo(answerWith(200, {}), { validation });
    const error = await rejectionOf(platform.workspaces.delete('w1'));
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error).toMatchObject({
      outcomeUnknown: true,
      issues: expect.arrayContaining([expect.objectContaining({ path: ['success'] })]),
    });
  },
);

const failures: [envelope: object, reason: string, call: (platform: AgentPlatform) => Promise<unknown>][] = [
  [
    { success: false, message: 'Workspace is locked' },
    'Workspace is locked',
    ({ workspaces }) => workspaces.delete('w1'),
  ],
  [
    { isGood: false, errors: 'no such number' },
    'no such number',
    ({ phoneNumbers }) => phoneNumbers.release({ phoneNumberSid: 'PN1', isImportedNumber: true }),
  ],
];

test.each([
  [{ success: false }, '(success: false): without a reason'],
  [{ success: false, message: '' }, '(success: false): without a reason'],
  [{ success: false, message: 'no' }, '(success: false): no'],
  [{ isGood: false, errors: 'rented' }, '(isGood: false): rented'],
  [{ success: false, message: 'no', errors: 'rented' }, '(success: false): no'],
  [{ isGood: false, errors: 7 }, '(isGood: false): without a reason'],
  [{ success: true, isGood: false }, '(isGood: false): without a reason'],
  [{ success: false, isGood: false }, '(success: false): without a reason'],
])('the failed envelope %j is told as it is', async (body, words) => {
  const error = (await rejectionOf(getTool(body).call)) as Error;
  expect(error).toMatchObject({ type: 'operation_failed_error' });
  expect(error.message).toContain(words);
});

test.each(failures)('%j in a 200 is an error in every mode', async (body, reason, call) => {
  for (const validation of MODES) {
    const error = await rejectionOf(call(watched(body, validation).platform));
    expect(error).toMatchObject({ type: 'operation_failed_error', status: 200, outcomeUnknown: false, body });
    expect((error as Error).message).toContain(reason);
  }
});
