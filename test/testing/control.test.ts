import {
  createFakePlatform,
  type DeliveryRecord,
  type FakeRequest,
  fixtures,
  type ListenOptions,
  type Subscription,
  type WaitingFault,
} from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Changes } from '../../src/testing/changes.js';
import { control } from '../../src/testing/control/control.js';
import { serve } from '../support/loopback.js';
import { clientOf, send } from './support/client.js';

/** The fields of all answers: each has one or a few of them. */
interface Told {
  readonly message: string;
  readonly code: string;
  readonly success: boolean;
  readonly issues: readonly { readonly message: string }[];
  readonly records: object;
  readonly record: { readonly name?: string };
  readonly subscriptions: readonly Subscription[];
  readonly subscription: Subscription;
  readonly deliveries: readonly DeliveryRecord[];
  readonly delivery: DeliveryRecord;
  readonly faults: readonly WaitingFault[];
  readonly fault: WaitingFault;
  readonly requests: readonly FakeRequest[];
}

interface Answer {
  readonly status: number;
  readonly body: Told;
}

/** A fake that can be steered over HTTP, and a function that does. */
async function steered(options: ListenOptions = {}) {
  const fake = createFakePlatform();
  const server = await fake.listen({ control: true, ...options });
  onTestFinished(() => server.close());
  const ask = async (request: string, body?: unknown): Promise<Answer> => {
    const [method = '', path = ''] = request.split(' ');
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? {} : { headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/_fake${path}`, { method, ...init });
    return { status: response.status, body: (await response.json()) as Told };
  };
  return { fake, url: server.url, ask };
}

const HOOK = 'http://127.0.0.1:1/hook';

describe('records', () => {
  test('are listed, added, changed and removed, and the service answers with them', async () => {
    const { fake, ask } = await steered();
    const { tools } = clientOf(fake);

    expect((await ask('GET /records/eu/tools')).body).toEqual({ records: [...fake.state.eu.tools.values()] });
    const added = await ask('POST /records/eu/tools', { id: 'crm', name: 'CRM' });
    expect(added.body).toEqual({ record: { id: 'crm', name: 'CRM', agentId: fake.seed.eu.agentId } });
    const changed = await ask('PATCH /records/eu/tools/crm', { name: 'CRM 2' });
    expect(changed.body).toEqual({ record: await tools.get('crm') });
    expect(changed.body.record.name).toBe('CRM 2');
    expect(await ask('DELETE /records/eu/tools/crm')).toMatchObject({ status: 200, body: { success: true } });
    await expect(tools.get('crm')).rejects.toMatchObject({ status: 404 });
    expect(await ask('DELETE /records/eu/tools/crm')).toMatchObject({
      status: 404,
      body: { message: 'Region eu has no "crm" among its tools.' },
    });
    expect(fake.state.na.tools.has('crm')).toBe(false);
  });

  test.each([
    ['orgs', { id: 'o', clients: [{ ID: 'c' }] }, { teams: [{ ID: 't' }] }, 'o'],
    ['workspaces', { id: 'w' }, { secret: 'new-secret' }, 'w'],
    ['agents', { id: 'a' }, { advanced: { serverUrl: HOOK } }, 'a'],
    ['variables', { id: 'v', key: 'plan' }, { key: 'plan_2' }, 'v'],
    ['defaultTools', { id: 'd', kind: 'runtime_auto' }, { name: 'D' }, 'd'],
    ['conversations', { convoId: 'c/1' }, { record: { state: 'closed' } }, 'agent_eu_1/c%2F1'],
    ['leads', { id: 'l' }, { agentId: 'agent_eu_1' }, 'l'],
    ['phoneNumbers', { sid: '+49 1' }, { imported: true }, '%2B49%201'],
  ])('of %s too, in process and over HTTP', async (collection, record, change, id) => {
    const { fake, ask } = await steered();
    // Any of them: the types of a row belong together.
    const name = collection as 'tools';

    const { body } = await ask(`POST /records/eu/${collection}`, record);
    expect(body.record).toMatchObject(record);
    const changed = await ask(`PATCH /records/eu/${collection}/${id}`, change);
    expect(changed.body).toMatchObject({ record: change });
    expect(fake.records.list('eu', name).at(-1)).toEqual(changed.body.record);
    expect(Object.keys(changed.body.record)).toEqual(expect.arrayContaining(Object.keys(body.record)));
    await ask(`DELETE /records/eu/${collection}/${id}`);
    expect(fake.records.list('eu', name)).not.toContainEqual(changed.body.record);
    expect(fake.records.add('eu', name, record as object)).toEqual(body.record);
  });

  test.each([
    'orgs',
    'workspaces',
    'agents',
    'variables',
    'tools',
    'defaultTools',
    'conversations',
    'leads',
    'phoneNumbers',
  ])('of %s need no field to be added', async (collection) => {
    const { fake, ask } = await steered();
    const { body } = await ask(`POST /records/na/${collection}`, {});
    // Any of them: the lists have records of their own types.
    expect(fake.records.list('na', collection as 'tools')).toContainEqual(body.record);
  });

  test('keep what is not laid over, at any depth, and lose what is undefined', () => {
    const { records, seed } = createFakePlatform();
    const id = `${seed.eu.agentId}/${seed.eu.convoId}`;
    const [before] = records.list('eu', 'conversations');

    const after = records.change('eu', 'conversations', id, {
      record: { state: 'closed', userEmail: undefined },
    });

    const { userEmail: _, ...rest } = before?.record ?? fixtures.conversation();
    expect(after).toEqual({ ...before, record: { ...rest, state: 'closed' } });
    expect(after.record.tags).not.toBe(before?.record.tags);
  });

  test('a variable is not given the key of another of its agent', () => {
    const { records, seed } = createFakePlatform();
    const { id } = records.add('eu', 'variables', { key: 'plan' });

    expect(() => records.change('eu', 'variables', id, { key: seed.eu.variableKey })).toThrow(
      'has a variable with the key',
    );
    expect(records.change('eu', 'variables', id, { key: 'plan' }).key).toBe('plan');
  });
});

test.each([
  ['POST /records/mars/tools', {}, 'region: there is no "mars"; there are eu, na.'],
  ['GET /records/constructor/tools', undefined, 'region: there is no "constructor"'],
  ['POST /records/eu/robots', {}, 'collection: there is no "robots"; there are workspaces, orgs, agents,'],
  ['GET /records/eu/constructor', undefined, 'collection: there is no "constructor"'],
  ['POST /records/eu/leads', { nme: 'x' }, 'nme: unknown field; there are id, agentId'],
  ['POST /records/eu/tools', { id: 4 }, 'id: expected string, received number'],
  ['POST /records/eu/tools', { agentId: 'x' }, 'no agent with the id "x". There is agent_eu_1.'],
  [
    'POST /records/eu/agents',
    { advanced: { serverUrl: 'http://a.example' } },
    'advanced.serverUrl must be on this machine',
  ],
  [
    'PATCH /records/eu/agents/agent_eu_1',
    { advanced: { serverUrl: 'ftp://a' } },
    'advanced.serverUrl must be an http: or https:',
  ],
  [
    'PATCH /records/eu/agents/agent_eu_1',
    // As an own field, which an assignment would make the prototype.
    JSON.parse('{"advanced":{"__proto__":{"serverUrl":"http://a.example"}}}') as object,
    'advanced.__proto__: unknown field',
  ],
  ['PATCH /records/eu/tools/x', {}, 'no tool with the id "x". There is tool_eu_1.'],
  ['PATCH /records/eu/tools/tool_eu_1', { id: 'other' }, 'The id of "tool_eu_1" cannot be changed.'],
  ['PATCH /records/eu/tools/tool_eu_1', { agentId: 'x' }, 'no agent with the id "x"'],
  ['PATCH /records/eu/agents/agent_eu_1', { workspaceId: 'x' }, 'no workspace with the id "x"'],
  ['PATCH /records/eu/agents/agent_eu_1', { platform: 'x' }, 'platform: expected one of "vg", "vf"'],
  ['POST /records/eu/tools', [], '(root): expected record, received array'],
  ['POST /subscriptions', { url: 'nowhere' }, 'url must be an http: or https: address, got "nowhere"'],
  ['POST /subscriptions', { url: 'http://:pass@localhost' }, 'url must be an address without user name and'],
  ['POST /subscriptions', { url: 'http://user@localhost' }, 'url must be an address without user name and'],
  ['POST /subscriptions', { url: 'file:///etc/passwd' }, 'url must be an http: or https: address'],
  [
    'POST /subscriptions',
    { url: 'http://169.254.169.254' },
    'url must be on this machine (localhost, 127.0.0.1), got http://169.254.169.254/: start with --host, or the option host of listen, to allow others.',
  ],
  ['POST /subscriptions', { url: 'http://localhost.example.com/' }, 'url must be on this machine'],
  ['POST /subscriptions', { url: 'http://127.0.0.1.example.com/' }, 'url must be on this machine'],
  ['POST /subscriptions', { url: HOOK, events: ['x', 4] }, 'events[1]: expected string, received number'],
  ['GET /requests?status=5034', undefined, 'status: expected three digits'],
  ['GET /requests?state=400', undefined, 'The query is wrong.'],
  ['POST /events', { kind: 'lead_captured' }, 'type: required: expected string'],
  [
    'POST /events',
    { type: 'x', kind: 'y' },
    'kind: unknown field; there are type, overrides, region, workspaceId, copies, forged',
  ],
  ['POST /events', { type: 'x', region: 'mars' }, 'region: expected one of "eu", "na"'],
  ['POST /events', { type: 'x', workspaceId: 'x' }, 'id "x". There is workspace_eu_1, workspace_eu_2.'],
  ['POST /events', { type: 'webhook_test', copies: 100_000 }, 'copies must be a whole number from 1 to 1000'],
  [
    'POST /faults',
    { kind: 'explosion' },
    'There is no fault of the kind "explosion". There are status, html,',
  ],
  [
    'POST /faults',
    { kind: 'refused' },
    'kind: a server that listens cannot refuse a connection; "reset" can be had.',
  ],
  ['POST /faults', { status: 5 }, 'status: expected at least 200'],
  [
    'POST /faults',
    { status: 500, time: 1 },
    'time: unknown field; there are kind, times, region, rate, seed, acts, status',
  ],
  [
    'POST /faults',
    { status: 500, endpoint: 'getTools' },
    'no endpoint "getTools". It has listMembersAndTeams',
  ],
])('%s with %j is refused, and changes nothing', async (request, body, message) => {
  const { fake, ask } = await steered();
  const before = structuredClone((await ask('GET /state')).body);

  const refused = await ask(request, body);

  expect([refused.status, refused.body.code]).toEqual([400, 'invalid_control']);
  expect(JSON.stringify(refused.body).replaceAll('\\"', '"')).toContain(message);
  expect((await ask('GET /state')).body).toEqual(before);
  expect(fake.state.eu.tools.get('tool_eu_1')?.agentId).toBe('agent_eu_1');
});

test('each field that is wrong is told', async () => {
  const { ask } = await steered();
  const told = async (request: string, body: unknown) =>
    (await ask(request, body)).body.issues.map(({ message }) => message.split(':')[0]);

  expect(await told('POST /records/eu/leads', { nme: 'x', agent: 'y', id: 4 })).toEqual([
    'id',
    'nme',
    'agent',
  ]);
  expect(await told('POST /faults', { status: 5, rate: 2 })).toEqual(['rate', 'status']);
});

test('the state is told whole', async () => {
  const { fake, ask } = await steered();
  fake.webhooks.subscribe(HOOK);
  fake.faults.inject({ status: 500, times: 'always' });
  await clientOf(fake)
    .phoneNumbers.release({ phoneNumberSid: 'x', isImportedNumber: true })
    .catch(() => undefined);
  fake.faults.clear();
  await clientOf(fake).phoneNumbers.release({
    phoneNumberSid: fake.seed.eu.rentedNumberSid,
    isImportedNumber: false,
  });
  fake.faults.inject({ kind: 'html' });
  await fake.webhooks.send('webhook_test');

  const { body } = await ask('GET /state');

  expect(body.records).toHaveProperty('na.tools', [...fake.state.na.tools.values()]);
  expect(body).toMatchObject({
    records: {
      eu: { tools: [{ id: 'tool_eu_1' }], releasedForGood: [fake.seed.eu.rentedNumberSid] },
      na: Object.fromEntries(Object.keys(fake.state.na).map((name) => [name, expect.any(Array)])) as object,
    },
    subscriptions: [{ address: HOOK }],
    faults: [{ id: 'fault_2', kind: 'html' }],
    requests: 2,
    deliveries: 1,
  });
});

describe('subscriptions', () => {
  test('are listed in the order in which they were added', async () => {
    const { ask } = await steered();
    const addresses = ['3', '1', '2'].map((path) => `${HOOK}/${path}`);
    for (const url of addresses) await ask('POST /subscriptions', { url });
    const listed = addresses.map((address) => ({ address }));
    expect((await ask('GET /subscriptions')).body).toMatchObject({ subscriptions: listed });
  });

  test('are listed, added once for each address, and removed', async () => {
    const { fake, ask } = await steered();

    const first = await ask('POST /subscriptions', { url: HOOK, events: ['lead_captured'] });
    const again = await ask('POST /subscriptions', { url: HOOK, events: ['webhook_test'] });

    expect(again.body.subscription).toEqual({ ...first.body.subscription, events: ['webhook_test'] });
    expect((await ask('GET /subscriptions')).body).toEqual({ subscriptions: [again.body.subscription] });
    expect((await ask('POST /events', { type: 'lead_captured' })).body).toEqual({ deliveries: [] });
    expect((await ask('DELETE /subscriptions/subscription_1')).status).toBe(200);
    expect((await ask('DELETE /subscriptions/subscription_1')).status).toBe(404);
    expect(fake.webhooks.subscriptions).toEqual([]);
  });

  test.each(['eu', 'na'] as const)(
    'of the program stay after a reset though they were asked for over HTTP too, in %s',
    async (region) => {
      const { fake, ask } = await steered();
      const { secondWorkspaceId: workspaceId } = fake.seed[region];
      fake.webhooks.subscribe(HOOK, { region });
      await ask('POST /subscriptions', { url: HOOK, region, workspaceId });
      const again = await ask('POST /subscriptions', { url: HOOK, region, events: ['webhook_test'] });

      expect(again.body.subscription).toMatchObject({ events: ['webhook_test'], untilReset: false });
      await ask('POST /reset', {});
      expect(fake.webhooks.subscriptions).toEqual([again.body.subscription]);
      const asked = await ask('POST /subscriptions', { url: HOOK, region, untilReset: true });
      expect(asked.body.subscription.untilReset).toBe(true);
    },
  );

  test('are a hundred at most, once one is added', async () => {
    const { fake, ask } = await steered();
    for (let path = 0; path < 99; path += 1) fake.webhooks.subscribe(`http://localhost:1/${path}`);
    expect((await ask('POST /subscriptions', { url: 'http://localhost:1/99' })).status).toBe(200);

    const refused = await ask('POST /subscriptions', { url: 'http://localhost:1/100' });

    expect(refused).toMatchObject({
      status: 400,
      body: { message: 'There are 100 subscriptions, and no more can be added.' },
    });
    const { body } = await ask('POST /subscriptions', { url: 'HTTP://LocalHost:1/7' });
    expect(body.subscription.address).toBe('http://localhost:1/7');
    expect(fake.webhooks.subscriptions.at(-1)).toEqual(body.subscription);
    expect(fake.webhooks.subscriptions).toHaveLength(100);
  });

  test('may be on other machines once a host is given', async () => {
    const { fake, ask } = await steered({ host: '127.0.0.1' });

    expect((await ask('POST /subscriptions', { url: 'https://a.example/hook' })).status).toBe(200);
    expect(fake.webhooks.subscriptions).toMatchObject([{ address: 'https://a.example/hook' }]);
    const advanced = { serverUrl: 'https://a.example/agent' };
    expect((await ask('PATCH /records/eu/agents/agent_eu_1', { advanced })).body).toMatchObject({
      record: { advanced },
    });
  });
});

