import {
  type AgentPlatform,
  endpoint,
  endpoints,
  NotFoundError,
  PermissionDeniedError,
  withData,
} from 'agent-platform-sdk';
import {
  createFakePlatform,
  defaultChoices,
  type FakePlatform,
  type PermitQuestion,
} from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { clientOf, httpClientOf, listening, send } from './support/client.js';

/** The seed, and beside it a whole second workspace with a second agent; and a second agent of the first. */
function twoWorkspaces(choices = {}): FakePlatform {
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

/** One call for each record that a secret can be asked for. */
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
  'another workspace itself': (platform) => platform.workspaces.delete(eu.secondWorkspaceId),
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

/** The names of the calls that are answered; each of the others must be refused, and change nothing. */
async function reached(token: string, choices = {}): Promise<string[]> {
  const names: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    const fake = twoWorkspaces(choices);
    const before = structuredClone(fake.state);
    try {
      await call(clientOf(fake, { token }));
      names.push(name);
    } catch (error) {
      expect(error).toBeInstanceOf(PermissionDeniedError);
      expect(fake.state).toEqual(before);
    }
  }
  return names;
}

describe('by default', () => {
  test('an agent secret reaches its own agent, and no workspace-level operation', async () => {
    expect(await reached(eu.agentSecret)).toEqual(ofTheAgent);
  });

  test('a workspace secret reaches what its own workspace has, and nothing of another', async () => {
    expect(await reached(eu.workspaceSecret)).toEqual(ofTheWorkspace);
  });

  test('a secret that may not, may not ask for what is not there either', async () => {
    const asAgent = clientOf(createFakePlatform(), { token: eu.agentSecret });
    const input = { phoneNumberSid: 'nowhere', isImportedNumber: false };

    await expect(asAgent.phoneNumbers.release(input)).rejects.toThrow(PermissionDeniedError);
    await expect(asAgent.workspaces.delete('nowhere')).rejects.toThrow(PermissionDeniedError);
    await expect(asAgent.orgs.listMembersAndTeams('nowhere')).rejects.toThrow(PermissionDeniedError);
    await expect(asAgent.tools.get('nowhere')).rejects.toThrow(NotFoundError);
  });

  test('an endpoint of your own is within reach or not, by its path and its body', async () => {
    const fake = twoWorkspaces();
    const response = withData(z.string());
    const updateAgent = endpoint({
      method: 'PATCH',
      path: '/agents/{id}',
      body: z.object({ workspaceId: z.optional(z.string()), agentId: z.optional(z.string()) }),
      response,
    });
    fake.handle(updateAgent, ({ path, succeed }) => succeed(path.id));
    const update = (token: string, id: string, body = {}): PromiseLike<string> =>
      clientOf(fake, { token }).send(updateAgent, { path: { id }, body });

    expect(await update(eu.agentSecret, eu.agentId)).toBe(eu.agentId);
    expect(await update(eu.workspaceSecret, 'sibling')).toBe('sibling');
    for (const refused of [
      update(eu.agentSecret, 'sibling'),
      update(eu.agentSecret, eu.agentId, { workspaceId: eu.workspaceId }),
      update(eu.agentSecret, eu.agentId, { agentId: 'sibling' }),
      update(eu.workspaceSecret, 'stranger'),
      update(eu.workspaceSecret, eu.agentId, { workspaceId: eu.secondWorkspaceId }),
    ]) {
      await expect(refused).rejects.toThrow(PermissionDeniedError);
    }
  });
});

test('permits opens it, and leaves the rules of ownership', async () => {
  const open = { permits: () => true };
  const ownership = ["a stranger's conversation", 'another workspace itself'];
  const all = Object.keys(calls).filter((name) => !ownership.includes(name));
  const notInItsWorkspace = "another workspace's number, without the workspace";

  const fake = twoWorkspaces(open);
  await expect(calls[notInItsWorkspace](clientOf(fake))).rejects.toThrow(NotFoundError);
  await calls["another workspace's number"](clientOf(fake, { token: eu.agentSecret }));
  expect(fake.state.eu.releasedForGood.has('number_of_second')).toBe(true);
  for (const name of all.filter((each) => each !== notInItsWorkspace)) {
    const call = calls[name as keyof typeof calls];
    await expect(call(clientOf(twoWorkspaces(open)))).resolves.not.toThrow();
  }
  const stranger = clientOf(fake, { token: 'fake-agent-secret-of-stranger' });
  await expect(calls['another workspace itself'](stranger)).rejects.toThrow('Only an owner');
  // The workspace of an agent's token is that of the agent.
  fake.add.phoneNumber({ sid: 'another', workspaceId: eu.secondWorkspaceId });
  await stranger.phoneNumbers.release({ phoneNumberSid: 'another', isImportedNumber: false });
});

