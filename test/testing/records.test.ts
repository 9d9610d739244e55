import {
  type CollectionName,
  createFakePlatform,
  createFixtures,
  type FakePlatform,
  fixtures,
  type NewWorkspace,
} from 'agent-platform-sdk/testing';
import { describe, expect, test } from 'vitest';
import { clientOf } from './support/client.js';

test('begins with the records it is given, on top of the seed', async () => {
  const fake = createFakePlatform({
    regions: {
      na: {
        // Each list may name records of those that come behind it here.
        orgs: [
          {
            id: 'shop',
            workspaceId: 'branch',
            clients: [{ ID: 'ann' }],
            teams: [{ ID: 'sales', memberIds: ['ann'] }],
          },
        ],
        variables: [{ key: 'plan', agentId: 'bot' }],
        tools: [{ id: 'crm', agentId: 'bot' }],
        defaultTools: [{ id: 'send-email' }],
        conversations: [{ agentId: 'bot', convoId: 'first', record: { title: 'Hello' } }],
        leads: [{ id: 'lead', agentId: 'bot' }],
        phoneNumbers: [{ sid: 'number', workspaceId: 'branch' }],
        agents: [{ id: 'bot', workspaceId: 'branch' }],
        workspaces: [{ id: 'branch' }],
      },
    },
  });
  const client = clientOf(fake, { region: 'na', token: 'fake-workspace-secret-of-branch' });

  const { clients } = await client.orgs.listMembersAndTeams('shop');
  expect(clients).toMatchObject([{ ID: 'ann', orgId: 'shop', teams: [{ ID: 'sales' }] }]);
  expect((await client.tools.get('crm')).agentId).toBe('bot');
  expect((await client.tools.listDefaults()).map((tool) => tool.id)).toContain('send-email');
  expect((await client.conversations.get({ agentId: 'bot', convoId: 'first' })).title).toBe('Hello');
  await client.phoneNumbers.release({ phoneNumberSid: 'number', isImportedNumber: false });
  expect([...fake.state.na.leads.values()]).toContainEqual({ id: 'lead', agentId: 'bot' });
  expect(fake.state.eu.tools.has('crm')).toBe(false);
});

test('the seed is what its handles say, in each region', () => {
  const { seed, state } = createFakePlatform();
  for (const region of ['eu', 'na'] as const) {
    const handles = seed[region];
    const { agents, conversations, leads, orgs, phoneNumbers, tools, variables, workspaces } = state[region];
    const { workspaceId, agentId, orgId, clientId, teamId, convoId } = handles;
    const made = createFixtures({ region });
    expect([...workspaces.values()]).toEqual([
      {
        id: workspaceId,
        secret: handles.workspaceSecret,
        isPrimary: true,
        ownerIds: [`owner_${region}`],
        memberIds: [handles.clientId],
      },
      {
        id: handles.secondWorkspaceId,
        secret: handles.secondWorkspaceSecret,
        isPrimary: false,
        ownerIds: [`owner_${region}`],
        memberIds: [],
      },
    ]);
    expect([...agents.values()]).toEqual([
      {
        id: agentId,
        name: 'Support agent',
        secret: handles.agentSecret,
        workspaceId,
        platform: 'vg',
        advanced: {},
      },
    ]);
    expect([...orgs.values()]).toEqual([
      {
        id: orgId,
        workspaceId,
        clients: [{ ...made.orgClient({ teams: undefined }), ID: clientId, orgId }],
        teams: [{ ...made.team(), ID: teamId, orgId, memberIds: [clientId] }],
      },
    ]);
    expect([...tools.values()]).toEqual([{ ...made.tool(), id: handles.toolId, agentId }]);
    const key = handles.variableKey;
    expect([...variables.values()]).toEqual([
      { ...made.variable(), id: handles.variableId, key, agentId, userId: `owner_${region}` },
    ]);
    const ID = `${agentId}_${convoId}`;
    const record = { ...made.conversation(), ID, userID: ID };
    expect([...conversations.values()]).toEqual([{ agentId, convoId, record }]);
    expect([...leads.values()]).toEqual([{ id: handles.leadId, agentId }]);
    expect([...phoneNumbers.values()]).toEqual([
      { sid: handles.rentedNumberSid, imported: false, workspaceId },
      { sid: handles.importedNumberSid, imported: true, workspaceId },
    ]);
  }
});

