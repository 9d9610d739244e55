import { BadRequestError, NotFoundError, PermissionDeniedError } from 'agent-platform-sdk';
import {
  type CollectionName,
  createFakePlatform,
  fixtures,
  type PermitQuestion,
} from 'agent-platform-sdk/testing';
import { describe, expect, test } from 'vitest';
import { clientOf } from './support/client.js';

describe('members and teams (4.1)', () => {
  test('lists the clients and teams of an organisation', async () => {
    const fake = createFakePlatform();
    const { orgId, clientId, teamId } = fake.seed.eu;

    const { clients, teams } = await clientOf(fake).orgs.listMembersAndTeams(orgId);

    expect(clients.map((client) => client.ID)).toEqual([clientId]);
    expect(teams.map((team) => team.ID)).toEqual([teamId]);
    const [{ ID, key, label, description, orgId: of } = fixtures.team()] = teams;
    expect(clients[0]?.teams).toEqual([{ ID, key, label, description, orgId: of }]);
  });

  test('gives each client the teams that list it as a member', async () => {
    const fake = createFakePlatform();
    const { orgId, clientId, teamId } = fake.seed.eu;
    const loner = fake.add.client();
    const set = fake.add.client({ teams: [{ ID: 'elsewhere' }] });
    const without = fake.add.client({ teams: [] });
    fake.add.team({ ID: teamId, memberIds: [clientId, without.ID] });

    const { clients } = await clientOf(fake).orgs.listMembersAndTeams(orgId);

    const teamsOf = (id: string) => clients.find(({ ID }) => ID === id)?.teams?.map(({ ID }) => ID);
    expect(teamsOf(clientId)).toEqual([teamId]);
    expect(teamsOf(loner.ID)).toEqual([]);
    expect(teamsOf(set.ID)).toEqual(['elsewhere']);
    expect(teamsOf(without.ID)).toEqual([]);
    fake.add.team({ ID: teamId, memberIds: [clientId, loner.ID] });
    const both = await clientOf(fake).orgs.listMembersAndTeams(orgId);
    expect(both.clients.filter((client) => client.teams?.[0]?.ID === teamId)).toHaveLength(2);
    fake.add.team({ ID: teamId, memberIds: [] });
    const left = await clientOf(fake).orgs.listMembersAndTeams(orgId);
    expect(left.clients.find(({ ID }) => ID === clientId)?.teams).toEqual([]);
  });
});

describe('variables (4.2)', () => {
  test('creates a variable with id, agent and owner set', async () => {
    const fake = createFakePlatform();
    const { agentId } = fake.seed.eu;

    const variable = await clientOf(fake).variables.create(agentId, { key: 'plan', value: { seats: 3 } });

    expect(variable).toEqual({
      id: 'variable_eu_2',
      type: 'string',
      key: 'plan',
      value: { seats: 3 },
      agentId,
      userId: 'owner_eu',
    });
    expect(fake.state.eu.variables.get('variable_eu_2')).toEqual(variable);
  });

  test('refuses a key that the agent already has with 400', async () => {
    const fake = createFakePlatform();
    const { agentId, variableKey } = fake.seed.eu;

    const creating = clientOf(fake).variables.create(agentId, { key: variableKey });

    await expect(creating).rejects.toThrow(BadRequestError);
    await expect(creating).rejects.toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(fake.state.eu.variables.size).toBe(1);
    const other = variableKey.toUpperCase();
    expect((await clientOf(fake).variables.create(agentId, { key: other })).key).toBe(other);
  });

  test('accepts the same key for another agent', async () => {
    const fake = createFakePlatform();
    const { id } = fake.add.agent();

    const variable = await clientOf(fake).variables.create(id, { key: fake.seed.eu.variableKey });

    expect(variable.agentId).toBe(id);
  });
});

describe('release of a number (4.3)', () => {
  test('a rented number is gone', async () => {
    const fake = createFakePlatform();
    const sid = fake.seed.eu.rentedNumberSid;

    const result = await clientOf(fake).phoneNumbers.release({
      phoneNumberSid: sid,
      isImportedNumber: false,
    });

    expect(result).toEqual({ isGood: true, errors: '' });
    expect(fake.state.eu.phoneNumbers.has(sid)).toBe(false);
  });

  test('an imported number leaves only the workspace', async () => {
    const fake = createFakePlatform();
    const { importedNumberSid: sid, workspaceId } = fake.seed.eu;

    await clientOf(fake).phoneNumbers.release({ workspaceId, phoneNumberSid: sid, isImportedNumber: true });

    expect(fake.state.eu.phoneNumbers.get(sid)).toEqual({ sid, imported: true });
  });

  test.each(['rentedNumberSid', 'importedNumberSid'] as const)(
    'cannot release the same %s twice',
    async (handle) => {
      const fake = createFakePlatform();
      const input = {
        phoneNumberSid: fake.seed.eu[handle],
        isImportedNumber: handle === 'importedNumberSid',
      };
      const { phoneNumbers } = clientOf(fake);
      await phoneNumbers.release(input);

      await expect(phoneNumbers.release(input)).rejects.toThrow(NotFoundError);
    },
  );

  test.each([
    ['rentedNumberSid', true, 'a rented'],
    ['importedNumberSid', false, 'an imported'],
  ] as const)('refuses the wrong isImportedNumber for the %s', async (handle, isImportedNumber, kind) => {
    const fake = createFakePlatform();
    const phoneNumberSid = fake.seed.eu[handle];
    const releasing = clientOf(fake).phoneNumbers.release({ phoneNumberSid, isImportedNumber });

    await expect(releasing).rejects.toThrow(`"${phoneNumberSid}" is ${kind} number`);
  });

  test('releases only from the workspace of the request', async () => {
    const fake = createFakePlatform({ choices: { permits: () => true } });
    const releasing = clientOf(fake).phoneNumbers.release({
      workspaceId: fake.seed.eu.secondWorkspaceId,
      phoneNumberSid: fake.seed.eu.rentedNumberSid,
      isImportedNumber: false,
    });

    await expect(releasing).rejects.toThrow(NotFoundError);
    expect(fake.state.eu.phoneNumbers.size).toBe(2);
  });
});

