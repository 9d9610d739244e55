import { AgentPlatform, type ApiPromise, type Tool } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { type OperationName, operations } from '../endpoints/operations.js';
import {
  addFaults,
  baseUrls,
  createClient,
  fake,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  success,
  TOKEN,
} from '../support/client.js';

const { agentId, convoId, orgId, rentedNumberSid: phoneNumberSid, secondWorkspaceId, toolId } = seed;

// `test/endpoints/endpoints.test.ts` has what they return.
test.each<[name: OperationName, sent: string, body?: object]>([
  ['listMembersAndTeams', `GET /v3/orgs/${orgId}/members-and-teams`],
  ['createVariable', `POST /v3/agents/${agentId}/variables`, { variable: { key: 'plan' } }],
  ['releasePhoneNumber', 'POST /v3/utils/telco/release-number', { phoneNumberSid, isImportedNumber: false }],
  ['listDefaultTools', 'GET /v3/tools/defaults'],
  ['getTool', `GET /v3/tools/${toolId}`],
  ['getConversation', `GET /v3/agents/${agentId}/convos/${convoId}`],
  ['deleteWorkspace', `DELETE /v3/workspaces/${secondWorkspaceId}`],
])('the method of %s sends %s, with the options of the call', async (name, sent, body) => {
  await operations[name].call(createClient(), seed, { headers: { 'x-call': 'one' } });
  const [request] = requests;
  expect(`${request?.method} ${request?.path}`).toBe(sent);
  expect(request?.body).toBe(body === undefined ? '' : JSON.stringify(body));
  expect(request?.headers.get('content-type')).toBe(body === undefined ? null : 'application/json');
  expect(request?.headers.get('x-call')).toBe('one');
});

test('every request has a token, accept and user-agent; headers of the caller replace the others', async () => {
  await createClient().tools.get(toolId);
  const headers = { 'User-Agent': 'shop/1.0', accept: 'application/vnd.shop+json' };
  await createClient({ headers }).tools.get(toolId);
  const sent = (name: string) => requests.map((request) => request.headers.get(name));
  expect(sent('authorization')).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
  expect(sent('accept')).toEqual(['application/json', headers.accept]);
  expect(sent('user-agent')).toEqual([
    expect.stringMatching(/^agent-platform-sdk\/\d+\.\d+\.\d+ \(node\/\d+/),
    'shop/1.0',
  ]);
});

test('a token function is called for each attempt, so that a rotated token is used at once', async () => {
  addFaults({ status: 503 });
  // White space around a token is not part of it.
  const tokens = ['an-old-token', ` ${TOKEN}\n`];
  await createClient({ token: async () => tokens.shift() ?? '', maxRetries: 1 }).tools.get(toolId);
  await createClient({ token: ` ${TOKEN}\n` }).tools.get(toolId);
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer an-old-token',
    `Bearer ${TOKEN}`,
    `Bearer ${TOKEN}`,
  ]);
});

test.each<[what: string, token: () => string | Promise<string>, problem: RegExp]>([
  ['throws', () => Promise.reject(new Error('vault is sealed')), /`token` function failed/],
  ['returns a blank', () => ' ', /`token` function returned string: token is blank/],
  ['returns nothing', () => undefined as never, /token must be a string/],
  ['returns what looks pasted', () => `Bearer ${TOKEN}`, /token is not the bare value/],
])('a token function that %s ends the call before anything is sent', async (_, token, problem) => {
  const error = await rejectionOf(createClient({ token, maxRetries: 2 }).workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'configuration_error', option: 'token', outcomeUnknown: false });
  expect((error as Error).message).toMatch(problem);
  expect(requests).toHaveLength(0);
});

test('an id is encoded, so that it cannot reach another path or add a query', async () => {
  const id = 'a/b?c#d e%2e ü\\';
  fake.add.tool({ id });
  expect(await createClient().tools.get(id)).toMatchObject({ id });
  expect(requests[0]?.path).toBe('/v3/tools/a%2Fb%3Fc%23d%20e%252e%20%C3%BC%5C');
});

test('what is returned is what was sent, unknown fields included', async () => {
  const text =
    '{"success":true,"message":"ok","data":{"later":{"a":1},"id":"t1","__proto__":{"x":1},"name":"n"}}';
  respond(response(200, text));
  const tool = await createClient().tools.get('t1');
  expect(JSON.stringify(tool)).toBe(JSON.stringify(JSON.parse(text).data));
  expect(Object.keys(tool)).toEqual(['later', 'id', '__proto__', 'name']);
});

