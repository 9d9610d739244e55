import type { Tool } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { clientOf } from './clients.js';

describe('add', () => {
  test('completes each kind of record, with the same ids in every run', () => {
    const { add } = createFakePlatform({ seed: 'empty' });
    const owners = ['workspace', 'workspace', 'org', 'client', 'team', 'agent'] as const;
    const owned = ['variable', 'tool', 'defaultTool', 'conversation', 'lead', 'phoneNumber'] as const;
    const agentId = 'agent_eu_1';
    const convo = { ID: 'agent_eu_1_convo_eu_1', userID: 'agent_eu_1_convo_eu_1' };
    expect([...owners, ...owned].map((name) => add[name]())).toEqual([
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
        id: agentId,
        name: 'agent_eu_1',
        secret: 'fake-agent-secret-of-agent_eu_1',
        workspaceId: 'workspace_eu_1',
        platform: 'vg',
        advanced: {},
      },
      { id: 'variable_eu_1', key: 'variable_eu_1', type: 'string', agentId, userId: 'owner_eu' },
      { id: 'tool_eu_1', name: 'tool_eu_1', agentId },
      { id: 'default_tool_eu_1', name: 'default_tool_eu_1', kind: 'assignable_system' },
      { agentId, convoId: 'convo_eu_1', record: convo },
      { id: 'lead_eu_1', agentId },
      { sid: 'number_eu_1', imported: false, workspaceId: 'workspace_eu_1' },
    ]);
  });

  test('keeps a copy of the given fields, in the region that is named', () => {
    const fake = createFakePlatform();
    const channels = ['web-chat'];
    fake.add.na.tool({ id: 'crm', name: 'CRM', channels });
    channels.push('later');
    const tool = { id: 'crm', name: 'CRM', channels: ['web-chat'], agentId: 'agent_na_1' };
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

test('reset restores the initial records, in the same maps, whatever became of those given', () => {
  const tools: Partial<Tool>[] = [{ id: 'mine' }];
  const fake = createFakePlatform({ regions: { eu: { tools } } });
  const [{ state }, before] = [fake, fake.snapshot()];
  tools.push({ id: 'later' });
  fake.records.remove('eu', 'defaultTools', 'web-search');
  fake.records.remove('eu', 'phoneNumbers', 'number_eu_1');
  fake.reset();
  expect(fake.snapshot()).toEqual(before);
  expect(fake.state).toBe(state);
});

test('after a reset, the same actions have the same results, also with the clock set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_760_000_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const fake = createFakePlatform();
  const act = async () => {
    const { variables, tools, conversations } = clientOf(fake);
    for (const add of [fake.add.tool, fake.add.workspace, fake.add.agent, fake.add.lead]) add();
    fake.add.variable({ key: 'unique' });
    fake.add.conversation({ convoId: 'c1' });
    await variables.create('agent_eu_1', { key: 'plan' });
    await conversations.get({ agentId: 'agent_eu_1', convoId: 'c1' });
    fake.faults.inject({ kind: 'rate-limit', limit: 1, per: 60_000, endpoint: 'getTool' });
    await tools.get('tool_eu_2');
    await expect(tools.get('tool_eu_2')).rejects.toMatchObject({ status: 429 });
    fake.webhooks.subscribe({ fetch: () => new Response() });
    const [delivery] = await fake.webhooks.send('lead_captured', {}, { copies: 2 });
    await fake.webhooks.resend(String(delivery?.id));
    const { requests, webhooks, faults } = fake;
    const all = [fake.snapshot(), requests, webhooks.deliveries, webhooks.subscriptions, faults.list()];
    // But for the time, which the test moves.
    return JSON.stringify(all).replaceAll(String(Date.now()), '"now"');
  };
  const first = await act();
  expect(first).toContain('"createdAt":"now"');
  fake.reset();
  expect(await act()).toEqual(first);
  vi.setSystemTime(Date.now() - 100);
  fake.reset();
  expect(await act()).toEqual(first);
});

test.each<[string, (fake: FakePlatform) => unknown]>([
  ['is slow', (fake) => fake.faults.inject({ kind: 'latency', ms: 60_000 })],
  ['waits for `permits`', () => undefined],
])('a reset while a call %s: it writes nothing into the next test, and emits nothing', async (_, slow) => {
  const held = deferred();
  const permits = (): Promise<undefined> => held.promise.then(() => undefined);
  const fake = createFakePlatform({ choices: { permits } });
  slow(fake);
  const call = clientOf(fake).variables.create('agent_eu_1', { key: 'plan' });
  await vi.waitFor(() => expect(fake.requests).toHaveLength(1));
  fake.reset();
  const changes: unknown[] = [];
  fake.onChange((change) => void changes.push(change));
  held.resolve();
  await expect(call).rejects.toMatchObject({ status: 409 });
  expect([changes, fake.requests, fake.state.eu.variables.size]).toEqual([[], [], 1]);
});

test('16,000 records are added, reset and restored in a time that grows with their number', () => {
  const fake = createFakePlatform();
  for (let count = 0; count < 16_000; count += 1) {
    fake.add.variable();
    fake.add.conversation();
  }
  expect(fake.state.eu.variables.size).toBe(16_001);
  fake.restore(fake.snapshot());
  fake.reset();
  expect(fake.state.eu.variables.size).toBe(1);
}, 30_000);

test('a variable can be changed in place of itself, and its old key is free', () => {
  const fake = createFakePlatform();
  fake.add.variable({ id: 'v', key: 'one' });
  fake.add.variable({ id: 'v', key: 'two' });
  expect(fake.add.variable({ key: 'one' }).key).toBe('one');
  expect(() => fake.records.change('eu', 'variables', 'v', { key: 'one' })).toThrow('already has a variable');
  fake.records.remove('eu', 'variables', 'v');
  expect(fake.add.variable({ key: 'two' }).key).toBe('two');
});

test('a snapshot is plain JSON and restores all records, also one whose owner was deleted', async () => {
  const fake = createFakePlatform();
  const { id, secret } = fake.add.workspace({ isPrimary: false });
  fake.add.org({ workspaceId: id });
  await clientOf(fake, { token: secret }).workspaces.delete(id);
  const snapshot = JSON.parse(JSON.stringify(fake.snapshot())) as ReturnType<typeof fake.snapshot>;
  const other = createFakePlatform({ seed: 'empty' });
  other.restore(snapshot);
  expect(other.snapshot()).toEqual(snapshot);
  // A change in place, as by a handler of `fake.handle`.
  const tool = other.state.eu.tools.get('tool_eu_1') as Tool;
  tool.name = 'changed';
  other.restore(snapshot);
  expect(other.snapshot()).toEqual(fake.snapshot());
});

test('onChange emits every change, until it is stopped', async () => {
  const fake = createFakePlatform();
  const seen: string[] = [];
  const stop = fake.onChange((change) => {
    if (change.type === 'request') seen.push(`request ${change.request.status}`);
    else if (change.type === 'delivery') seen.push(`delivery ${change.delivery.outcome}`);
    else seen.push(change.what);
  });
  const { variables, tools } = clientOf(fake);
  const acts: readonly (readonly [act: () => unknown, changes: readonly string[]])[] = [
    [() => fake.add.tool(), ['records']],
    [() => fake.records.change('eu', 'tools', 'tool_eu_2', {}), ['records']],
    [() => fake.records.remove('eu', 'tools', 'tool_eu_2'), ['records']],
    [() => fake.faults.inject({ status: 500 }), ['faults']],
    [() => tools.listDefaults().catch(() => 0), ['request undefined', 'faults', 'request 500']],
    [() => variables.create('agent_eu_1', { key: 'plan' }), ['request undefined', 'records', 'request 200']],
    [() => fake.webhooks.subscribe({ fetch: () => new Response() }), ['subscriptions']],
    [() => fake.webhooks.send('webhook_test'), ['delivery undefined', 'delivery success']],
    [() => fake.clearRequests(), ['requests']],
    [() => stop(), []],
    [() => fake.reset(), []],
  ];
  for (const [act, changes] of acts) {
    await act();
    expect(seen.splice(0)).toEqual(changes);
  }
});
