import type { Tool } from 'agent-platform-sdk';
import { createFakePlatform, type FakeChange, fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, test } from 'vitest';
import { clientOf } from './support/client.js';

describe('add', () => {
  test('completes each kind of record, with the same ids in every run', () => {
    const { add } = createFakePlatform({ seed: 'empty' });
    expect([
      add.workspace(),
      add.workspace(),
      add.org(),
      add.client(),
      add.team(),
      add.agent(),
      add.variable(),
      add.tool(),
      add.defaultTool(),
      add.conversation(),
      add.lead(),
      add.phoneNumber(),
    ]).toEqual([
      {
        id: 'workspace_eu_1',
        secret: 'fake-workspace-secret-of-workspace_eu_1',
        isPrimary: true,
        ownerIds: ['owner_eu'],
        memberIds: [],
      },
      expect.objectContaining({ id: 'workspace_eu_2', isPrimary: false }),
      { id: 'org_eu_1', workspaceId: 'workspace_eu_1' },
      { ID: 'client_eu_1', name: 'client_eu_1', orgId: 'org_eu_1' },
      { ID: 'team_eu_1', key: 'team_eu_1', memberIds: [], orgId: 'org_eu_1' },
      {
        id: 'agent_eu_1',
        name: 'agent_eu_1',
        secret: 'fake-agent-secret-of-agent_eu_1',
        workspaceId: 'workspace_eu_1',
        platform: 'vg',
        advanced: {},
      },
      {
        id: 'variable_eu_1',
        key: 'variable_eu_1',
        type: 'string',
        agentId: 'agent_eu_1',
        userId: 'owner_eu',
      },
      { id: 'tool_eu_1', name: 'tool_eu_1', agentId: 'agent_eu_1' },
      { id: 'default_tool_eu_1', name: 'default_tool_eu_1', kind: 'assignable_system' },
      {
        agentId: 'agent_eu_1',
        convoId: 'convo_eu_1',
        record: { ID: 'agent_eu_1_convo_eu_1', userID: 'agent_eu_1_convo_eu_1' },
      },
      { id: 'lead_eu_1', agentId: 'agent_eu_1' },
      { sid: 'number_eu_1', imported: false, workspaceId: 'workspace_eu_1' },
    ]);
  });

  test('keeps given fields, and adds to the region that is named', () => {
    const fake = createFakePlatform();
    const tool = fake.add.na.tool({ id: 'crm', name: 'CRM', channels: ['web-chat'] });
    expect(tool).toEqual({ id: 'crm', name: 'CRM', channels: ['web-chat'], agentId: 'agent_na_1' });
    expect([fake.state.na.tools.get('crm'), fake.state.eu.tools.get('crm')]).toEqual([tool, undefined]);
  });

  test('replaces a record with the same id, and never takes a taken id', () => {
    const { add, state } = createFakePlatform();
    add.tool({ id: 'tool_eu_2' });
    add.tool({ id: 'tool_eu_2', name: 'again' });
    expect(add.tool().id).toBe('tool_eu_3');
    expect([...state.eu.tools.keys()]).toEqual(['tool_eu_1', 'tool_eu_2', 'tool_eu_3']);
    expect(state.eu.tools.get('tool_eu_2')?.name).toBe('again');
  });

  test('is independent of the object that was passed', () => {
    const fake = createFakePlatform();
    const record = fixtures.tool({ id: 'mine' });
    fake.add.tool(record);
    record.channels = ['changed'];
    expect(fake.state.eu.tools.get('mine')?.channels).toEqual(['web-chat']);
  });
});

describe('records', () => {
  test('lists, adds, changes and removes', async () => {
    const fake = createFakePlatform();
    fake.records.add('eu', 'tools', { id: 'crm', name: 'CRM' });
    const changed = fake.records.change('eu', 'tools', 'crm', { name: 'CRM lookup', channels: ['voice'] });
    expect(fake.records.list('eu', 'tools').at(-1)).toEqual(changed);
    expect(await clientOf(fake).tools.get('crm')).toMatchObject({ name: 'CRM lookup', channels: ['voice'] });
    expect([fake.records.remove('eu', 'tools', 'crm'), fake.records.remove('eu', 'tools', 'crm')]).toEqual([
      true,
      false,
    ]);
  });

  test('change merges at any depth; undefined removes a field', () => {
    const { records } = createFakePlatform();
    const id = 'agent_eu_1/convo_eu_1';
    const { record } = records.change('eu', 'conversations', id, {
      record: { voiceprov: { cost: 9 }, tags: [], title: undefined },
    });
    expect(record.voiceprov).toMatchObject({ cost: 9, callStatus: 'ended' });
    expect([record.tags, 'title' in record]).toEqual([[], false]);
  });
});