test('a call is a promise: then, catch and finally work, and give an ordinary promise', async () => {
  const onEnd = vi.fn();
  const call = createClient().tools.get('nobody');
  expect(call).toBeInstanceOf(Promise);
  const name = call.finally(onEnd).catch((error: Error) => error.name);
  expect(await name).toBe('NotFoundError');
  expect(onEnd).toHaveBeenCalledOnce();
  expect(
    await call.then(
      () => 'value',
      () => 'error',
    ),
  ).toBe('error');
});

test('one call is sent once, however often its promise is used', async () => {
  const call = createClient().tools.get(toolId);
  const [tool, again, { data }] = await Promise.all([call, call.then((one) => one), call.withResponse()]);
  expect(tool).toBe(data);
  expect(again).toBe(data);
  expect(requests).toHaveLength(1);
});

test('withResponse gives the record, the HTTP response and the message of the envelope', async () => {
  const body = { success: true, message: ' Found it\n', data: { id: 't1' } };
  respond(response(200, body, { 'x-request-id': 'r1' }), response(200, { ...body, message: null }));
  const { tools } = createClient();
  const { data, response: received, message } = await tools.get('t1').withResponse();
  expect([data, received.status, received.bodyUsed, message]).toEqual([
    { id: 't1' },
    200,
    true,
    body.message,
  ]);
  expect(received.headers.get('x-request-id')).toBe('r1');
  // One that is not a string is ignored.
  expect(await tools.get('t1').withResponse()).toMatchObject({ message: undefined });
});

test('a user-supplied fetch gets an address and an init', async () => {
  const fetch = vi.fn(fake.fetch);
  await createClient({ fetch }).variables.create(agentId, { key: 'plan' });
  const [url, init] = fetch.mock.lastCall as Parameters<typeof fake.fetch>;
  expect(url).toBe(`${baseUrls.eu}/v3/agents/${agentId}/variables`);
  expect(init).toMatchObject({ method: 'POST', redirect: 'manual', body: '{"variable":{"key":"plan"}}' });
  expect(init?.signal).toBeInstanceOf(AbortSignal);
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
  await platform.tools.get(toolId);
  expect(callers).toEqual([undefined, undefined]);
});

// stripe-node#273
test('all methods can be taken off their objects', async () => {
  const { request, send, withOptions, tools, conversations } = createClient();
  const { get, listDefaults } = tools;
  const { get: getConversation } = conversations;
  expect(send).toBeTypeOf('function');
  expect(await request('GET', '/tools/defaults')).toMatchObject({ success: true });
  expect(await get(toolId)).toMatchObject({ id: toolId });
  expect(await withOptions({ timeout: 5_000 }).tools.get(toolId)).toMatchObject({ id: toolId });
  expect(await Promise.all([listDefaults(), getConversation(seed)])).toHaveLength(2);
});

function deepProxy<Value extends object>(value: Value): Value {
  return new Proxy(value, {
    get: (target, name, receiver) => {
      const field: unknown = Reflect.get(target, name, receiver);
      return typeof field === 'object' && field !== null ? deepProxy(field) : field;
    },
  });
}

test.each<[what: string, wrap: (platform: AgentPlatform) => AgentPlatform]>([
  // langchainjs#8537
  [
    'a lazy singleton',
    (platform) => new Proxy({} as AgentPlatform, { get: (_, name) => Reflect.get(platform, name) }),
  ],
  // vuejs/core#8245: Vue wraps what it returns too.
  ['a deep proxy', deepProxy],
])('every method works behind %s', async (_, wrap) => {
  const platform = wrap(createClient());
  expect(await platform.tools.get(toolId)).toMatchObject({ id: toolId });
  expect(await platform.request('GET', '/tools/defaults')).toMatchObject({ success: true });
  expect(await platform.withOptions({ timeout: 5_000 }).tools.listDefaults()).not.toHaveLength(0);
});

test('a method can be overridden by a subclass, and mocked', async () => {
  class MyPlatform extends AgentPlatform {
    override request(...args: Parameters<AgentPlatform['request']>): ApiPromise<unknown> {
      const [method, path, options] = args;
      return super.request(method, `/my${path}`, options);
    }
  }
  respond(response(200, success({})));
  const platform = new MyPlatform({ region: 'eu', token: 'a-token', baseUrls });
  await platform.request('GET', '/a');
  expect(requests[0]?.path).toBe('/v3/my/a');

  // openai-node#638: a plain promise with a `withResponse` fits.
  const tool = { id: 'mine' } as Tool;
  const mocked = Object.assign(Promise.resolve(tool), { withResponse: vi.fn() });
  vi.spyOn(platform.tools, 'get').mockReturnValue(mocked);
  expect(await platform.tools.get('x')).toBe(tool);
});
