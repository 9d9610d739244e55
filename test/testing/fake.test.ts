import { AgentPlatform } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { expect, onTestFinished, test } from 'vitest';
import { clientOf, httpClientOf, listening } from './support/client.js';

test('one state behind three doors', async () => {
  const fake = createFakePlatform();
  const server = await listening(fake);
  const msw = setupServer(...fakeHandlers(fake));
  msw.listen({ onUnhandledRequest: 'bypass' });
  onTestFinished(() => msw.close());
  const { agentId } = fake.seed.eu;

  await clientOf(fake).variables.create(agentId, { key: 'in_process' });
  await httpClientOf(fake, server).variables.create(agentId, { key: 'http' });
  await clientOf(fake, { fetch: undefined }).variables.create(agentId, {
    key: 'msw',
  });

  const keys = [...fake.state.eu.variables.values()].map((variable) => variable.key);
  expect(keys).toEqual(['customer_name', 'in_process', 'http', 'msw']);
  expect(fake.requests).toHaveLength(3);
});

test('msw intercepts the addresses that the fake was made with', async () => {
  const baseUrls = { eu: 'https://api.eu.example/base/v3/', na: 'https://api.na.example' };
  const fake = createFakePlatform({ baseUrls });
  const msw = setupServer(...fakeHandlers(fake));
  msw.listen({ onUnhandledRequest: 'error' });
  onTestFinished(() => msw.close());

  for (const region of ['eu', 'na'] as const) {
    const token = fake.seed[region].workspaceSecret;
    const platform = new AgentPlatform({ region, token, baseUrls, maxRetries: 0 });
    expect((await platform.tools.get(fake.seed[region].toolId)).id).toBe(`tool_${region}_1`);
  }
});

test.each(['restore', 'reset'] as const)(
  '%s brings back a number that was released for good since',
  async (how) => {
    const fake = createFakePlatform();
    const snapshot = fake.snapshot();
    const { rentedNumberSid: phoneNumberSid } = fake.seed.eu;
    await clientOf(fake).phoneNumbers.release({ phoneNumberSid, isImportedNumber: false });
    fake[how](snapshot);
    expect(fake.add.phoneNumber({ sid: phoneNumberSid }).sid).toBe(phoneNumberSid);
  },
);

test('restore leaves out a subscription whose workspace is not there', () => {
  const fake = createFakePlatform();
  const { secondWorkspaceId: workspaceId } = fake.seed.eu;
  fake.webhooks.subscribe('http://127.0.0.1:1/hook', { workspaceId, untilReset: true });
  fake.webhooks.subscribe('http://127.0.0.1:1/other', { untilReset: true });
  fake.records.remove('eu', 'workspaces', workspaceId);
  fake.restore(fake.snapshot());
  expect(fake.webhooks.subscriptions).toMatchObject([{ address: 'http://127.0.0.1:1/other' }]);
});

test.each(['eu', 'na'] as const)(
  'restore brings back all records of %s in their order, and that numbers were released for good',
  async (region) => {
    const fake = createFakePlatform();
    const { phoneNumbers } = clientOf(fake, { region });
    fake.add[region].phoneNumber();
    const sids = [fake.seed[region].rentedNumberSid, fake.add[region].phoneNumber().sid];
    for (const phoneNumberSid of sids)
      await phoneNumbers.release({ phoneNumberSid, isImportedNumber: false });
    const other = createFakePlatform();
    other.restore(fake.snapshot());
    expect(other.snapshot()).toEqual(fake.snapshot());
    for (const sid of sids)
      expect(() => other.add[region].phoneNumber({ sid })).toThrow('was released for good');
  },
);

test('restore ends the subscriptions that were added since, and knows nothing of receivers in process', () => {
  const fake = createFakePlatform();
  fake.webhooks.subscribe({ fetch: () => new Response() }, { untilReset: true });
  // What the program subscribed itself, it subscribes again.
  const end = fake.webhooks.subscribe('http://127.0.0.1:1/own');
  const snapshot = fake.snapshot();
  end();
  fake.webhooks.subscribe('http://127.0.0.1:1/hook', { untilReset: true });
  fake.restore(snapshot);
  expect(fake.webhooks.subscriptions).toEqual([]);
});

test('restore leaves the subscriptions of the program as they are', () => {
  const fake = createFakePlatform();
  fake.webhooks.subscribe('http://127.0.0.1:1/hook', { events: ['lead_captured'], untilReset: true });
  const snapshot = fake.snapshot();
  const another = createFakePlatform();
  another.webhooks.subscribe('http://127.0.0.1:1/hook');
  const { subscriptions } = another.webhooks;

  another.restore(snapshot);

  expect(another.webhooks.subscriptions).toEqual(subscriptions);
});