test.each(['eu', 'na'] as const)('an empty seed leaves the built-in catalogue alone, in %s', (region) => {
  const fake = createFakePlatform({ seed: 'empty' });
  for (const begin of [() => undefined, () => fake.reset()]) {
    begin();
    const { defaultTools, ...records } = fake.state[region];
    expect(defaultTools.size).toBe(7);
    for (const collection of Object.values(records)) expect(collection).toHaveProperty('size', 0);
  }
});

test('gives ids that are the same in every run', () => {
  const fake = createFakePlatform();

  expect(fake.add.tool().id).toBe('tool_eu_2');
  expect(fake.add.tool().id).toBe('tool_eu_3');
  expect(fake.add.na.tool().id).toBe('tool_na_2');
  expect(fake.add.eu.tool().id).toBe('tool_eu_4');
  expect([fake.add.na.client().ID, fake.add.na.team().ID]).toEqual(['client_na_2', 'team_na_2']);
});

test('gives no id twice, and begins anew after reset', () => {
  const fake = createFakePlatform();
  const { id } = fake.add.tool();
  fake.records.remove('eu', 'tools', id);

  expect(fake.add.tool().id).toBe('tool_eu_3');
  fake.reset();
  expect(fake.add.tool().id).toBe('tool_eu_2');
});

test('gives a new number no id of one that was released for good', async () => {
  const fake = createFakePlatform();
  const { sid: phoneNumberSid } = fake.add.phoneNumber({ sid: 'number_eu_3' });
  await clientOf(fake).phoneNumbers.release({ phoneNumberSid, isImportedNumber: false });

  expect(fake.add.phoneNumber().sid).toBe('number_eu_4');
});

test('keeps clients, teams and records in the order in which they were added', () => {
  const { add, records, seed } = createFakePlatform();
  for (const ID of ['b', 'a']) {
    add.client({ ID });
    add.team({ ID });
    add.lead({ id: ID });
  }
  records.change('eu', 'leads', seed.eu.leadId, {});
  const { clients, teams } = add.org({
    id: 'o',
    clients: [{ ID: 'z' }, { ID: 'y' }],
    teams: [{ ID: 'x' }, { ID: 'w' }],
  });

  const [org] = records.list('eu', 'orgs');
  expect(org?.clients.map(({ ID }) => ID)).toEqual([seed.eu.clientId, 'b', 'a']);
  expect(org?.teams.map(({ ID }) => ID)).toEqual([seed.eu.teamId, 'b', 'a']);
  expect(records.list('eu', 'leads').map(({ id }) => id)).toEqual([seed.eu.leadId, 'b', 'a']);
  expect([...clients, ...teams].map(({ ID }) => ID)).toEqual(['z', 'y', 'x', 'w']);
  expect([add.client().ID, add.team().ID]).toEqual(['client_eu_2', 'team_eu_2']);
});

test('replaces a record of the same id', () => {
  const fake = createFakePlatform();
  fake.add.client({ ID: fake.seed.eu.clientId, name: 'Renamed' });

  const { orgId: id } = fake.seed.eu;
  expect(fake.state.eu.orgs.get(id)?.clients.map((client) => client.name)).toEqual(['Renamed']);
  expect(fake.add.org({ id })).toMatchObject({ clients: [], teams: [] });
});

test('a variable belongs to the first owner of its workspace', async () => {
  const fake = createFakePlatform();
  const { id: workspaceId, secret: token } = fake.add.workspace({ ownerIds: ['ann', 'bob'] });
  const { id: agentId } = fake.add.agent({ workspaceId });

  expect(fake.add.variable({ agentId }).userId).toBe('ann');
  expect((await clientOf(fake, { token }).variables.create(agentId, { key: 'plan' })).userId).toBe('ann');
});

test('a variable of a workspace without owners belongs to the owner of the region', async () => {
  const fake = createFakePlatform();
  const { id: workspaceId, secret: token } = fake.add.na.workspace({ ownerIds: [] });
  const { id: agentId } = fake.add.na.agent({ workspaceId });
  const { variables } = clientOf(fake, { region: 'na', token });

  expect(fake.add.na.variable({ agentId }).userId).toBe('owner_na');
  const created = await variables.create(agentId, { key: 'plan' });
  expect([created.id, created.userId]).toEqual(['variable_na_3', 'owner_na']);
});

test('two agents may have variables of the same key', () => {
  const { add, seed } = createFakePlatform();
  const { id: agentId } = add.agent();

  expect(add.variable({ agentId, key: seed.eu.variableKey }).agentId).toBe(agentId);
});