describe('events', () => {
  test('are sent, forged, in copies, and delivered again', async () => {
    const seen: { secret: unknown; name: unknown }[] = [];
    const { fake, ask } = await steered();
    const { workspaceSecret } = fake.seed.eu;
    const url = await serve((request, response) => {
      request.setEncoding('utf8').once('data', (text: string) => {
        const { payload } = JSON.parse(text) as { payload: { workspaceSecret: string; leadName: string } };
        seen.push({ secret: payload.workspaceSecret, name: payload.leadName });
        response.writeHead(payload.workspaceSecret === workspaceSecret ? 200 : 401).end(`got ${text}`);
      });
    });
    await ask('POST /subscriptions', { url });

    const overrides = { leadName: 'Dana' };
    const sent = await ask('POST /events', { type: 'lead_captured', overrides, copies: 2 });
    const forged = await ask('POST /events', { type: 'lead_captured', overrides, forged: true });
    const again = await ask(`POST /deliveries/${sent.body.deliveries[0]?.id}/resend`, {});

    expect(sent.body.deliveries).toMatchObject([{ status: 200 }, { status: 200 }]);
    expect(forged.body.deliveries).toMatchObject([{ status: 401, outcome: 'refused' }]);
    expect(again.body.delivery).toMatchObject({ status: 200, payload: sent.body.deliveries[0]?.payload });
    expect(seen.map(({ secret, name }) => [secret === workspaceSecret, name])).toEqual([
      [true, 'Dana'],
      [true, 'Dana'],
      [false, 'Dana'],
      [true, 'Dana'],
    ]);
    const told = await ask('GET /deliveries');
    expect(new Set(told.body.deliveries.map(({ id }) => id)).size).toBe(4);
    expect(told.body.deliveries[0]?.answer).toContain('"leadName":"Dana"');
    expect(JSON.stringify(told.body)).not.toContain(workspaceSecret);
  });

  test('that were delivered are filtered, and forgotten', async () => {
    const { fake, ask } = await steered();
    fake.webhooks.subscribe(HOOK);
    fake.webhooks.subscribe({ fetch: () => new Response() });
    await ask('POST /events', { type: 'lead_captured' });
    await ask('POST /events', { type: 'brand_new', overrides: { size: 1 }, copies: 2 });
    const typesFor = async (query: string): Promise<unknown> =>
      (await ask(`GET /deliveries?${query}`)).body.deliveries
        .map(({ type }) => type)
        .sort((a, b) => a.localeCompare(b));

    expect(await typesFor('type=brand_new')).toHaveLength(4);
    expect(fake.webhooks.deliveries.at(-1)).toMatchObject({ type: 'brand_new', payload: { size: 1 } });
    expect(await typesFor('outcome=failed')).toEqual(['brand_new', 'brand_new', 'lead_captured']);
    expect(await typesFor('address=receiver&type=lead_captured')).toEqual(['lead_captured']);
    for (const part of ['address=receive', 'type=lead', 'address=receivers', 'type=lead_captured_2'])
      expect(await typesFor(part)).toEqual([]);
    expect((await ask('GET /deliveries?outcome=late')).body.message).toBe('The query is wrong.');
    expect((await ask('GET /deliveries?outcome=late')).body.issues).toEqual([
      {
        message:
          'outcome: expected one of "success", "refused", "timeout", "failed", received another string',
      },
    ]);
    const id = fake.webhooks.deliveries[0]?.id;
    await ask('DELETE /deliveries');
    expect((await ask('GET /deliveries')).body).toEqual({ deliveries: [] });
    expect((await ask(`POST /deliveries/${id}/resend`, {})).body.message).toContain(
      `no delivery with the id "${id}"`,
    );
  });
});

