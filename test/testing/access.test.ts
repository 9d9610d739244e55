import {
  type AgentPlatform,
  endpoint,
  NotFoundError,
  PermissionDeniedError,
  withData,
} from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FakePlatformOptions } from 'agent-platform-sdk/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { clientOf, send } from './support/client.js';

/** The seed, with a second agent of its workspace (sibling), and one of another workspace (stranger). */
function twoWorkspaces(choices: FakePlatformOptions['choices'] = {}): FakePlatform {
  const fake = createFakePlatform({ choices });
  const workspaceId = fake.seed.eu.secondWorkspaceId;
  fake.add.agent({ id: 'sibling' });
  fake.add.tool({ id: 'tool_of_sibling', agentId: 'sibling' });
  fake.add.conversation({ agentId: 'sibling', convoId: 'convo' });
  fake.add.agent({ id: 'stranger', workspaceId });
  fake.add.tool({ id: 'tool_of_stranger', agentId: 'stranger' });
  fake.add.conversation({ agentId: 'stranger', convoId: 'convo' });
  fake.add.phoneNumber({ sid: 'number_of_second', workspaceId });
  fake.add.org({ id: 'org_of_second', workspaceId });
  return fake;
}

const { eu } = createFakePlatform().seed;

const calls = {
  'its agent': (platform) => platform.variables.create(eu.agentId, { key: 'plan' }),
  'its tool': (platform) => platform.tools.get(eu.toolId),
  'its conversation': (platform) => platform.conversations.get({ agentId: eu.agentId, convoId: eu.convoId }),
  'the catalogue': (platform) => platform.tools.listDefaults(),
  'the organisation': (platform) => platform.orgs.listMembersAndTeams(eu.orgId),
  'a number': (platform) =>
    platform.phoneNumbers.release({ phoneNumberSid: eu.rentedNumberSid, isImportedNumber: false }),
  "a sibling's variables": (platform) => platform.variables.create('sibling', { key: 'plan' }),
  "a sibling's tool": (platform) => platform.tools.get('tool_of_sibling'),
  "a sibling's conversation": (platform) =>
    platform.conversations.get({ agentId: 'sibling', convoId: 'convo' }),
  "a stranger's variables": (platform) => platform.variables.create('stranger', { key: 'plan' }),
  "a stranger's tool": (platform) => platform.tools.get('tool_of_stranger'),
  "a stranger's conversation": (platform) =>
    platform.conversations.get({ agentId: 'stranger', convoId: 'convo' }),
  'another organisation': (platform) => platform.orgs.listMembersAndTeams('org_of_second'),
  "another workspace's number": (platform) =>
    platform.phoneNumbers.release({
      workspaceId: eu.secondWorkspaceId,
      phoneNumberSid: 'number_of_second',
      isImportedNumber: false,
    }),
  "another workspace's number, without the workspace": (platform) =>
    platform.phoneNumbers.release({ phoneNumberSid: 'number_of_second', isImportedNumber: false }),
  'another workspace': (platform) => platform.workspaces.delete(eu.secondWorkspaceId),
} satisfies Record<string, (platform: AgentPlatform) => PromiseLike<unknown>>;

const ofTheAgent = ['its agent', 'its tool', 'its conversation', 'the catalogue'];
const ofTheWorkspace = [
  ...ofTheAgent,
  'the organisation',
  'a number',
  "a sibling's variables",
  "a sibling's tool",
  "a sibling's conversation",
];

/** The names of the calls that succeed. Each of the others must be refused, and change nothing. */
async function reached(token: string, choices: FakePlatformOptions['choices'] = {}): Promise<string[]> {
  const names: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const fake = twoWorkspaces(choices);
    const before = fake.snapshot();
    try {
      await call(clientOf(fake, { token }));
      names.push(name);
    } catch (error) {
      if (error instanceof NotFoundError) continue;
      expect(error).toBeInstanceOf(PermissionDeniedError);
      expect(fake.snapshot()).toEqual(before);
    }
  }
  return names;
}