test('an organisation has the clients and teams that it is given, whichever organisation they name', () => {
  const clients = [fixtures.orgClient()];
  const org = createFakePlatform().add.org({ id: 'shop', clients, teams: [fixtures.team()] });

  expect([...org.clients, ...org.teams].map(({ orgId }) => orgId)).toEqual(['shop', 'shop']);
});

test('fills in what a record leaves out', () => {
  const { add, records, state } = createFakePlatform({ choices: { variableType: 'text' } });

  expect(add.agent()).toMatchObject({ id: 'agent_eu_2', name: 'agent_eu_2', platform: 'vg', advanced: {} });
  expect(add.team()).toEqual({ ID: 'team_eu_2', key: 'team_eu_2', memberIds: [], orgId: 'org_eu_1' });
  expect(add.client()).toEqual({ ID: 'client_eu_2', name: 'client_eu_2', orgId: 'org_eu_1' });
  expect(add.variable()).toMatchObject({ key: 'variable_eu_2', type: 'text', userId: 'owner_eu' });
  expect(add.defaultTool()).toEqual({
    id: 'default_tool_eu_1',
    name: 'default_tool_eu_1',
    kind: 'assignable_system',
  });
  expect(add.conversation()).toMatchObject({ agentId: 'agent_eu_1', convoId: 'convo_eu_2' });
  expect(state.eu.conversations.size).toBe(2);
  expect(add.tool()).toEqual({ id: 'tool_eu_2', name: 'tool_eu_2', agentId: 'agent_eu_1' });
  expect(add.phoneNumber()).toEqual({ sid: 'number_eu_3', imported: false, workspaceId: 'workspace_eu_1' });
  const others = [add.workspace(), add.org(), add.lead()];
  expect(others.map(({ id }) => id)).toEqual(['workspace_eu_3', 'org_eu_2', 'lead_eu_2']);
  const { clients, teams } = records.add('eu', 'orgs', { clients: [{ name: 'Ann' }], teams: [{ key: 'a' }] });
  expect([...clients, ...teams].map(({ ID }) => ID)).toEqual(['client_eu_3', 'team_eu_3']);
  const { record } = records.add('eu', 'conversations', { record: { title: 'Hello' } });
  expect(record).toEqual({ ID: 'agent_eu_1_convo_eu_3', userID: 'agent_eu_1_convo_eu_3', title: 'Hello' });
});

test('fills in nothing that a record says', () => {
  const { add } = createFakePlatform();
  const agent = { name: '', secret: 'secret-of-the-bot' };
  const variable = { key: 'plan', type: 'list', userId: 'ann', value: ['free'] };

  expect(add.agent(agent)).toMatchObject(agent);
  expect(add.variable(variable)).toMatchObject(variable);
  expect(add.variable({ key: '' }).key).toBe('');
});

test('a conversation may have ids of its own', () => {
  const record = { ID: 'mine', userID: 'yours' };

  expect(createFakePlatform().add.conversation({ record }).record).toEqual(record);
});

test('the key of a conversation has both of its ids percent-encoded', () => {
  const { add, state } = createFakePlatform();
  const { id: agentId } = add.agent({ id: 'a/b' });
  add.conversation({ agentId, convoId: 'c/d' });

  expect(state.eu.conversations.has('a%2Fb/c%2Fd')).toBe(true);
});

test('of many records, ten are named where another is asked for', () => {
  const { add } = createFakePlatform();
  for (let more = 0; more < 9; more += 1) add.agent();
  expect(() => add.tool({ agentId: 'x' })).toThrow(/agent_eu_1, .*agent_eu_10\.$/);
  add.agent();

  expect(() => add.tool({ agentId: 'x' })).toThrow(/agent_eu_1, .*agent_eu_10, …\.$/);
});

/** Changes every text in a record, at any depth. */
function spoil(record: object): void {
  for (const [key, value] of Object.entries(record)) {
    if (typeof value === 'object') spoil(value as object);
    else Reflect.set(record, key, 'spoiled');
  }
}

test.each([
  ['workspace', { ownerIds: ['ann'], memberIds: ['bob'] }],
  ['agent', { advanced: { serverUrl: 'http://127.0.0.1:1' } }],
  ['client', { predefinedTags: ['billing'] }],
  ['team', { memberIds: ['ann'] }],
  ['variable', { value: ['a'] }],
  ['tool', { channels: ['web-chat'] }],
  ['defaultTool', { channels: ['web-chat'] }],
  ['conversation', { record: { tags: ['billing'] } }],
] as const)('keeps a copy of the %s that it is given', (name, record) => {
  // The types of a method and of what it takes belong together.
  const added = createFakePlatform().add[name](structuredClone(record) as never);
  const given = structuredClone(record);
  const kept = createFakePlatform().add[name](given as never);
  spoil(given);

  expect(kept).toEqual(added);
});