describe('faults', () => {
  test('are listed with what remains of them, and taken away', async () => {
    const { fake, ask } = await steered();
    const { tools } = clientOf(fake);
    const first = await ask('POST /faults', { endpoint: 'listDefaultTools', status: 503, times: 2 });
    const second = await ask('POST /faults', { kind: 'latency', ms: 0, times: 'always' });
    expect(first.body.fault).toEqual({
      id: 'fault_1',
      endpoint: 'listDefaultTools',
      status: 503,
      remaining: 2,
      struck: 0,
    });

    await expect(tools.listDefaults()).rejects.toMatchObject({ status: 503 });

    expect((await ask('GET /faults')).body.faults).toEqual([
      { ...first.body.fault, remaining: 1, struck: 1 },
      { ...second.body.fault, remaining: 'always', struck: 1 },
    ]);
    expect((await ask('DELETE /faults/fault_1')).status).toBe(200);
    expect((await ask('DELETE /faults/fault_1')).status).toBe(404);
    await expect(tools.listDefaults()).resolves.toHaveLength(7);
    await ask('DELETE /faults');
    expect((await ask('GET /faults')).body).toEqual({ faults: [] });
    expect((await ask('POST /faults', { status: 500 })).body.fault.remaining).toBe(1);
  });

  test('that are used up, or removed in process, are listed no more', async () => {
    const { faults, ...fake } = createFakePlatform();
    faults.inject({ status: 500 });
    const removed = faults.inject({ status: 501 });
    removed.remove();
    await fake.fetch(`${fake.baseUrls.eu}/v3/tools/defaults`);

    expect(faults.list()).toEqual([]);
    expect([removed.id, faults.remove(removed.id)]).toEqual(['fault_2', false]);
  });
});

