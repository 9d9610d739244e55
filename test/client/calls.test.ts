import type { AgentPlatform, RequestOptions } from 'agent-platform-sdk';
import * as sdk from 'agent-platform-sdk';
import { http } from 'msw';
import { expect, test } from 'vitest';
import { rejectionOf, success, TOKEN } from '../support/client.js';
import { answerWith, BASE_URL, connectTo } from '../support/msw.js';

test('orgs.listMembersAndTeams reads the clients and teams of an organisation', async () => {
  const clients = [{ ID: 'c1', name: 'Ada', status: 'online' }];
  const teams = [{ ID: 't1', key: 'sales' }];
  const { platform, requests } = connectTo(
    http.get(
      `${BASE_URL}/v3/orgs/:orgId/members-and-teams`,
      answerWith(200, { success: true, message: 'ok', clients, teams }),
    ),
  );
  expect(await platform.orgs.listMembersAndTeams('org 1')).toEqual({ clients, teams });
  expect(requests[0]).toMatchObject({
    method: 'GET',
    url: '/v3/orgs/org%201/members-and-teams',
    body: '',
  });
});

test('variables.create wraps its argument and returns the variable', async () => {
  const variable = { id: 'v1', key: 'plan', type: 'string', agentId: 'a1', userId: 'u1' };
  const { platform, requests } = connectTo(
    http.post(`${BASE_URL}/v3/agents/:agentId/variables`, answerWith(201, success(variable))),
  );
  expect(
    await platform.variables.create('a1', { key: 'plan', type: 'string', value: { deep: [1] } }),
  ).toEqual(variable);
  const [request] = requests;
  expect(request).toMatchObject({ method: 'POST', url: '/v3/agents/a1/variables' });
  expect(JSON.parse(request?.body ?? '')).toEqual({
    variable: { key: 'plan', type: 'string', value: { deep: [1] } },
  });
  expect(request?.headers['content-type']).toBe('application/json');
});

test('phoneNumbers.release posts its argument and returns the result', async () => {
  const { platform, requests } = connectTo(
    http.post(`${BASE_URL}/v3/utils/telco/release-number`, answerWith(200, { isGood: true, errors: '' })),
  );
  const number = { workspaceId: 'w1', phoneNumberSid: 'PN1', isImportedNumber: false };
  expect(await platform.phoneNumbers.release(number)).toEqual({ isGood: true, errors: '' });
  expect(requests[0]).toMatchObject({ method: 'POST', url: '/v3/utils/telco/release-number' });
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual(number);
});

test('tools.listDefaults returns the catalogue', async () => {
  const catalogue = [{ id: 'web-search', kind: 'assignable_system' }];
  const { platform, requests } = connectTo(
    http.get(`${BASE_URL}/v3/tools/defaults`, answerWith(200, success(catalogue))),
  );
  expect(await platform.tools.listDefaults()).toEqual(catalogue);
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v3/tools/defaults' });
});

test('tools.get returns the tool', async () => {
  const tool = { id: 't1', name: 'crm', fields: [{ key: 'email' }], channels: ['web-chat'] };
  const { platform, requests } = connectTo(
    http.get(`${BASE_URL}/v3/tools/:toolId`, answerWith(200, success(tool))),
  );
  expect(await platform.tools.get('t1')).toEqual(tool);
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v3/tools/t1' });
});

test('conversations.get takes its two ids by name', async () => {
  const conversation = { ID: 'a1_c1', userEmail: 'ada@example.com' };
  const { platform, requests } = connectTo(
    http.get(`${BASE_URL}/v3/agents/:agentId/convos/:convoId`, answerWith(200, success(conversation))),
  );
  expect(await platform.conversations.get({ agentId: 'a1', convoId: 'c1' })).toEqual(conversation);
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v3/agents/a1/convos/c1' });
});

test('workspaces.delete returns nothing', async () => {
  const { platform, requests } = connectTo(
    http.delete(`${BASE_URL}/v3/workspaces/:id`, answerWith(200, { success: true, message: 'deleted' })),
  );
  expect(await platform.workspaces.delete('w2')).toBeUndefined();
  expect(requests[0]).toMatchObject({ method: 'DELETE', url: '/v3/workspaces/w2', body: '' });
});

test('the class of each resource is exported', () => {
  const { orgs, variables, phoneNumbers, tools, conversations, workspaces } = connectTo(
    answerWith(200),
  ).platform;
  expect(
    [orgs, variables, phoneNumbers, tools, conversations, workspaces].map((one) => one.constructor),
  ).toEqual([
    sdk.OrgsResource,
    sdk.VariablesResource,
    sdk.PhoneNumbersResource,
    sdk.ToolsResource,
    sdk.ConversationsResource,
    sdk.WorkspacesResource,
  ]);
});

test('every request carries the token, asks for JSON and says who asks; a GET has no content type', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  await platform.tools.get('t1');
  const headers = requests[0]?.headers;
  expect(headers).toMatchObject({ authorization: `Bearer ${TOKEN}`, accept: 'application/json' });
  expect(headers?.['user-agent']).toMatch(/^agent-platform-sdk\/\d+\.\d+\.\d+ \(node\/\d+/);
  expect(headers).not.toHaveProperty('content-type');
});

