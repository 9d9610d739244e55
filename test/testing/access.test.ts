import { endpoint, NotFoundError, PermissionDeniedError, withData } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FakePlatformOptions } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { type OperationName, operationNames, operations } from '../endpoints/operations.js';
import { clientOf, send } from './clients.js';

type Choices = NonNullable<FakePlatformOptions['choices']>;

/** The seed, with a second agent of its workspace (sibling), and one of another workspace (stranger). */
function twoWorkspaces(choices: Choices): FakePlatform {
  const fake = createFakePlatform({ choices });
  const workspaceId = fake.seed.eu.secondWorkspaceId;
  fake.add.agent({ id: 'sibling' });
  fake.add.agent({ id: 'stranger', workspaceId });
  for (const agentId of ['sibling', 'stranger']) {
    fake.add.tool({ id: `tool_of_${agentId}`, agentId });
    fake.add.conversation({ agentId, convoId: 'convo' });
  }
  fake.add.phoneNumber({ sid: 'number_of_stranger', workspaceId });
  fake.add.org({ id: 'org_of_stranger', workspaceId });
  return fake;
}

const { eu } = createFakePlatform().seed;

/** The ids with which the operations are called. The workspace to delete is always the second. */
const ids = {
  own: eu,
  sibling: { ...eu, agentId: 'sibling', toolId: 'tool_of_sibling', convoId: 'convo' },
  stranger: {
    ...eu,
    agentId: 'stranger',
    toolId: 'tool_of_stranger',
    convoId: 'convo',
    orgId: 'org_of_stranger',
    rentedNumberSid: 'number_of_stranger',
  },
};

/** The operations that succeed. Each of the others must be refused, and change nothing. */
async function reached(token: string, choices: Choices, owner: keyof typeof ids): Promise<OperationName[]> {
  const found: OperationName[] = [];
  for (const name of operationNames) {
    const fake = twoWorkspaces(choices);
    const before = fake.snapshot();
    try {
      await operations[name].call(clientOf(fake), ids[owner], { token });
      found.push(name);
    } catch (error) {
      expect(fake.snapshot()).toEqual(before);
      if (!(error instanceof NotFoundError)) expect(error).toBeInstanceOf(PermissionDeniedError);
    }
  }
  return found;
}

const without = (...names: readonly OperationName[]) =>
  operationNames.filter((name) => !names.includes(name));
const CATALOGUE: readonly OperationName[] = ['listDefaultTools'];
const ofAnAgent = without('listMembersAndTeams', 'releasePhoneNumber', 'deleteWorkspace');
const ofAWorkspace = without('deleteWorkspace');

const choices = {
  'by default': {},
  'that returns true': { permits: () => true },
  'that refuses getTool': { permits: ({ operation }) => (operation === 'getTool' ? false : undefined) },
  'that resolves with false': { permits: async () => false },
} satisfies Readonly<Record<string, Choices>>;

test.each<['agent' | 'workspace', keyof typeof choices, keyof typeof ids, readonly OperationName[]]>([
  ['agent', 'by default', 'own', ofAnAgent],
  ['agent', 'by default', 'sibling', CATALOGUE],
  ['agent', 'by default', 'stranger', CATALOGUE],
  ['workspace', 'by default', 'own', ofAWorkspace],
  ['workspace', 'by default', 'sibling', ofAWorkspace],
  ['workspace', 'by default', 'stranger', CATALOGUE],
  ['agent', 'that returns true', 'own', operationNames],
  // The number is not in the workspace of the caller.
  ['agent', 'that returns true', 'stranger', without('releasePhoneNumber')],
  ['workspace', 'that refuses getTool', 'own', without('deleteWorkspace', 'getTool')],
  ['workspace', 'that resolves with false', 'own', []],
])('the secret of an %s, `permits` %s, reaches of %s records: %j', async (kind, permits, owner, expected) => {
  expect(await reached(eu[`${kind}Secret`], choices[permits], owner)).toEqual(expected);
});

test('a secret is refused for another workspace before the record is looked up', async () => {
  const asAgent = clientOf(createFakePlatform(), { token: eu.agentSecret });
  await expect(asAgent.workspaces.delete('nowhere')).rejects.toThrow(PermissionDeniedError);
  await expect(asAgent.tools.get('nowhere')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  const { phoneNumbers } = clientOf(createFakePlatform());
  const number = { phoneNumberSid: 'nowhere', isImportedNumber: false };
  const ofSecond = phoneNumbers.release({ ...number, workspaceId: eu.secondWorkspaceId });
  await expect(ofSecond).rejects.toThrow(PermissionDeniedError);
  await expect(phoneNumbers.release(number)).rejects.toThrow(NotFoundError);
});

test('`permits` is called with the caller, the operation, the path and the body', async () => {
  const questions: unknown[] = [];
  const fake = createFakePlatform({ choices: { permits: (question) => void questions.push(question) } });
  const path = '/agents/{agentId}';
  const body = z.object({ name: z.string() });
  const rename = endpoint({ method: 'PATCH', path, body, response: withData(z.string()) });
  fake.handle(rename, ({ succeed }) => succeed('done'));
  await clientOf(fake).send(rename, { path: { agentId: 'a' }, body: { name: 'bot' } });
  expect(questions).toMatchObject([
    {
      caller: { kind: 'workspace', region: 'eu', workspace: { id: eu.workspaceId } },
      operation: 'PATCH /agents/{agentId}',
      region: 'eu',
      path: { agentId: 'a' },
      body: { name: 'bot' },
    },
  ]);
});

test('status and code of a refusal can be chosen, also for one kind of record; the code follows the status', async () => {
  const notFound = { status: 409, tools: { status: 410 } };
  const fake = createFakePlatform({ choices: { refusals: { notFound, notPermitted: { code: 'no_way' } } } });
  const { tools, conversations } = clientOf(fake);
  await expect(tools.get('x')).rejects.toMatchObject({ status: 410, code: 'HTTP_410' });
  const conversation = conversations.get({ agentId: eu.agentId, convoId: 'x' });
  await expect(conversation).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
  const asSecond = clientOf(fake, { token: eu.secondWorkspaceSecret });
  await expect(asSecond.tools.get(eu.toolId)).rejects.toMatchObject({ status: 403, code: 'no_way' });
});

test.each([
  ['no header', '', 'is missing'],
  ['another scheme', 'Basic abc', 'is missing'],
  ['no token', 'Bearer ', 'lacks "Bearer " before the token'],
  ['a token alone', 'fake-workspace-secret-of-workspace_eu_1', 'lacks "Bearer " before the token'],
  ['an unknown token', 'Bearer nobody', 'is unknown'],
  [
    'a token of the other region',
    'Bearer fake-agent-secret-of-agent_na_1',
    'belongs to region na, not to eu',
  ],
])('%s is refused with 401', async (_, authorization, words) => {
  const response = await send(createFakePlatform(), '/v3/tools/defaults', { headers: { authorization } });
  const message = expect.stringContaining(words) as string;
  expect([response.status, await response.json()]).toMatchObject([401, { code: 'UNAUTHORIZED', message }]);
});

test('an endpoint without authentication has no caller', async () => {
  const fake = createFakePlatform();
  const response = z.object({ ok: z.boolean() });
  const ping = endpoint({ method: 'GET', path: '/ping', response, auth: 'none' });
  fake.handle(ping, ({ caller }) => ({ ok: caller === undefined }));
  expect(await clientOf(fake).send(ping, {})).toEqual({ ok: true });
  expect(fake.requests).toMatchObject([{ endpoint: 'GET /ping', status: 200 }]);
});
