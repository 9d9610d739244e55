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
  test('lists the clients and teams of an organisation, and with each client its teams', async () => {
    const fake = createFakePlatform();
    const { orgId, clientId, teamId } = fake.seed.eu;
    const list = () => clientOf(fake).orgs.listMembersAndTeams(orgId);
    const { clients, teams } = await list();
    expect([clients.map(({ ID }) => ID), teams.map(({ ID }) => ID)]).toEqual([[clientId], [teamId]]);
    const [{ ID, key, label, description, orgId: of } = fixtures.team()] = teams;
    expect(clients[0]?.teams).toEqual([{ ID, key, label, description, orgId: of }]);

    // Those that list it as a member, unless its record has some.
    const loner = fake.add.client();
    const set = fake.add.client({ teams: [{ ID: 'elsewhere' }] });
    const without = fake.add.client({ teams: [] });
    const teamsOf = async (memberIds: string[]) => {
      fake.add.team({ ID: teamId, memberIds });
      const found = (await list()).clients;
      return [clientId, loner.ID, set.ID, without.ID].map((id) =>
        found.find((client) => client.ID === id)?.teams?.map((team) => team.ID),
      );
    };
    expect(await teamsOf([clientId, without.ID])).toEqual([[teamId], [], ['elsewhere'], []]);
    expect(await teamsOf([clientId, loner.ID])).toEqual([[teamId], [teamId], ['elsewhere'], []]);
    expect(await teamsOf([])).toEqual([[], [], ['elsewhere'], []]);
  });
});

describe('variables (4.2)', () => {
  test('a new one has id, agent and owner', async () => {
    const fake = createFakePlatform();
    const { agentId } = fake.seed.eu;
    const sent = { key: 'plan', value: { seats: 3 } };
    const variable = await clientOf(fake).variables.create(agentId, sent);
    expect(variable).toEqual({ id: 'variable_eu_2', type: 'string', ...sent, agentId, userId: 'owner_eu' });
    expect(fake.state.eu.variables.get('variable_eu_2')).toEqual(variable);
  });

  test('refuses a key that the agent already has with 400: another case or another agent is accepted', async () => {
    const fake = createFakePlatform();
    const { agentId, variableKey: key } = fake.seed.eu;
    const { variables } = clientOf(fake);
    const creating = variables.create(agentId, { key });
    await expect(creating).rejects.toThrow(BadRequestError);
    await expect(creating).rejects.toMatchObject({ status: 400, code: 'BAD_REQUEST' });
    expect(fake.state.eu.variables.size).toBe(1);
    const other = fake.add.agent().id;
    expect((await variables.create(agentId, { key: key.toUpperCase() })).agentId).toBe(agentId);
    expect((await variables.create(other, { key })).agentId).toBe(other);
  });
});

describe('release of a number (4.3)', () => {
  test.each([
    ['rentedNumberSid', false, 'a rented'],
    ['importedNumberSid', true, 'an imported'],
  ] as const)(
    '%s: once, as what it is, and only from its workspace',
    async (handle, isImportedNumber, kind) => {
      const fake = createFakePlatform({ choices: { permits: () => true } });
      const { [handle]: sid, secondWorkspaceId, workspaceId } = fake.seed.eu;
      const { phoneNumbers } = clientOf(fake);
      const number = { phoneNumberSid: sid, isImportedNumber };
      const elsewhere = phoneNumbers.release({ ...number, workspaceId: secondWorkspaceId });
      await expect(elsewhere).rejects.toThrow(NotFoundError);
      const mistaken = phoneNumbers.release({ ...number, isImportedNumber: !isImportedNumber });
      await expect(mistaken).rejects.toThrow(`"${sid}" is ${kind} number`);
      expect(fake.state.eu.phoneNumbers.get(sid)?.workspaceId).toBe(workspaceId);
      expect(await phoneNumbers.release(number)).toEqual({ isGood: true, errors: '' });
      await expect(phoneNumbers.release(number)).rejects.toThrow(NotFoundError);
      // A rented one is gone, and an imported one stays in its own account.
      const left = isImportedNumber ? { sid, imported: true } : undefined;
      expect(fake.state.eu.phoneNumbers.get(sid)).toEqual(left);
    },
  );
});

describe('tools (4.4, 4.5)', () => {
  test('lists the catalogue with the ids and names of the specification', async () => {
    const tools = await clientOf(createFakePlatform()).tools.listDefaults();
    const assignable = ['web-search', 'human-handoff', 'end-call'];
    const automatic = ['KB-Search', 'Structured-Search', 'present', 'resolve_caller_timezone'];
    expect(
      tools.map(({ id, name, kind, assignableViaToolsIds }) => [id, name, kind, assignableViaToolsIds]),
    ).toEqual([
      ...assignable.map((id) => [id, id, 'assignable_system', true]),
      ...automatic.map((name) => [undefined, name, 'runtime_auto', false]),
    ]);
  });

  test('responds to an unknown tool with the error body', async () => {
    const getting = clientOf(createFakePlatform()).tools.get('nowhere');
    await expect(getting).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    await expect(getting).rejects.toThrow('There is no tool with the id "nowhere".');
  });
});

test('conversations (4.6): ID and userID are of both ids, and the same id of two agents is of two', async () => {
  const fake = createFakePlatform();
  const { agentId, convoId } = fake.seed.eu;
  const other = fake.add.agent().id;
  fake.add.conversation({ agentId: other, convoId, record: { title: 'Other' } });
  const { conversations } = clientOf(fake);
  const ID = `${agentId}_${convoId}`;
  const own = await conversations.get({ agentId, convoId });
  expect(own).toMatchObject({ ID, userID: ID });
  expect(own.title).not.toBe('Other');
  expect((await conversations.get({ agentId: other, convoId })).title).toBe('Other');
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

  test('leaves other workspaces unchanged, and never deletes the primary one', async () => {
    const fake = createFakePlatform();
    const { workspaceId, secondWorkspaceId, secondWorkspaceSecret: token, agentId, toolId } = fake.seed.eu;
    await clientOf(fake, { token }).workspaces.delete(secondWorkspaceId);
    const { workspaces, agents, tools } = fake.state.eu;
    expect([workspaces.has(secondWorkspaceId), agents.has(agentId), tools.has(toolId)]).toEqual([
      false,
      true,
      true,
    ]);
    const deleting = clientOf(fake).workspaces.delete(workspaceId);
    await expect(deleting).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(workspaces.has(workspaceId)).toBe(true);
  });

  test('`permits` lets a secret act for somebody who is not an owner; `ownerIds` has no effect', async () => {
    const permits = ({ operation, caller }: PermitQuestion) =>
      operation === 'deleteWorkspace' && caller.workspace.id === 'acme' ? false : undefined;
    const fake = createFakePlatform({ choices: { permits } });
    const [acme, globex] = ['acme', 'globex'].map((id) => fake.add.workspace({ id, ownerIds: [] }).secret);
    await expect(clientOf(fake, { token: acme }).workspaces.delete('acme')).rejects.toThrow(
      PermissionDeniedError,
    );
    await clientOf(fake, { token: globex }).workspaces.delete('globex');
    const { workspaces } = fake.state.eu;
    expect([workspaces.has('acme'), workspaces.has('globex')]).toEqual([true, false]);
  });
});