test('restore gives no id again that was given before the snapshot', () => {
  const fake = createFakePlatform();
  for (let more = 0; more < 2; more += 1) fake.records.remove('eu', 'tools', fake.add.tool().id);
  const snapshot = fake.snapshot();
  const { lastIds: _, ...old } = snapshot;
  const another = createFakePlatform();
  const older = createFakePlatform();
  another.restore(snapshot);
  older.restore(old);
  expect(older.add.tool().id).toBe('tool_eu_2');
  // The last that either has given.
  another.restore(older.snapshot());
  older.restore(snapshot);

  expect([another.add.tool().id, older.add.tool().id]).toEqual(['tool_eu_4', 'tool_eu_4']);
});

test.each(['eu', 'na'] as const)('restore refuses records of %s that lack what the rules need', (region) => {
  const fake = createFakePlatform();
  const { records, ...rest } = fake.snapshot();
  const all = records as { eu: object; na: object };
  const lacking = {
    ...all[region],
    tools: [{ id: 'a' }, { name: 'crm' }],
    defaultTools: [{ kind: 'runtime_auto' }],
  };

  expect(() => fake.restore({ ...rest, records: { ...all, [region]: lacking } })).toThrow(
    new RegExp(
      `^The snapshot is wrong\n  - records.${region}.tools.1..id: required\n.*records.${region}.defaultTools.0..id: required`,
    ),
  );
  expect([...fake.state.eu.tools.keys()]).toEqual([fake.seed.eu.toolId]);
});

test('a snapshot stays as it is, whatever a handler does to the records', () => {
  const fake = createFakePlatform();
  const snapshot = fake.snapshot();
  const before = structuredClone(snapshot);
  Object.assign(fake.state.eu.tools.get(fake.seed.eu.toolId) ?? {}, { name: 'changed in place' });
  expect(snapshot).toEqual(before);
});

test('what a handler does to the records that were restored leaves the snapshot as it is', () => {
  const fake = createFakePlatform();
  const { id } = fake.add.variable({ value: { seats: 3 } });
  const snapshot = fake.snapshot();
  fake.restore(snapshot);
  Object.assign(fake.state.eu.variables.get(id)?.value ?? {}, { seats: 4 });
  fake.restore(snapshot);

  expect(fake.state.eu.variables.get(id)?.value).toEqual({ seats: 3 });
});

test('reset leads to the records that the fake was made with, whatever became of the list of them', () => {
  const tools = [{ id: 'mine', channels: ['web-chat'] }];
  const fake = createFakePlatform({ regions: { na: { tools } } });
  const before = structuredClone(fake.state.na);
  tools[0]?.channels.push('sms');
  tools.push({ id: 'later', channels: [] });
  fake.reset();

  expect(fake.state.na).toEqual(before);
});

test('what a handler does to the catalogue ends with a reset, and is seen in no other fake', () => {
  const fake = createFakePlatform();
  const before = structuredClone(createFakePlatform().state.na);
  Object.assign(fake.state.na.defaultTools.get('web-search') ?? {}, { name: 'changed in place' });

  expect(createFakePlatform().state.na).toEqual(before);
  fake.reset();
  expect(fake.state.na).toEqual(before);
});

test('restore refuses a snapshot of another form', () => {
  const fake = createFakePlatform();
  const newer = { ...fake.snapshot(), version: 2 as 1 };
  expect(() => fake.restore(newer)).toThrow('The snapshot is wrong\n  - version: expected one of 1');
});

test('restore brings back the subscriptions of both regions', () => {
  const fake = createFakePlatform();
  const withoutIds = () => fake.webhooks.subscriptions.map(({ id: _, ...rest }) => rest);
  for (const region of ['eu', 'na'] as const) {
    const { secondWorkspaceId: workspaceId } = fake.seed[region];
    const events = region === 'eu' ? ['lead_captured'] : undefined;
    fake.webhooks.subscribe('http://127.0.0.1:1/hook', { region, workspaceId, events, untilReset: true });
  }
  const before = withoutIds();
  fake.restore(fake.snapshot());
  expect(withoutIds()).toEqual(before);
});

test('restore takes away the faults and the records that were added since', () => {
  const fake = createFakePlatform();
  fake.faults.inject({ status: 503 });
  const snapshot = fake.snapshot();
  fake.faults.inject({ kind: 'html' });
  for (const region of ['eu', 'na'] as const) fake.add[region].tool();
  fake.restore(snapshot);
  expect(fake.faults.list()).toMatchObject([{ status: 503 }]);
  expect([fake.state.eu.tools.size, fake.state.na.tools.size]).toEqual([1, 1]);
});

test('restore refuses a fault that is wrong, and changes nothing', () => {
  const fake = createFakePlatform();
  const snapshot = { ...fake.snapshot(), faults: [{ status: 503 }, { status: 700 }] };
  fake.faults.inject({ kind: 'html' });
  fake.add.tool({ id: 'added' });

  expect(() => fake.restore(snapshot)).toThrow('status: expected at most 599');
  expect(fake.faults.list()).toMatchObject([{ kind: 'html' }]);
  expect(fake.state.eu.tools.has('added')).toBe(true);
});