test('without a workspace in the request, the number is one of the workspace of the token', async () => {
  const fake = twoWorkspaces();
  const release = (token: string) =>
    calls["another workspace's number, without the workspace"](clientOf(fake, { token }));

  await expect(release(eu.workspaceSecret)).rejects.toThrow(PermissionDeniedError);
  expect(await release(eu.secondWorkspaceSecret)).toEqual({ isGood: true, errors: '' });
});

describe('permits is asked', () => {
  async function questions(
    call: (platform: AgentPlatform) => PromiseLike<unknown>,
  ): Promise<PermitQuestion[]> {
    const asked: PermitQuestion[] = [];
    const fake = twoWorkspaces({ permits: (question: PermitQuestion) => asked.push(question) > 0 });
    await call(clientOf(fake));
    return asked;
  }

  test('with path, body and the records concerned', async () => {
    const [creating] = await questions(calls['its agent']);
    const [getting] = await questions(calls["a stranger's tool"]);
    const [releasing] = await questions(calls["another workspace's number"]);

    expect(creating).toMatchObject({
      caller: { kind: 'workspace', workspace: { id: eu.workspaceId } },
      operation: 'createVariable',
      region: 'eu',
      path: { agentId: eu.agentId },
      body: { variable: { key: 'plan' } },
      records: [
        { kind: 'agent', record: { id: eu.agentId }, agentId: eu.agentId, workspaceId: eu.workspaceId },
      ],
    });
    expect(getting).toMatchObject({
      body: undefined,
      records: [
        {
          kind: 'tool',
          record: { id: 'tool_of_stranger' },
          agentId: 'stranger',
          workspaceId: eu.secondWorkspaceId,
        },
      ],
    });
    expect(releasing?.records).toMatchObject([
      { kind: 'workspace', workspaceId: eu.secondWorkspaceId },
      {
        kind: 'phoneNumber',
        record: { imported: false },
        agentId: undefined,
        workspaceId: eu.secondWorkspaceId,
      },
    ]);
  });

  test.each([
    ['workspace', '/workspaces/{id}', eu.workspaceId],
    ['org', '/orgs/{id}', eu.orgId],
    ['phoneNumber', '/phoneNumbers/{id}', eu.rentedNumberSid],
    ['agent', '/agents/{id}', eu.agentId],
    ['agent', '/agents/{id}.json', eu.agentId],
    ['agent', '/agents/{id}-{more}', eu.agentId],
    ['variable', '/variables/{id}', eu.variableId],
    ['tool', '/tools/{id}', eu.toolId],
    ['lead', '/leads/{id}', eu.leadId],
  ])('of any %s that the path names', async (kind, path, id) => {
    const asked: PermitQuestion[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => asked.push(question) > 0 } });
    const named = endpoint({ method: 'PATCH', path, response: z.unknown() });
    fake.handle(named, ({ body }) => ({ body: body ?? 'none' }));
    const ofAgent = ['agent', 'variable', 'tool', 'lead'].includes(kind);

    // It takes no body, so that none is seen.
    const headers = { 'content-type': 'application/json' };
    const answer = await send(fake, `/v3${path.replace('{id}', id).replace('{more}', 'more')}`, {
      method: 'PATCH',
      headers,
      body: '{}',
    });
    expect(await answer.json()).toEqual({ body: 'none' });
    const agentId = ofAgent ? eu.agentId : undefined;
    expect(asked).toMatchObject([
      { body: undefined, records: [{ kind, agentId, workspaceId: eu.workspaceId }] },
    ]);
  });

  test('of a conversation whose agent is named behind another record', async () => {
    const asked: PermitQuestion[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => asked.push(question) > 0 } });
    const path = '/workspaces/{workspaceId}/agents/{from}/agents/{to}/convos/{convoId}';
    fake.handle(endpoint({ method: 'GET', path, response: z.unknown() }), () => ({}));
    const { id: from } = fake.add.agent();
    const agents = `agents/${from}/agents/${eu.agentId}`;
    await send(fake, `/v3/workspaces/${eu.workspaceId}/${agents}/convos/${eu.convoId}`);

    expect(asked[0]?.records.map(({ kind, agentId }) => [kind, agentId])).toEqual([
      ['workspace', undefined],
      ['agent', from],
      ['agent', eu.agentId],
      ['conversation', eu.agentId],
    ]);
  });

  test('of the records of its path, and then of those of its body', async () => {
    const asked: PermitQuestion[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => asked.push(question) > 0 } });
    const body = z.unknown();
    fake.handle(endpoint({ method: 'PUT', path: '/leads/{id}', body, response: z.unknown() }), () => ({}));
    await send(fake, `/v3/leads/${eu.leadId}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ phoneNumberSid: eu.importedNumberSid, agentId: eu.agentId }),
    });

    expect(asked[0]?.records.map(({ kind }) => kind)).toEqual(['lead', 'agent', 'phoneNumber']);
  });

  test('of a conversation whose id has a slash', async () => {
    const asked: PermitQuestion[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => asked.push(question) > 0 } });
    const { convoId, agentId } = fake.add.conversation({ convoId: 'one/two' });
    await clientOf(fake).conversations.get({ agentId, convoId });

    expect(asked[0]?.records.map(({ kind }) => kind)).toEqual(['agent', 'conversation']);
  });

  test('of records of the region that is called', async () => {
    const asked: PermitQuestion[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => asked.push(question) > 0 } });
    const { workspaceId, workspaceSecret: token, toolId } = fake.seed.na;
    await clientOf(fake, { region: 'na', token }).tools.get(toolId);

    expect(asked).toMatchObject([{ region: 'na', records: [{ kind: 'tool', workspaceId }] }]);
  });

  test('of a conversation with its agent', async () => {
    const [reading] = await questions(calls['its conversation']);

    expect(reading?.records).toMatchObject([
      { kind: 'agent', agentId: eu.agentId },
      { kind: 'conversation', record: { convoId: eu.convoId }, workspaceId: eu.workspaceId },
    ]);
  });

  test('after the default, where it calls it', async () => {
    const permits = (question: PermitQuestion) =>
      defaultChoices.permits(question) &&
      !question.records.some(({ kind, record }) => kind === 'phoneNumber' && !record.imported);

    expect(await reached(eu.workspaceSecret, { permits })).toEqual(
      ofTheWorkspace.filter((name) => name !== 'a number'),
    );
  });

  test('not for a body that does not fit the operation', async () => {
    const asked: unknown[] = [];
    const fake = createFakePlatform({ choices: { permits: (question) => asked.push(question) > 0 } });
    const { fetch, baseUrls } = fake;
    const headers = { authorization: `Bearer ${eu.workspaceSecret}`, 'content-type': 'application/json' };
    const url = `${baseUrls.eu}/v3/utils/telco/release-number`;

    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(400);
    expect(asked).toEqual([]);
  });
});

test('the refusal has its own status and code', async () => {
  const fake = twoWorkspaces({ refusals: { notPermitted: { status: 404, code: 'hidden' } } });

  const getting = clientOf(fake).tools.get('tool_of_stranger');

  await expect(getting).rejects.toMatchObject({ status: 404, code: 'hidden' });
  await expect(getting).rejects.toThrow('The workspace secret may not do this: getTool.');
});

test('the same is refused over HTTP and through msw', async () => {
  const token = eu.agentSecret;
  const overHttp = twoWorkspaces();
  const throughMsw = twoWorkspaces();
  const server = await listening(overHttp);
  const msw = setupServer(...fakeHandlers(throughMsw));

  const call = calls["another workspace's number"];
  await expect(call(httpClientOf(overHttp, server, { token }))).rejects.toThrow(PermissionDeniedError);
  msw.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => msw.close());
  const platform = clientOf(throughMsw, { token, fetch: undefined });
  await expect(call(platform)).rejects.toThrow(PermissionDeniedError);

  for (const fake of [overHttp, throughMsw]) {
    expect(fake.requests).toMatchObject([{ endpoint: 'releasePhoneNumber', status: 403 }]);
    expect(fake.state.eu.phoneNumbers.has('number_of_second')).toBe(true);
  }
});

test('a workspace-level operation is one, however the parameters of its path are called', async () => {
  const fake = twoWorkspaces();
  const path = '/orgs/{id}/members-and-teams';
  fake.handle(endpoint({ method: 'GET', path, response: z.unknown() }), () => ({}));
  const headers = { authorization: `Bearer ${eu.agentSecret}` };

  expect((await send(fake, `/v3/orgs/nowhere/members-and-teams`, { headers })).status).toBe(403);
});

test('an agent secret is not enough for a workspace-level operation of the other region either', async () => {
  const fake = createFakePlatform({ choices: { wrongRegion: 'data-of-address' } });
  const platform = clientOf(fake, { region: 'na', token: eu.agentSecret });

  await expect(platform.orgs.listMembersAndTeams(fake.seed.na.orgId)).rejects.toThrow(PermissionDeniedError);
  await expect(platform.tools.get(fake.seed.na.toolId)).resolves.toBeDefined();
});

test('a replaced operation keeps its reach', async () => {
  const fake = twoWorkspaces();
  fake.handle(endpoints.getTool, ({ path, succeed }) => succeed({ id: path.toolId }));

  expect(await clientOf(fake).tools.get('anything')).toEqual({ id: 'anything' });
  await expect(clientOf(fake).tools.get('tool_of_stranger')).rejects.toThrow(PermissionDeniedError);
});