describe('a primary workspace', () => {
  const primary = (fake: FakePlatform) =>
    [...fake.state.eu.workspaces.values()].filter(({ isPrimary }) => isPrimary).map(({ id }) => id);
  const starting = (...workspaces: NewWorkspace[]) =>
    primary(createFakePlatform({ seed: 'empty', regions: { eu: { workspaces } } }));

  test('is the first, unless another says so', () => {
    expect(starting({ id: 'a' }, { id: 'b' })).toEqual(['a']);
    expect(starting({ id: 'a' }, { id: 'b', isPrimary: true })).toEqual(['b']);
    expect(starting({ id: 'a', isPrimary: true }, { id: 'b', isPrimary: true })).toEqual(['a', 'b']);
  });

  test('is there as soon as one may be', () => {
    expect(starting({ id: 'a', isPrimary: false })).toEqual([]);
    const fake = createFakePlatform({ seed: 'empty' });
    fake.add.workspace({ id: 'a', isPrimary: false });
    fake.add.workspace({ id: 'b' });
    expect(primary(fake)).toEqual(['b']);
  });

  test('stays one when it is replaced', () => {
    const fake = createFakePlatform();
    const { workspaceId: id } = fake.seed.eu;
    fake.add.workspace({ id, secret: 'another' });
    expect(primary(fake)).toEqual([id]);
  });
});

test.each<[collection: CollectionName, id: string, ...needed: string[]]>([
  ['workspaces', 'workspace_eu_1', 'id', 'secret', 'isPrimary', 'ownerIds', 'memberIds'],
  ['orgs', 'org_eu_1', 'id', 'workspaceId', 'clients', 'teams'],
  ['agents', 'agent_eu_1', 'id', 'name', 'secret', 'workspaceId', 'platform', 'advanced'],
  ['variables', 'variable_eu_1', 'id', 'key'],
  ['tools', 'tool_eu_1', 'id'],
  ['defaultTools', 'KB-Search', 'name'],
  ['conversations', 'agent_eu_1/convo_eu_1', 'agentId', 'convoId', 'record'],
  ['leads', 'lead_eu_1', 'id', 'agentId'],
  ['phoneNumbers', 'number_eu_1', 'sid', 'imported'],
])('a record of %s keeps what the rules need: %s', (collection, id, ...needed) => {
  const { records } = createFakePlatform();
  const before = records.list('eu', collection);

  for (const field of needed) {
    // An entry of the catalogue is told by its id, or else by its name.
    const missing = collection === 'defaultTools' ? 'id' : field;
    expect(() => records.change('eu', collection, id, { [field]: undefined })).toThrow(
      `The record does not fit ${collection}\n  - ${missing}: required`,
    );
  }
  expect(records.list('eu', collection)).toEqual(before);
});

test.each<[collection: CollectionName, record: object, field: string]>([
  ['workspaces', { id: 1 }, 'id'],
  ['workspaces', { secret: 1 }, 'secret'],
  ['workspaces', { isPrimary: 'yes' }, 'isPrimary'],
  ['workspaces', { ownerIds: 'ann' }, 'ownerIds'],
  ['workspaces', { memberIds: [1] }, 'memberIds[0]'],
  ['orgs', { id: 1 }, 'id'],
  ['orgs', { workspaceId: 1 }, 'workspaceId'],
  ['orgs', { clients: [{ ID: 1 }] }, 'clients[0].ID'],
  ['orgs', { teams: [{ ID: 1 }] }, 'teams[0].ID'],
  ['agents', { id: 1 }, 'id'],
  ['agents', { name: 1 }, 'name'],
  ['agents', { secret: 1 }, 'secret'],
  ['agents', { workspaceId: 1 }, 'workspaceId'],
  ['agents', { advanced: { serverUrl: 1 } }, 'advanced.serverUrl'],
  ['agents', { advanced: { url: '' } }, 'advanced.url'],
  ['variables', { key: 1 }, 'key'],
  ['tools', { name: 1 }, 'name'],
  ['defaultTools', { name: 1 }, 'name'],
  ['conversations', { agentId: 1 }, 'agentId'],
  ['conversations', { convoId: 1 }, 'convoId'],
  ['conversations', { record: { ID: 1 } }, 'record.ID'],
  ['leads', { id: 1 }, 'id'],
  ['leads', { agentId: 1 }, 'agentId'],
  ['phoneNumbers', { sid: 1 }, 'sid'],
  ['phoneNumbers', { imported: 'no' }, 'imported'],
  ['phoneNumbers', { workspaceId: 1 }, 'workspaceId'],
  ...(['workspaces', 'orgs', 'agents', 'conversations', 'phoneNumbers'] as const).map(
    (collection): [CollectionName, object, string] => [collection, { nme: 'x' }, 'nme'],
  ),
])('a record of %s does not fit with %j', (collection, record, field) => {
  const { records } = createFakePlatform();
  // The cast stands for untyped code.
  const adding = () => records.add('eu', collection, record as never);

  expect(adding).toThrow(`The record does not fit ${collection}\n  - ${field}: `);
});