describe('reach', () => {
  test('an agent secret reaches its own agent, and no workspace-level operation', async () => {
    expect(await reached(eu.agentSecret)).toEqual(ofTheAgent);
  });

  test('a workspace secret reaches the records of its own workspace', async () => {
    expect(await reached(eu.workspaceSecret)).toEqual(ofTheWorkspace);
  });

  test('an agent secret is refused for a workspace-level operation before the record is looked up', async () => {
    const asAgent = clientOf(createFakePlatform(), { token: eu.agentSecret });
    await expect(asAgent.workspaces.delete('nowhere')).rejects.toThrow(PermissionDeniedError);
    await expect(asAgent.tools.get('nowhere')).rejects.toThrow(NotFoundError);
  });
});

describe('permits', () => {
  test('true allows every secret every operation', async () => {
    const all = Object.keys(calls).filter((name) => !name.includes('without the workspace'));
    expect(await reached(eu.agentSecret, { permits: () => true })).toEqual(all);
  });

  test('false refuses, undefined leaves it to the default', async () => {
    const permits = ({ operation }: { operation: string }) => (operation === 'getTool' ? false : undefined);
    expect(await reached(eu.workspaceSecret, { permits })).toEqual(
      ofTheWorkspace.filter((name) => !name.includes('tool')),
    );
  });

  test('a promise is awaited', async () => {
    expect(await reached(eu.workspaceSecret, { permits: async () => false })).toEqual([]);
  });

  test('is called with the caller, the operation, the path and the body', async () => {
    const questions: unknown[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => void questions.push(question) } });
    const rename = endpoint({
      method: 'PATCH',
      path: '/agents/{agentId}',
      body: z.object({ name: z.string() }),
      response: withData(z.string()),
    });
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
});

describe('refusals', () => {
  test('status and code can be chosen; the code follows the status', async () => {
    const refusals = { notFound: { status: 409 }, notPermitted: { code: 'no_way' } };
    const fake = createFakePlatform({ choices: { refusals } });
    await expect(clientOf(fake).tools.get('x')).rejects.toMatchObject({ status: 409, code: 'CONFLICT' });
    const { tools } = clientOf(fake, { token: eu.secondWorkspaceSecret });
    await expect(tools.get(eu.toolId)).rejects.toMatchObject({ status: 403, code: 'no_way' });
  });

  test('of one kind of record can differ', async () => {
    const refusals = { notFound: { status: 410, tools: { status: 401 } } };
    const { tools, conversations } = clientOf(createFakePlatform({ choices: { refusals } }));
    await expect(tools.get('x')).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' });
    const conversation = conversations.get({ agentId: eu.agentId, convoId: 'x' });
    await expect(conversation).rejects.toMatchObject({ status: 410, code: 'HTTP_410' });
  });
});

test.each([
  ['no header', '', 'is missing'],
  ['another scheme', 'Basic abc', 'is missing'],
  ['no token', 'Bearer ', 'lacks "Bearer " before the token'],
  ['a token alone', 'fake-workspace-secret-of-workspace_eu_1', 'lacks "Bearer " before the token'],
  ['an unknown token', 'Bearer nobody', 'is unknown'],
])('%s is refused with 401', async (_, authorization, words) => {
  const response = await send(createFakePlatform(), '/v3/tools/defaults', { headers: { authorization } });
  const message = expect.stringContaining(words) as string;
  expect([response.status, await response.json()]).toMatchObject([401, { code: 'UNAUTHORIZED', message }]);
});

test('an endpoint without authentication has no caller', async () => {
  const fake = createFakePlatform();
  const ping = endpoint({
    method: 'GET',
    path: '/ping',
    response: z.object({ ok: z.boolean() }),
    auth: 'none',
  });
  fake.handle(ping, ({ caller }) => ({ ok: caller === undefined }));
  expect(await clientOf(fake).send(ping, {})).toEqual({ ok: true });
  expect(fake.requests).toMatchObject([{ endpoint: 'GET /ping', status: 200 }]);
});
