import {
  type Drift,
  type Endpoint,
  endpoints,
  ResponseValidationError,
  type ValidationMode,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/v4/mini';
import { createClient, fake, rejectionOf, respond, response, seed, success } from '../support/client.js';

const MODES: readonly ValidationMode[] = ['strict', 'tolerant', 'off'];

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

test('an `any` of a response takes any number of fields with any names', async () => {
  const capturedVariables = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [index, index]));
  const { agentId, convoId } = seed;
  const conversation = { ID: convoId, agentID: agentId, capturedVariables };
  const { platform } = watched(endpoints.getConversation, success(conversation), 'strict');
  const read = await platform.conversations.get({ agentId, convoId });
  expect(Object.keys(read.capturedVariables ?? {})).toHaveLength(20_000);
});

test('a new field in each of 100,000 clients is drift', async () => {
  const clients = Array.from({ length: 100_000 }, (_, index) => ({ ID: `c${index}`, grown: 1 }));
  const { call, drifts } = listMembers(clients, 'tolerant');
  expect((await call).clients).toHaveLength(100_000);
  expect(drifts).toMatchObject([{ issues: { length: 101 } }]);
});

test('more issues than Zod can list are one', async () => {
  const body = success({ id: 't1', channels: Array(150_000).fill(1) });
  const { call, drifts } = getTool(body);
  expect((await call).channels).toHaveLength(150_000);
  expect(drifts).toMatchObject([{ issues: [{ path: ['data'], code: 'too_many_issues' }] }]);
  expect(await rejectionOf(getTool(body, 'strict').call)).toMatchObject({
    issues: [{ path: ['data'], code: 'too_many_issues' }],
  });
});

test.each([
  [100, 100, ['data', 'channels', 99], /^expected string/],
  [101, 101, ['data'], /^and 1 more issue/],
  [250, 101, ['data'], /^and 150 more issue/],
])('100 issues are listed, and the rest is counted: %i', async (count, length, path, message) => {
  const { issues } = (await rejectionOf(
    getTool(success({ id: 't1', channels: Array(count).fill(1) }), 'strict').call,
  )) as ResponseValidationError;
  expect(issues).toHaveLength(length);
  expect(issues.at(-1)).toMatchObject({ path, message: expect.stringMatching(message) });
});

test('the configuration of Zod does not change the words of an issue', async () => {
  const before = z.config();
  z.config({ customError: () => 'changed' });
  onTestFinished(() => void z.config({ ...before, customError: undefined }));
  expect(await rejectionOf(getTool(success({ id: 't1', name: 5 }), 'strict').call)).toMatchObject({
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
  const { call } = getTool(success({ id: 't1', name: 5 }), 'strict');
  const error = (await rejectionOf(call)) as ResponseValidationError;
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

test.each([204, 200])('%i with an empty body is a success of a deletion, in every mode', async (status) => {
  respond(response(status));
  for (const validation of MODES) {
    const drifts: Drift[] = [];
    const platform = createClient({ validation, hooks: { onDrift: (drift) => drifts.push(drift) } });
    expect(await platform.workspaces.delete('w1')).toBeUndefined();
    expect(drifts).toMatchObject(validation === 'off' ? [] : [{ issues: [{ code: 'empty_body' }] }]);
  }
});