describe('requests', () => {
  test('are told with their answers, filtered, and forgotten', async () => {
    const { fake, ask } = await steered();
    const { tools, variables } = clientOf(fake);
    fake.faults.inject({ endpoint: 'listDefaultTools', status: 503 });
    fake.faults.inject({ endpoint: 'getTool', kind: 'truncated' });
    await tools.listDefaults().catch(() => undefined);
    await tools.get(fake.seed.eu.toolId).catch(() => undefined);
    await variables.create(fake.seed.eu.agentId, { key: fake.seed.eu.variableKey }).catch(() => undefined);
    await variables.create(fake.seed.eu.agentId, { key: 'pin', isEnv: true, value: 'a-secret-pin' });
    const idsFor = async (query: string): Promise<unknown> =>
      (await ask(`GET /requests?${query}`)).body.requests.map(({ id }) => id);

    const { requests } = (await ask('GET /requests')).body;
    expect(requests).toMatchObject([
      {
        id: 'request_1',
        status: 503,
        fault: 'status',
        answer: { message: 'The fake was told to answer 503.', code: 'fault' },
      },
      { id: 'request_2', fault: 'truncated', answer: { data: { id: fake.seed.eu.toolId } } },
      { id: 'request_3', status: 400, answer: { code: 'duplicate_key' } },
      {
        id: 'request_4',
        status: 200,
        answer: { data: { key: 'pin' } },
        duration: expect.any(Number) as number,
      },
    ]);
    expect(JSON.stringify(requests)).not.toContain('a-secret-pin');
    expect(await idsFor('status=400')).toEqual(['request_3']);
    expect(await idsFor('endpoint=createVariable&region=eu&status=200')).toEqual(['request_4']);
    expect(await idsFor('region=na')).toEqual([]);
    expect(await idsFor('path=/tools')).toEqual([]);
    expect(await idsFor('fault=status&method=GET')).toEqual(['request_1']);
    expect((await ask('GET /requests?state=400')).body.issues).toEqual([
      { message: 'state: unknown field; there are endpoint, method, path, region, status, fault' },
    ]);
    await ask('DELETE /requests');
    expect(fake.requests).toEqual([]);
  });
});