describe('refuses', () => {
  const fake = createFakePlatform();
  const empty = createFakePlatform({ seed: 'empty' });

  test.each([
    ['a tool of an unknown agent', () => fake.add.tool({ agentId: 'x' }), 'no agent with the id "x"'],
    ['a tool of an agent without a name', () => fake.add.tool({ agentId: '' }), 'no agent with the id ""'],
    [
      'an agent where there is no workspace',
      () => empty.add.na.agent(),
      'Region na has no workspace yet: add one first.',
    ],
    [
      'an agent of an unknown workspace',
      () => fake.add.agent({ workspaceId: 'x' }),
      'no workspace with the id "x"',
    ],
    [
      'an organisation of an unknown workspace',
      () => fake.add.org({ workspaceId: 'x' }),
      'no workspace with the id "x"',
    ],
    ['a lead of an unknown agent', () => fake.add.lead({ agentId: 'x' }), 'no agent with the id "x"'],
    [
      'a number of an unknown workspace',
      () => fake.add.phoneNumber({ workspaceId: 'x' }),
      'no workspace with the id "x"',
    ],
    [
      'a tool of an agent that is named where there is none',
      () => empty.add.tool({ agentId: 'x' }),
      'Region eu has no agent with the id "x". There is none.',
    ],
    ['a client of an unknown organisation', () => fake.add.client({ orgId: 'x' }), 'no org with the id "x"'],
    [
      'a second variable with the key of another',
      () => fake.add.variable({ id: 'other', key: fake.seed.eu.variableKey }),
      'The agent "agent_eu_1" has a variable with the key "customer_name" already',
    ],
    [
      'a number that is changed to an unknown workspace',
      () => fake.records.change('eu', 'phoneNumbers', fake.seed.eu.rentedNumberSid, { workspaceId: 'x' }),
      'no workspace with the id "x"',
    ],
    [
      'another id for a record',
      () => fake.records.change('eu', 'tools', fake.seed.eu.toolId, { id: 'x' }),
      'The id of "tool_eu_1" cannot be changed.',
    ],
    // The casts stand for untyped code.
    ['an unknown region', () => fake.records.list('mars' as 'eu', 'tools'), 'there is no "mars"'],
    ['an unknown collection', () => fake.records.list('eu', 'robots' as 'tools'), 'there is no "robots"'],
  ])('%s', (_name, adding, message) => {
    expect(adding).toThrow(TypeError);
    expect(adding).toThrow(message);
  });
});

test('a record that is changed names records of its own region, and has no key of another there', () => {
  const fake = createFakePlatform();
  const { records, seed } = fake;
  fake.add.na.agent({ id: 'there' });
  fake.add.variable({ key: 'only in eu' });
  expect(records.change('na', 'leads', seed.na.leadId, { agentId: 'there' }).agentId).toBe('there');
  const change = (fields: object) => records.change('na', 'leads', seed.na.leadId, fields);
  expect(() => change({ agentId: seed.eu.agentId })).toThrow(seed.eu.agentId);
  const move = (workspaceId: string) => records.change('na', 'agents', seed.na.agentId, { workspaceId });
  expect(move(seed.na.secondWorkspaceId).workspaceId).toBe(seed.na.secondWorkspaceId);
  expect(() => move(seed.eu.workspaceId)).toThrow(seed.eu.workspaceId);
  const { id } = records.add('na', 'variables', { key: 'plan' });
  expect(records.change('na', 'variables', id, { key: 'only in eu' }).key).toBe('only in eu');
  expect(() => records.change('na', 'variables', id, { key: seed.na.variableKey })).toThrow(
    'has a variable with the key',
  );
});