describe('tools (4.4, 4.5)', () => {
  test('lists the catalogue with the ids and names of the specification', async () => {
    const tools = await clientOf(createFakePlatform()).tools.listDefaults();

    const assignable = tools.filter((tool) => tool.kind === 'assignable_system');
    const ids = ['web-search', 'human-handoff', 'end-call'];
    expect(assignable.map(({ id, name }) => [id, name])).toEqual(ids.map((id) => [id, id]));
    expect(tools.filter((tool) => tool.kind === 'runtime_auto').map((tool) => tool.name)).toEqual([
      'KB-Search',
      'Structured-Search',
      'present',
      'resolve_caller_timezone',
    ]);
    for (const { kind, assignableViaToolsIds } of tools)
      expect(assignableViaToolsIds).toBe(kind === 'assignable_system');
  });

  test('responds to an unknown tool with the error body', async () => {
    const getting = clientOf(createFakePlatform()).tools.get('nowhere');

    await expect(getting).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    await expect(getting).rejects.toThrow('There is no tool with the id "nowhere".');
  });
});

describe('conversations (4.6)', () => {
  test('composes ID and userID from agent id and conversation id', async () => {
    const fake = createFakePlatform();
    const { agentId, convoId } = fake.seed.eu;

    const conversation = await clientOf(fake).conversations.get({ agentId, convoId });

    expect(conversation.ID).toBe(`${agentId}_${convoId}`);
    expect(conversation.userID).toBe(conversation.ID);
  });

  test('separates conversations with the same id of two agents', async () => {
    const fake = createFakePlatform();
    const other = fake.add.agent();
    fake.add.conversation({ agentId: other.id, convoId: fake.seed.eu.convoId, record: { title: 'Other' } });

    const { agentId, convoId } = fake.seed.eu;
    const { conversations } = clientOf(fake);

    expect((await conversations.get({ agentId: other.id, convoId })).title).toBe('Other');
    expect((await conversations.get({ agentId, convoId })).title).not.toBe('Other');
  });
});

describe('deletion of a workspace (4.7)', () => {
  test('removes its agents, and all that they own, and ends access', async () => {
    const fake = createFakePlatform({ seed: 'empty' });
    const doomed = fake.add.workspace({ isPrimary: false });
    const agent = fake.add.agent();
    const kinds = Object.keys(fake.state.eu) as CollectionName[];
    // By default, a new record belongs to the first of its owners: to this workspace, or to this agent.
    for (const name of [...kinds, ...kinds]) fake.records.add('eu', name, {});

    await clientOf(fake, { token: doomed.secret }).workspaces.delete(doomed.id);

    // 4.7 names what goes. That these stay is a choice.
    const left = kinds.filter((name) => fake.state.eu[name].size > 0);
    expect(left).toEqual(['workspaces', 'orgs', 'clients', 'teams', 'defaultTools', 'phoneNumbers']);
    expect(fake.state.eu.workspaces.has(doomed.id)).toBe(false);
    for (const token of [doomed.secret, agent.secret]) {
      await expect(clientOf(fake, { token }).tools.listDefaults()).rejects.toMatchObject({ status: 401 });
    }
  });

  test('leaves other workspaces unchanged', async () => {
    const fake = createFakePlatform();
    const { secondWorkspaceId, secondWorkspaceSecret: token, agentId, toolId } = fake.seed.eu;

    await clientOf(fake, { token }).workspaces.delete(secondWorkspaceId);

    expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(false);
    expect(fake.state.eu.agents.has(agentId)).toBe(true);
    expect(fake.state.eu.tools.has(toolId)).toBe(true);
  });

  test('never deletes the primary workspace', async () => {
    const fake = createFakePlatform();
    const { workspaceId } = fake.seed.eu;

    const deleting = clientOf(fake).workspaces.delete(workspaceId);

    await expect(deleting).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(fake.state.eu.workspaces.has(workspaceId)).toBe(true);
  });

  test('`permits` lets a secret act for somebody who is not an owner; `ownerIds` has no effect', async () => {
    const permits = ({ operation, caller }: PermitQuestion) =>
      operation === 'deleteWorkspace' && caller.workspace.id === 'acme' ? false : undefined;
    const fake = createFakePlatform({ choices: { permits } });
    for (const id of ['acme', 'globex']) {
      const { secret: token } = fake.add.workspace({ id, ownerIds: [] });
      const deleting = clientOf(fake, { token }).workspaces.delete(id);
      if (id === 'acme') await expect(deleting).rejects.toThrow(PermissionDeniedError);
      else await deleting;
    }
    expect([...fake.state.eu.workspaces.keys()]).not.toContain('globex');
    expect(fake.state.eu.workspaces.has('acme')).toBe(true);
  });
});