test('a header of the caller’s stands in the place of the client’s', async () => {
  const headers = { 'User-Agent': 'shop/1.0', accept: 'application/vnd.shop+json' };
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), { headers });
  await platform.tools.get('t1');
  expect(requests[0]?.headers).toMatchObject({ 'user-agent': 'shop/1.0', accept: headers.accept });
});

test('an id is encoded, so that it cannot reach another path or add a query', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  await platform.tools.get('a/b?c#d e%2e ü');
  expect(requests[0]?.url).toBe('/v3/tools/a%2Fb%3Fc%23d%20e%252e%20%C3%BC');
});

test('what is returned is what was sent, unknown fields included', async () => {
  const text =
    '{"success":true,"message":"ok","data":{"later":{"a":1},"id":"t1","__proto__":{"x":1},"name":"n"}}';
  const { platform } = connectTo(answerWith(200, text));
  const tool = await platform.tools.get('t1');
  expect(JSON.stringify(tool)).toBe(JSON.stringify(JSON.parse(text).data));
  expect(Object.keys(tool)).toEqual(['later', 'id', '__proto__', 'name']);
});

test('of two callbacks of `then`, one is called', async () => {
  const ends = ['value', 'error'].map((end) => () => end) as [() => string, () => string];
  for (const [status, end] of [
    [200, 'value'],
    [404, 'error'],
  ] as const) {
    const { platform } = connectTo(answerWith(status, success({ id: 't1' })));
    expect(await platform.tools.get('t1').then(...ends)).toBe(end);
    const nothing = () => undefined;
    expect(await platform.tools.get('t1').then(nothing, nothing)).toBeUndefined();
  }
  const { platform } = connectTo(answerWith(200, success({ id: 't1' })));
  const broken = platform.tools.get('t1').then(() => {
    throw new Error('by the user');
  }, ends[1]);
  await expect(broken).rejects.toThrow('by the user');
});

test('withResponse gives the record, the HTTP response and the message of the envelope', async () => {
  const { platform } = connectTo(
    answerWith(200, { success: true, message: ' Found it\n', data: { id: 't1' } }, { 'x-request-id': 'r1' }),
  );
  const { data, response, message } = await platform.tools.get('t1').withResponse();
  expect(data).toEqual({ id: 't1' });
  expect(response.status).toBe(200);
  expect(response.headers.get('x-request-id')).toBe('r1');
  expect(response.bodyUsed).toBe(true);
  expect(message).toBe(' Found it\n');
});

test('the envelope around members and teams is told, and is no part of them', async () => {
  const body = { success: true, message: 'Here', clients: [], teams: [] };
  const { platform } = connectTo(answerWith(200, body));
  const { data, message } = await platform.orgs.listMembersAndTeams('o1').withResponse();
  expect([data, message]).toEqual([{ clients: [], teams: [] }, 'Here']);
  const wrong = connectTo(answerWith(200, { ...body, teams: 5 })).platform.orgs.listMembersAndTeams('o1');
  expect(await rejectionOf(wrong)).toMatchObject({ body: { ...body, teams: 5 } });
});

test('a message of the envelope that is no text is no message', async () => {
  const { platform } = connectTo(answerWith(200, { success: true, message: null, data: { id: 't1' } }));
  expect(await platform.tools.get('t1').withResponse()).toMatchObject({ message: undefined });
});

test('one call is sent once, however often its promise is used', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })));
  const call = platform.tools.get('t1');
  const [tool, again, { data }] = await Promise.all([call, call.then((one) => one), call.withResponse()]);
  expect(tool).toBe(data);
  expect(again).toBe(data);
  expect(requests).toHaveLength(1);
});

test('a call is a promise: catch and finally work, and what they return is an ordinary promise', async () => {
  const { platform } = connectTo(answerWith(404, { message: 'no', code: 'none' }));
  const call = platform.tools.get('t1');
  expect(call).toBeInstanceOf(Promise);
  let ended = false;
  const caught = call
    .finally(() => {
      ended = true;
    })
    .catch((error: Error) => error.name);
  expect(await caught).toBe('NotFoundError');
  expect(ended).toBe(true);
});

test.each<[string, (platform: AgentPlatform, options: RequestOptions) => PromiseLike<unknown>]>([
  ['orgs.listMembersAndTeams', ({ orgs }, options) => orgs.listMembersAndTeams('o1', options)],
  ['variables.create', ({ variables }, options) => variables.create('a1', { key: 'k' }, options)],
  [
    'phoneNumbers.release',
    ({ phoneNumbers }, options) =>
      phoneNumbers.release({ phoneNumberSid: 'PN1', isImportedNumber: true }, options),
  ],
  ['tools.listDefaults', ({ tools }, options) => tools.listDefaults(options)],
  ['tools.get', ({ tools }, options) => tools.get('t1', options)],
  [
    'conversations.get',
    ({ conversations }, options) => conversations.get({ agentId: 'a1', convoId: 'c1' }, options),
  ],
  ['workspaces.delete', ({ workspaces }, options) => workspaces.delete('w1', options)],
])('%s takes options of its own', async (_, call) => {
  const { platform, requests } = connectTo(answerWith(404));
  await expect(call(platform, { headers: { 'x-call': 'one' } })).rejects.toMatchObject({ status: 404 });
  expect(requests[0]?.headers['x-call']).toBe('one');
});