test.each<[request: string, body: unknown, status: number, message: string]>([
  ['DELETE /records/eu/tools/tool_eu_1', undefined, 200, 'Removed "tool_eu_1".'],
  ['DELETE /records/na/orgs/x', undefined, 404, 'Region na has no "x" among its orgs.'],
  ['DELETE /faults/fault_1', undefined, 200, 'Took "fault_1" away.'],
  ['DELETE /faults/fault_2', undefined, 404, 'There is no fault with the id "fault_2".'],
  ['DELETE /faults', undefined, 200, 'No fault is left.'],
  ['DELETE /requests', undefined, 200, 'No request is left.'],
  ['DELETE /deliveries', undefined, 200, 'No delivery is left.'],
  ['DELETE /subscriptions/subscription_1', undefined, 200, 'Ended "subscription_1".'],
  ['DELETE /subscriptions/x', undefined, 404, 'There is no subscription with the id "x".'],
  [
    'POST /reset',
    {},
    200,
    'Records, requests, faults, deliveries and subscriptions are as in the beginning.',
  ],
  ['POST /deliveries/x/resend', {}, 400, 'There is no delivery with the id "x".'],
])('%s with %j is answered %i: %s', async (request, body, status, message) => {
  const { fake, ask } = await steered();
  fake.faults.inject({ status: 500 });
  fake.webhooks.subscribe(HOOK);
  const answer = await ask(request, body);

  expect(answer.status).toBe(status);
  expect(answer.body).toEqual(
    status === 200 ? { success: true, message } : { code: 'invalid_control', message },
  );
});

