import { fixtures } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { operationNames, operations } from '../endpoints/operations.js';
import {
  addFaults,
  baseUrls,
  createClient,
  fake,
  requests,
  respond,
  response,
  seed,
  success,
  TOKEN,
} from '../support/client.js';

test('orgs.listMembersAndTeams reads the clients and teams of an organisation', async () => {
  const { clients, teams } = await createClient().orgs.listMembersAndTeams(seed.orgId);
  expect(clients.map(({ ID }) => ID)).toEqual([seed.clientId]);
  expect(teams.map(({ ID }) => ID)).toEqual([seed.teamId]);
  expect(requests[0]).toMatchObject({
    method: 'GET',
    path: `/v3/orgs/${seed.orgId}/members-and-teams`,
    body: '',
  });
});

test('variables.create wraps its argument and returns the variable', async () => {
  const { agentId } = seed;
  const variable = await createClient().variables.create(agentId, { key: 'plan', value: { deep: [1] } });
  expect(variable).toMatchObject({ key: 'plan', agentId, value: { deep: [1] } });
  const [request] = requests;
  expect(request).toMatchObject({ method: 'POST', path: `/v3/agents/${agentId}/variables` });
  expect(JSON.parse(request?.body ?? '')).toEqual({ variable: { key: 'plan', value: { deep: [1] } } });
  expect(request?.headers.get('content-type')).toBe('application/json');
});

test('phoneNumbers.release posts its argument and returns the result', async () => {
  const { workspaceId, rentedNumberSid: phoneNumberSid } = seed;
  const number = { workspaceId, phoneNumberSid, isImportedNumber: false };
  expect(await createClient().phoneNumbers.release(number)).toMatchObject({ isGood: true });
  expect(requests[0]).toMatchObject({ method: 'POST', path: '/v3/utils/telco/release-number' });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(number);
});

test('tools.listDefaults returns the catalogue', async () => {
  const tools = await createClient().tools.listDefaults();
  expect(tools.length).toBeGreaterThan(0);
  expect(requests[0]).toMatchObject({ method: 'GET', path: '/v3/tools/defaults' });
});

test('tools.get returns the tool', async () => {
  const tool = fixtures.tool({ id: 'crm', name: 'CRM' });
  fake.add.tool(tool);
  expect(await createClient().tools.get('crm')).toMatchObject({ id: 'crm', name: 'CRM' });
  expect(requests[0]).toMatchObject({ method: 'GET', path: '/v3/tools/crm' });
});

test('conversations.get takes its two ids by name', async () => {
  const { agentId, convoId } = seed;
  const conversation = await createClient().conversations.get({ agentId, convoId });
  expect(conversation.ID).toBeTypeOf('string');
  expect(requests[0]).toMatchObject({ method: 'GET', path: `/v3/agents/${agentId}/convos/${convoId}` });
});

test('workspaces.delete returns nothing', async () => {
  const { secondWorkspaceId: id, secondWorkspaceSecret: token } = seed;
  expect(await createClient().workspaces.delete(id, { token })).toBeUndefined();
  expect(requests[0]).toMatchObject({ method: 'DELETE', path: `/v3/workspaces/${id}`, body: '' });
  expect(fake.state.eu.workspaces.has(id)).toBe(false);
});