test('regions are records to begin with, which may refer to each other', async () => {
  const fake = createFakePlatform({
    seed: 'empty',
    regions: {
      na: {
        tools: [{ id: 'crm', agentId: 'bot' }],
        agents: [{ id: 'bot', workspaceId: 'acme' }],
        workspaces: [{ id: 'other' }, { id: 'acme', isPrimary: true }],
      },
    },
  });
  expect(fake.state.na.agents.get('bot')?.workspaceId).toBe('acme');
  expect([...fake.state.na.workspaces.values()].map(({ isPrimary }) => isPrimary)).toEqual([false, true]);
  expect([fake.state.eu.workspaces.size, fake.state.eu.defaultTools.size]).toEqual([0, 7]);
});

test('the seed has a record of each kind in both regions', () => {
  const { state, seed } = createFakePlatform();
  for (const region of ['eu', 'na'] as const) {
    for (const collection of Object.values(state[region])) expect(collection.size).toBeGreaterThan(0);
    expect(state[region].workspaces.get(seed[region].workspaceId)?.secret).toBe(seed[region].workspaceSecret);
  }
});

test('reset restores the initial records, requests, faults and ids', async () => {
  const tools: Partial<Tool>[] = [{ id: 'mine' }];
  const fake = createFakePlatform({ regions: { eu: { tools } } });
  const { state } = fake;
  const before = fake.snapshot();
  tools.push({ id: 'later' });
  fake.add.tool();
  fake.faults.inject({ status: 500 });
  await clientOf(fake)
    .phoneNumbers.release({ phoneNumberSid: 'number_eu_1', isImportedNumber: false })
    .catch(() => 0);
  fake.records.remove('eu', 'defaultTools', 'web-search');

  fake.reset();

  expect(fake.snapshot()).toEqual(before);
  expect(fake.state).toBe(state);
  expect([fake.requests, fake.faults.list()]).toEqual([[], []]);
  expect(fake.add.tool().id).toBe('tool_eu_2');
});

describe('snapshot', () => {
  test('restores all records, and is plain JSON', async () => {
    const fake = createFakePlatform();
    await clientOf(fake).phoneNumbers.release({ phoneNumberSid: 'number_eu_1', isImportedNumber: false });
    const snapshot = JSON.parse(JSON.stringify(fake.snapshot())) as ReturnType<typeof fake.snapshot>;
    const other = createFakePlatform({ seed: 'empty' });
    other.restore(snapshot);
    expect(other.snapshot()).toEqual(snapshot);
    expect(other.state.eu.phoneNumbers.has('number_eu_1')).toBe(false);
    // A change in place, as by a handler of `fake.handle`.
    const tool = other.state.eu.tools.get('tool_eu_1') as Tool;
    tool.name = 'changed';
    other.restore(snapshot);
    expect(other.snapshot()).toEqual(fake.snapshot());
  });
});

test('onChange emits every change, until it is stopped', async () => {
  const fake = createFakePlatform();
  const seen: string[] = [];
  const describeChange = (change: FakeChange) =>
    change.type === 'request'
      ? `request ${change.request.status}`
      : change.type === 'delivery'
        ? `delivery ${change.delivery.outcome}`
        : change.what;
  const stop = fake.onChange((change) => void seen.push(describeChange(change)));
  const changes = async (act: () => unknown): Promise<string[]> => {
    await act();
    return seen.splice(0);
  };
  expect(await changes(() => fake.add.tool())).toEqual(['records']);
  expect(await changes(() => fake.records.change('eu', 'tools', 'tool_eu_2', {}))).toEqual(['records']);
  expect(await changes(() => fake.records.remove('eu', 'tools', 'tool_eu_2'))).toEqual(['records']);
  expect(await changes(() => fake.faults.inject({ status: 500 }))).toEqual(['faults']);
  expect(
    await changes(() =>
      clientOf(fake)
        .tools.listDefaults()
        .catch(() => 0),
    ),
  ).toEqual(['request undefined', 'faults', 'request 500']);
  const variable = { key: 'plan' };
  expect(await changes(() => clientOf(fake).variables.create('agent_eu_1', variable))).toEqual([
    'request undefined',
    'records',
    'request 200',
  ]);
  const target = { fetch: () => new Response() };
  expect(await changes(() => fake.webhooks.subscribe(target))).toEqual(['subscriptions']);
  expect(await changes(() => fake.webhooks.send('webhook_test'))).toEqual([
    'delivery undefined',
    'delivery success',
  ]);
  expect(await changes(() => fake.clearRequests())).toEqual(['requests']);
  stop();
  expect(await changes(() => fake.reset())).toEqual([]);
});