test.each([
  ['GET /faults', {}, 'DELETE /faults'],
  ['POST /reset', { more: 1 }, 'POST /reset'],
  ['POST /deliveries/x/resend', { more: 1 }, 'POST /deliveries/x/resend'],
])('what asks for nothing takes no field: %s with %j', async (_, body, request) => {
  const { ask } = await steered();
  const [path] = request.split('?');
  const inQuery = await ask(`${path}?more=1`, request.startsWith('POST') ? {} : undefined);
  expect([inQuery.status, inQuery.body.message]).toEqual([400, 'The query is wrong.']);
  if (Object.keys(body).length > 0) {
    const inBody = await ask(request, body);
    expect([inBody.status, inBody.body.message]).toEqual([400, 'The body is wrong.']);
    expect(inBody.body.issues).toEqual([
      { message: expect.stringMatching(/^more: unknown field/) as string },
    ]);
  }
});

test('events, deliveries and subscriptions go to the region and the workspace that are named', async () => {
  const { fake, ask } = await steered();
  const { secondWorkspaceId: workspaceId } = fake.seed.na;
  const asked = { url: HOOK, region: 'na', workspaceId, events: ['lead_captured'] };
  const { subscription } = (await ask('POST /subscriptions', asked)).body;

  expect(subscription).toEqual({
    id: 'subscription_1',
    address: HOOK,
    region: 'na',
    workspaceId,
    events: ['lead_captured'],
    untilReset: true,
  });
  const sentTo = async (owner: object) =>
    (await ask('POST /events', { type: 'lead_captured', ...owner })).body.deliveries.length;
  expect([
    await sentTo({}),
    await sentTo({ region: 'na' }),
    await sentTo({ region: 'na', workspaceId }),
  ]).toEqual([0, 0, 1]);
});

test('reset takes back everything that it says, and keeps what the program has wired', async () => {
  const { fake, ask } = await steered();
  const pending: (() => void)[] = [];
  fake.webhooks.subscribe({
    fetch: () => new Promise((resolve) => pending.push(() => resolve(new Response()))),
  });
  const before = (await ask('GET /state')).body;
  await ask('POST /subscriptions', { url: HOOK });
  await ask('POST /subscriptions', { url: 'http://127.0.0.1:1/kept', untilReset: false });
  await ask('POST /faults', { status: 503, times: 'always' });
  await ask('POST /records/eu/tools', { id: 'crm' });
  await clientOf(fake)
    .tools.get('crm')
    .catch(() => undefined);
  const sending = fake.webhooks.send('webhook_test');

  const { status, body } = await ask('POST /reset', {});
  for (const settle of pending) settle();
  await sending;

  expect([status, body.success]).toEqual([200, true]);
  const after = (await ask('GET /state')).body;
  expect(after).toEqual({ ...before, subscriptions: [...before.subscriptions, after.subscriptions[1]] });
  expect(after.subscriptions.map(({ address }) => address)).toEqual(['receiver', 'http://127.0.0.1:1/kept']);
  expect(fake.webhooks.deliveries).toEqual([]);
});