test('every request has a token, accept and user-agent; a GET has no content type', async () => {
  await createClient().tools.get(seed.toolId);
  const headers = requests[0]?.headers;
  expect(headers?.get('authorization')).toBe(`Bearer ${TOKEN}`);
  expect(headers?.get('accept')).toBe('application/json');
  expect(headers?.get('user-agent')).toMatch(/^agent-platform-sdk\/\d+\.\d+\.\d+ \(node\/\d+/);
  expect(headers?.has('content-type')).toBe(false);
});

test('headers of the caller replace those of the client', async () => {
  const headers = { 'User-Agent': 'shop/1.0', accept: 'application/vnd.shop+json' };
  await createClient({ headers }).tools.get(seed.toolId);
  expect(requests[0]?.headers.get('user-agent')).toBe('shop/1.0');
  expect(requests[0]?.headers.get('accept')).toBe(headers.accept);
});

test('an id is encoded, so that it cannot reach another path or add a query', async () => {
  const id = 'a/b?c#d e%2e ü';
  fake.add.tool({ id });
  expect(await createClient().tools.get(id)).toMatchObject({ id });
  expect(requests[0]?.path).toBe('/v3/tools/a%2Fb%3Fc%23d%20e%252e%20%C3%BC');
});

test('what is returned is what was sent, unknown fields included', async () => {
  const text =
    '{"success":true,"message":"ok","data":{"later":{"a":1},"id":"t1","__proto__":{"x":1},"name":"n"}}';
  respond(response(200, text));
  const tool = await createClient().tools.get('t1');
  expect(JSON.stringify(tool)).toBe(JSON.stringify(JSON.parse(text).data));
  expect(Object.keys(tool)).toEqual(['later', 'id', '__proto__', 'name']);
});

test('a call is a promise: then, catch and finally work, and what they return is an ordinary promise', async () => {
  const { tools } = createClient();
  const call = tools.get('nobody');
  expect(call).toBeInstanceOf(Promise);
  let ended = false;
  const caught = call
    .finally(() => {
      ended = true;
    })
    .catch((error: Error) => error.name);
  expect(await caught).toBe('NotFoundError');
  expect(ended).toBe(true);
  const then = (id: string) =>
    tools.get(id).then(
      () => 'value',
      () => 'error',
    );
  expect(await Promise.all([then(seed.toolId), then('nobody')])).toEqual(['value', 'error']);
});

test('one call is sent once, however often its promise is used', async () => {
  const call = createClient().tools.get(seed.toolId);
  const [tool, again, { data }] = await Promise.all([call, call.then((one) => one), call.withResponse()]);
  expect(tool).toBe(data);
  expect(again).toBe(data);
  expect(requests).toHaveLength(1);
});

test('withResponse gives the record, the HTTP response and the message of the envelope', async () => {
  const body = { success: true, message: ' Found it\n', data: { id: 't1' } };
  respond(response(200, body, { 'x-request-id': 'r1' }));
  const { data, response: received, message } = await createClient().tools.get('t1').withResponse();
  expect(data).toEqual({ id: 't1' });
  expect(received.status).toBe(200);
  expect(received.headers.get('x-request-id')).toBe('r1');
  expect(received.bodyUsed).toBe(true);
  expect(message).toBe(' Found it\n');
});

test('a message of the envelope that is not a string is ignored', async () => {
  respond(response(200, { ...success({ id: 't1' }), message: null }));
  expect(await createClient().tools.get('t1').withResponse()).toMatchObject({ message: undefined });
});

test.each(operationNames)('the method of %s takes options of its own', async (name) => {
  addFaults({ status: 404 });
  const calling = operations[name].call(createClient(), seed, { headers: { 'x-call': 'one' } });
  await expect(calling).rejects.toMatchObject({ status: 404 });
  expect(requests[0]?.headers.get('x-call')).toBe('one');
});

test('a user-supplied fetch gets an address and an init', async () => {
  const calls: [unknown, RequestInit][] = [];
  const platform = createClient({
    fetch: (url, init) => {
      calls.push([url, init]);
      return fake.fetch(url, init);
    },
  });
  await platform.variables.create(seed.agentId, { key: 'plan' });
  expect(calls).toMatchObject([
    [
      `${baseUrls.eu}/v3/agents/${seed.agentId}/variables`,
      { method: 'POST', redirect: 'manual', body: '{"variable":{"key":"plan"}}' },
    ],
  ]);
  expect(calls[0]?.[1].signal).toBeInstanceOf(AbortSignal);
});

// notion-sdk-js#681: workerd's `fetch` refuses to be a method.
test('a caller’s function is not called as a method of the client', async () => {
  const callers: unknown[] = [];
  const platform = createClient({
    fetch(this: unknown, url, init) {
      callers.push(this);
      return fake.fetch(url, init);
    },
    token(this: unknown) {
      callers.push(this);
      return TOKEN;
    },
  });
  await platform.tools.get(seed.toolId);
  expect(callers).toEqual([undefined, undefined]);
});
