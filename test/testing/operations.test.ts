import { NotFoundError } from 'agent-platform-sdk';
import { type CollectionName, createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { clientOf } from './clients.js';

test('members and teams (4.1): lists those of an organisation, and with each client its teams', async () => {
  const fake = createFakePlatform();
  const { orgId, clientId, teamId } = fake.seed.eu;
  fake.add.org({ id: 'other' });
  fake.add.client({ orgId: 'other' });
  fake.add.team({ orgId: 'other' });
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
});

test('variables (4.2): a new one has id, agent and owner, and a key of its own', async () => {
  const fake = createFakePlatform();
  const { agentId, variableKey: key } = fake.seed.eu;
  const { variables } = clientOf(fake);
  const sent = { key: 'plan', value: { seats: 3 } };
  const variable = await variables.create(agentId, sent);
  expect(variable).toEqual({ id: 'variable_eu_2', type: 'string', ...sent, agentId, userId: 'owner_eu' });
  expect(fake.state.eu.variables.get('variable_eu_2')).toEqual(variable);
  // A key that the agent already has is refused. Case and agent count.
  const creating = variables.create(agentId, { key });
  await expect(creating).rejects.toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  expect(fake.state.eu.variables.size).toBe(2);
  const other = fake.add.agent().id;
  expect((await variables.create(agentId, { key: key.toUpperCase() })).agentId).toBe(agentId);
  expect((await variables.create(other, { key })).agentId).toBe(other);
});

test.each([
  ['rentedNumberSid', false, 'a rented'],
  ['importedNumberSid', true, 'an imported'],
] as const)(
  'release (4.3): %s once, as what it is, from its workspace',
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

test('default tools (4.4): the catalogue has the ids and names of the specification', async () => {
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

test('conversations (4.6): each agent has its own, by convoId and by ID, also with a slash in an id', async () => {
  const fake = createFakePlatform();
  const { agentId, convoId } = fake.seed.eu;
  const { conversations } = clientOf(fake);
  const ID = `${agentId}_${convoId}`;
  for (const id of [convoId, ID]) {
    expect(await conversations.get({ agentId, convoId: id })).toMatchObject({ ID, userID: ID });
  }
  for (const id of ['a', 'a/b']) fake.add.agent({ id });
  const places = [
    ['a', convoId],
    ['a', 'b/c'],
    ['a/b', 'c'],
  ] as const;
  for (const [agent, convo] of places) {
    const record = { ID: 'live', title: `${agent} ${convo}` };
    fake.add.conversation({ agentId: agent, convoId: convo, record });
  }
  for (const [agent, convo] of places) {
    const { title } = await conversations.get({ agentId: agent, convoId: convo });
    expect(title).toBe(`${agent} ${convo}`);
  }
  expect((await conversations.get({ agentId: 'a/b', convoId: 'live' })).title).toBe('a/b c');
});

test('deletion of a workspace (4.7): removes its agents, all that they own, and their access', async () => {
  const fake = createFakePlatform({ seed: 'empty' });
  // Its secret acts for its owners, whoever they are.
  const doomed = fake.add.workspace({ isPrimary: false, ownerIds: [] });
  const agent = fake.add.agent();
  const kinds = Object.keys(fake.state.eu) as CollectionName[];
  // By default, a new record belongs to the first of its owners: to this workspace, or to this agent.
  for (const name of [...kinds, ...kinds]) fake.records.add('eu', name, {});
  fake.add.agent({ id: 'other', workspaceId: fake.add.workspace().id });
  fake.add.tool({ id: 'other', agentId: 'other' });
  await clientOf(fake, { token: doomed.secret }).workspaces.delete(doomed.id);
  const { workspaces, agents, tools, variables, conversations, leads } = fake.state.eu;
  expect([workspaces.has(doomed.id), variables.size, conversations.size, leads.size]).toEqual([
    false,
    0,
    0,
    0,
  ]);
  expect([...agents.keys(), ...tools.keys()]).toEqual(['other', 'other']);
  // 4.7 names what goes. That these stay is a choice.
  const owned = ['orgs', 'clients', 'teams', 'phoneNumbers'] as const;
  expect(owned.map((name) => fake.state.eu[name].size)).toEqual([2, 2, 2, 2]);
  for (const token of [doomed.secret, agent.secret]) {
    await expect(clientOf(fake, { token }).tools.listDefaults()).rejects.toMatchObject({ status: 401 });
  }
});

test('deletion of a workspace (4.7): never of the primary one', async () => {
  const fake = createFakePlatform();
  const { workspaceId } = fake.seed.eu;
  const deleting = clientOf(fake).workspaces.delete(workspaceId);
  await expect(deleting).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  expect(fake.state.eu.workspaces.has(workspaceId)).toBe(true);
});