test('what happens is told as it happens', async () => {
  const { fake, url, ask } = await steered();
  const leave = new AbortController();
  const response = await fetch(`${url}/_fake/changes`, { signal: leave.signal });
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const until = async (isTold: () => boolean): Promise<void> => {
    while (!isTold()) text += (await reader.read()).value ?? '';
  };
  await until(() => text.includes(': the fake'));
  const endSubscription = fake.webhooks.subscribe({ fetch: () => new Response() });
  fake.faults.inject({ kind: 'latency', ms: 1 });

  fake.records.remove('eu', 'tools', 'not there');
  expect([fake.faults.remove('x'), fake.webhooks.unsubscribe('x')]).toEqual([false, false]);
  for (let call = 0; call < 2; call += 1) await clientOf(fake).tools.listDefaults();
  await ask('POST /events', { type: 'lead_captured' });
  await until(() => text.includes('event: delivery'));
  // The fault was injected, and used up by the first call.
  expect(text.match(/"(faults|subscriptions)"/g)).toEqual(['"subscriptions"', '"faults"', '"faults"']);
  // What is only read changes no records, nor does what is not there.
  expect(text).not.toContain('data: "records"');
  const changes: readonly (readonly [what: string, change: () => unknown])[] = [
    ['records', () => ask('POST /records/eu/leads', { id: 'lead' })],
    ['records', () => ask('PATCH /records/eu/leads/lead', { agentId: fake.seed.eu.agentId })],
    ['records', () => ask('DELETE /records/eu/leads/lead')],
    ['records', () => clientOf(fake).variables.create(fake.seed.eu.agentId, { key: 'told' })],
    [
      'records',
      () => {
        const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.na;
        return clientOf(fake, { region: 'na', token }).workspaces.delete(secondWorkspaceId);
      },
    ],
    ['faults', () => fake.faults.inject({ endpoint: 'getTool', status: 500 })],
    ['faults', () => send(fake, '/v3/tools/any')],
    ['records', () => fake.restore(fake.snapshot())],
    ['requests', () => fake.clearRequests()],
    ['faults', () => fake.faults.clear()],
    ['deliveries', () => fake.webhooks.clear()],
    ['subscriptions', endSubscription],
    ['subscriptions', () => fake.webhooks.subscribe(HOOK)],
    ['subscriptions', () => fake.webhooks.unsubscribe('subscription_2')],
    ['subscriptions', () => fake.webhooks.reset()],
    ...(['requests', 'faults', 'deliveries', 'subscriptions', 'records'] as const).map(
      (what) => [what, () => fake.reset()] as const,
    ),
  ];
  for (const [what, change] of changes) {
    const count = () => text.split(`event: changed\ndata: "${what}"`).length;
    const before = count();
    await change();
    await until(() => count() > before);
  }

  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const told = [...text.matchAll(/event: (\w+)\ndata: (.+)\n\n/g)].map(([, name, data = '']) => [
    name,
    JSON.parse(data),
  ]);
  const requests = told.filter(([name, data]) => name === 'request' && data.endpoint === 'listDefaultTools');
  expect(requests.map(([, data]) => data.status)).toEqual([undefined, 200, undefined, 200]);
  expect(told).toContainEqual(['delivery', expect.objectContaining({ type: 'lead_captured', status: 200 })]);
  expect(told).toContainEqual(['changed', 'subscriptions']);
  expect(told).toContainEqual(['changed', 'faults']);
  leave.abort();
  await reader.closed.catch(() => undefined);
  // The server comes to know it some time later.
  for (let round = 0; round < 10; round += 1) expect((await ask('POST /reset', {})).status).toBe(200);
});

test('who has left is told nothing more, and who stays is', async () => {
  const changes = new Changes();
  const leave = new AbortController();
  const listening = (signal: AbortSignal) => {
    const request = new Request('http://localhost/_fake/changes', { signal });
    return control({ fake: createFakePlatform(), changes, rules: { anyTarget: false } }, request);
  };
  const { body } = await listening(leave.signal);
  const staying = [1, 2].map(async () => {
    const reader = (await listening(new AbortController().signal)).body?.getReader();
    await reader?.read();
    return reader;
  });
  const readers = await Promise.all(staying);
  leave.abort();
  changes.tell('changed', 'records');

  for (const stays of readers)
    expect(new TextDecoder().decode((await stays?.read())?.value)).toContain('"records"');
  const reader = (body ?? new ReadableStream()).getReader();
  expect((await reader.read()).done).toBe(false);
  expect((await reader.read()).done).toBe(true);
});

test('who does not read what happens is told of no more than 16 MiB', async () => {
  const { fake, url } = await steered();
  const response = await fetch(`${url}/_fake/changes`);
  const value = 'v'.repeat(2 ** 20);
  for (let sent = 0; sent < 20; sent += 1) {
    await clientOf(fake).variables.create(fake.seed.eu.agentId, { key: `k${sent}`, value });
  }

  const told = await response.text();

  expect(told).toContain(': the fake');
  expect(told).toContain('k0');
  expect(told).not.toContain('k19');
  expect(told.length).toBeGreaterThan(16 * 1024 * 1024);
});

test('what waits for one who does not read is counted to the byte', async () => {
  const frame = (text: string) => `event: changed\ndata: ${JSON.stringify(text)}\n\n`;
  const room = 16 * 1024 * 1024 - ': the fake\n\n'.length - frame('').length;
  for (const [length, frames] of [
    [room - 1, 2],
    [room, 1],
  ] as const) {
    const changes = new Changes();
    const request = new Request('http://localhost/_fake/changes');
    const steeredBy = { fake: createFakePlatform(), changes, rules: { anyTarget: false } };
    const response = await control(steeredBy, request);
    // A cast: a name of this length is none of a fake's, and its length alone counts.
    changes.tell('changed', 'v'.repeat(length) as 'records');
    changes.tell('changed', 'records');
    // There is no room for a third in either case, and the stream ends.
    changes.tell('changed', 'records');
    const told = await response.text();
    expect(told.split('event: changed')).toHaveLength(frames + 1);
  }
});

describe('a control request', () => {
  test.each([
    ['/_fake/faults', 'text/plain', '{"status":500}', 'The content type must be application/json.'],
    ['/_fake/faults', 'application/json-seq', '{"status":500}', 'The content type must be application/json.'],
    ['/_fake/faults', 'application/jsonp', '{"status":500}', 'The content type must be application/json.'],
    [
      '/_fake/faults',
      'text/plain;application/json',
      '{"status":500}',
      'The content type must be application/json.',
    ],
    ['/_fake/reset', 'application/x-www-form-urlencoded', '', 'The content type must be application/json.'],
    // A page may send what has no type, too, without asking first.
    ['/_fake/faults', '', '{"status":500}', 'The content type must be application/json.'],
    ['/_fake/faults', 'application/json', '{', 'The body is not JSON.'],
  ])('%s takes no %s of %s', async (path, type, body, message) => {
    const { fake, url } = await steered();
    fake.add.tool({ id: 'added' });

    const response = await fetch(url + path, { method: 'POST', body: new Blob([body], { type }) });

    expect([response.status, await response.json()]).toEqual([400, { message, code: 'invalid_control' }]);
    expect(fake.state.eu.tools.has('added')).toBe(true);
  });

  test('may name a charset', async () => {
    const { url } = await steered();
    for (const type of ['Application/JSON; charset=utf-8', 'application/json ;charset=utf-8']) {
      const headers = { 'content-type': type };
      expect((await fetch(`${url}/_fake/reset`, { method: 'POST', headers })).status).toBe(200);
    }
  });

  test('is answered below /_fake alone, and only where it was asked for', async () => {
    const { url } = await steered();
    await using silent = await createFakePlatform().listen();

    for (const address of [`${url}/_fakery`, `${silent.url}/_fake/state`]) {
      expect(await (await fetch(address)).json()).toMatchObject({ code: 'unknown_route' });
    }
  });

  test('that is not known is told what there is', async () => {
    const { ask, url } = await steered();

    expect(await ask('GET /nowhere')).toMatchObject({
      status: 404,
      body: {
        code: 'unknown_control',
        message: expect.stringMatching(
          /GET \/_fake\/state, .* POST \/_fake\/reset, GET \/_fake\/changes/,
        ) as string,
      },
    });
    expect(await ask('PUT /faults')).toMatchObject({
      status: 405,
      body: { code: 'unknown_control', message: 'Here is only GET, POST, DELETE.' },
    });
    expect(await ask('GET /records/eu/tools/tool_eu_1')).toMatchObject({
      status: 405,
      body: { message: 'Here is only PATCH, DELETE.' },
    });
    expect(await ask('POST /changes', {})).toMatchObject({ status: 404, body: { code: 'unknown_control' } });
    for (const path of ['', '?a=1', '/x/state', '/statement'])
      expect((await ask(`GET ${path}`)).body.code).toBe('unknown_control');
    expect((await ask('DELETE /faults/%zz')).body.message).toBe('There is no fault with the id "%zz".');
    const { headers } = await fetch(`${url}/_fake/faults`, { method: 'PUT' });
    expect(headers.get('allow')).toBe('GET, POST, DELETE');
  });
});
