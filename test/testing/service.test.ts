import { getEventListeners } from 'node:events';
import {
  AuthenticationError,
  ErrorBodySchema,
  endpoint,
  NotFoundError,
  PermissionDeniedError,
} from 'agent-platform-sdk';
import { createFakePlatform, fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { clientOf, send } from './support/client.js';

const json = { 'content-type': 'application/json' };

test('a body of more than 262,144 characters is written down in part, as text', async () => {
  const fake = createFakePlatform();
  for (const length of [262_144, 262_145]) {
    const body = `["${'x'.repeat(length - 4)}"]`;
    await send(fake, '/v3/nowhere', { method: 'POST', headers: json, body });
    const written = fake.requests.at(-1)?.body;
    expect(written).toEqual(length === 262_144 ? JSON.parse(body) : body.slice(0, 262_144));
  }
});

test('a body that is cut within the token, or within a marked field, shows no piece of it', async () => {
  const fake = createFakePlatform();
  const { workspaceSecret } = fake.seed.eu;
  for (const end of [workspaceSecret, `"magicCode":"${'secret '.repeat(10)}`]) {
    const body = `{"x":"${'x'.repeat(262_144 - 30)} ${end}"}`;
    await send(fake, '/v3/nowhere', { method: 'POST', headers: json, body });
    expect(fake.requests.at(-1)?.body).toMatch(/x (?:"magicCode":)?\[redacted\]$/);
  }
});

test('an answer that is cut within the token shows no piece of it, nor does a text behind a marked name', async () => {
  const fake = createFakePlatform();
  const token = 'tok;A9f8e7d6=c5b4a3210,ZZYX';
  const init = { method: 'POST', headers: { ...json, authorization: `Bearer ${token}` } };
  await send(fake, '/v3/nowhere', { ...init, body: `magicCode=${token} rest` });
  expect(fake.requests.at(-1)?.body).toBe('magicCode=[redacted] rest');
  fake.faults.inject({ kind: 'wrong-shape', body: `${'x '.repeat(131_062)}${token}` });
  await send(fake, '/v3/tools/tool_eu_1', { headers: init.headers });
  expect(fake.requests.at(-1)?.answer).toMatch(/x \[redacted\]$/);
});

test('of who has no token, no long body is parsed', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const fake = createFakePlatform();
  const body = `[${'{},'.repeat(100_000)}{}]`;
  await send(fake, '/v3/nowhere', { method: 'POST', body });
  const headers = { ...json, authorization: '' };
  await send(fake, '/v3/agents/agent_eu_1/variables', { method: 'POST', body, headers });
  expect(parse.mock.calls.filter(([text]) => text.length > 1_000)).toEqual([]);
});

test.each([
  ['no operation', '/v3/nowhere', {}, 404, 'unknown_route'],
  ['another method', '/v3/tools/defaults', { method: 'POST' }, 404, 'unknown_route'],
  ['a path without /v3', '/tools/defaults', {}, 404, 'unknown_route'],
  ['an empty id', '/v3/tools/', {}, 404, 'unknown_route'],
  ['a path that goes on', '/v3/tools/defaultsX/y', {}, 404, 'unknown_route'],
  ['a segment that goes on', '/v3/toolsX/defaults', {}, 404, 'unknown_route'],
  ['a path that is not percent-encoding', '/v3/tools/%E0%A4%A', {}, 404, 'unknown_route'],
  ['no token', '/v3/tools/defaults', { headers: { authorization: '' } }, 401, 'unauthenticated'],
  [
    'another scheme',
    '/v3/tools/defaults',
    { headers: { authorization: 'Basic abc' } },
    401,
    'unauthenticated',
  ],
  [
    'an unknown token',
    '/v3/tools/defaults',
    { headers: { authorization: 'Bearer abc' } },
    401,
    'unauthenticated',
  ],
  [
    'a body that is not JSON',
    '/v3/agents/agent_eu_1/variables',
    { method: 'POST', headers: json, body: '{' },
    400,
    'invalid_request',
  ],
  [
    'a body of another content type',
    '/v3/agents/agent_eu_1/variables',
    { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{"variable":{"key":"k"}}' },
    400,
    'invalid_request',
  ],
  ['no body', '/v3/utils/telco/release-number', { method: 'POST', headers: json }, 400, 'invalid_request'],
  ['an unknown agent', '/v3/agents/nobody/convos/convo_eu_1', {}, 404, 'not_found'],
] as const)('%s is answered with the error body', async (_name, path, init, status, code) => {
  const response = await send(createFakePlatform(), path, init);

  expect(response.status).toBe(status);
  const body: unknown = await response.json();
  expect(z.parse(ErrorBodySchema, body)).toMatchObject({ code });
});

describe('each refusal', () => {
  const { eu, na } = createFakePlatform().seed;
  const post = (value: unknown): RequestInit => ({
    method: 'POST',
    headers: json,
    body: JSON.stringify(value),
  });
  const as = (token: string, init: RequestInit = {}): RequestInit => ({
    ...init,
    headers: { ...(init.headers as object), authorization: `Bearer ${token}` },
  });
  const release = '/v3/utils/telco/release-number';
  const rented = { phoneNumberSid: eu.rentedNumberSid, isImportedNumber: true };
  const imported = { phoneNumberSid: eu.importedNumberSid, isImportedNumber: false };
  const convo = `/v3/agents/${eu.agentId}/convos/${eu.convoId}`;
  const workspace = `/v3/workspaces/${eu.workspaceId}`;
  const variables = `/v3/agents/${eu.agentId}/variables`;

  test.each<[path: string, init: RequestInit, status: number, code: string, message: string]>([
    [
      '/v3/tools/defaults',
      { method: 'POST' },
      404,
      'unknown_route',
      'No operation is POST /v3/tools/defaults. One of your own is answered by `fake.handle`.',
    ],
    [
      '/tools?a=1',
      {},
      404,
      'unknown_route',
      'No operation is GET /tools. One of your own is answered by `fake.handle`.',
    ],
    [
      '/v3/tools/defaults',
      { headers: { authorization: 'Bearer ' } },
      401,
      'unauthenticated',
      'The header "Authorization: Bearer <token>" is missing.',
    ],
    ...['Digest a, Bearer', 'xBearer', 'Bearer\t', 'Basic'].map(
      (scheme): [string, RequestInit, number, string, string] => [
        '/v3/tools/defaults',
        { headers: { authorization: `${scheme} ${eu.workspaceSecret}` } },
        401,
        'unauthenticated',
        'The header "Authorization: Bearer <token>" is missing.',
      ],
    ),
    ['/v3/tools/defaults', as('nobody'), 401, 'unauthenticated', 'The token is not known.'],
    [
      '/v3/tools/defaults',
      as(na.agentSecret),
      401,
      'unauthenticated',
      'The token is not known in region eu.',
    ],
    [
      variables,
      as(na.workspaceSecret, post({})),
      401,
      'unauthenticated',
      'The token is not known in region eu.',
    ],
    [
      variables,
      { ...post({}), headers: { 'content-type': 'text/json' } },
      400,
      'invalid_request',
      'The request body must be application/json.',
    ],
    [variables, { ...post(0), body: '{' }, 400, 'invalid_request', 'The request body is not JSON.'],
    [
      variables,
      post({ variable: { key: eu.variableKey } }),
      400,
      'duplicate_key',
      'The agent has a variable with the key "customer_name" already.',
    ],
    [
      `/v3/tools/${eu.toolId}`,
      as(eu.secondWorkspaceSecret),
      403,
      'forbidden',
      'The workspace secret may not do this: getTool.',
    ],
    [
      release,
      as(eu.agentSecret, post(rented)),
      403,
      'forbidden',
      'The agent secret may not do this: releasePhoneNumber.',
    ],
    [
      convo,
      as(eu.secondWorkspaceSecret),
      403,
      'forbidden',
      'Only the owner of an agent may read its conversations.',
    ],
    [
      `/v3/workspaces/${eu.secondWorkspaceId}`,
      { method: 'DELETE' },
      403,
      'forbidden',
      'Only an owner of the workspace may delete it.',
    ],
    [workspace, { method: 'DELETE' }, 403, 'primary_workspace', 'The primary workspace cannot be deleted.'],
    ['/v3/tools/x', {}, 404, 'not_found', 'There is no tool with the id "x".'],
    ['/v3/orgs/x/members-and-teams', {}, 404, 'not_found', 'There is no organisation with the id "x".'],
    ['/v3/agents/x/convos/c', {}, 404, 'not_found', 'There is no agent with the id "x".'],
    [
      `/v3/agents/${eu.agentId}/convos/c%2F1`,
      {},
      404,
      'not_found',
      'There is no conversation with the id "c/1".',
    ],
    [
      '/v3/agents/x/variables',
      post({ variable: { key: 'k' } }),
      404,
      'not_found',
      'There is no agent with the id "x".',
    ],
    ['/v3/workspaces/x', { method: 'DELETE' }, 404, 'not_found', 'There is no workspace with the id "x".'],
    [
      release,
      post({ ...rented, phoneNumberSid: 'x' }),
      404,
      'not_found',
      'The workspace "workspace_eu_1" has no number "x".',
    ],
    [
      release,
      post(rented),
      400,
      'number_kind_mismatch',
      '"number_eu_1" is a rented number: isImportedNumber does not fit.',
    ],
    [
      release,
      post(imported),
      400,
      'number_kind_mismatch',
      '"number_eu_2" is an imported number: isImportedNumber does not fit.',
    ],
  ])('of %s with %j has its status and its body', async (path, init, status, code, message) => {
    const fake = createFakePlatform();
    const before = structuredClone(fake.state);
    const response = await send(fake, path, init);

    expect([response.status, await response.json()]).toEqual([status, { message, code }]);
    expect(fake.state).toEqual(before);
    expect(fake.requests).toMatchObject([{ status, answer: { message, code } }]);
  });
});

test.each(['workspaceSecret', 'agentSecret'] as const)(
  '%s, a character more or less or in another case, is no token',
  async (name) => {
    const fake = createFakePlatform();
    const secret = fake.seed.eu[name];
    const statusWith = async (token: string) =>
      (await send(fake, '/v3/tools/defaults', { headers: { authorization: `Bearer ${token}` } })).status;

    expect(
      await Promise.all(
        [
          secret,
          secret.slice(0, -1),
          secret.slice(1),
          `${secret}1`,
          `${secret} 1`,
          secret.toUpperCase(),
          secret.replace('fake', 'Fake'),
        ].map(statusWith),
      ),
    ).toEqual([200, 401, 401, 401, 401, 401, 401]);
  },
);

test('the scheme of the token is read in any case, with blanks behind it', async () => {
  const fake = createFakePlatform();
  const headers = { authorization: `bearer  ${fake.seed.eu.workspaceSecret}` };

  expect((await send(fake, '/v3/tools/defaults', { headers })).status).toBe(200);
});

test('a token that both regions know is one of the region that is called', async () => {
  const fake = createFakePlatform();
  const { workspaceSecret: token } = fake.seed.eu;
  fake.add.na.workspace({ secret: token });

  expect((await clientOf(fake, { region: 'na', token }).tools.listDefaults()).length).toBe(7);
});

test('an agent whose workspace is gone has no token any more', async () => {
  const fake = createFakePlatform();
  const { agentSecret: token, workspaceId, toolId } = fake.seed.eu;
  fake.records.remove('eu', 'workspaces', workspaceId);

  await expect(clientOf(fake, { token }).tools.get(toolId)).rejects.toThrow(AuthenticationError);
});

test.each(['Bearer', 'bearer'])(
  'a request tells how long it took, and shows no %s token that its body or its answer repeats',
  async (scheme) => {
    const clock = { now: () => 7_000, setTimeout: () => 0, clearTimeout: () => undefined };
    const fake = createFakePlatform({ clock });
    const { workspaceSecret } = fake.seed.eu;
    fake.faults.inject({ kind: 'wrong-shape', body: { said: workspaceSecret } });
    const body = JSON.stringify({ variable: { key: workspaceSecret } });
    const headers = { ...json, authorization: `${scheme} ${workspaceSecret}` };
    await send(fake, '/v3/agents/agent_eu_1/variables', { method: 'POST', headers, body });

    expect(fake.requests).toMatchObject([{ at: 7_000, duration: 0, answer: { said: '[redacted]' } }]);
    expect(fake.requests[0]?.body).toEqual({ variable: { key: '[redacted]' } });
  },
);

test.each([
  [{}, 'variable.key: required: expected string'],
  // An answer is forgiven it, a request is not.
  [{ key: 'k', description: null }, 'variable.description: expected string, received null'],
  [{ key: 'k', id: 'mine' }, 'variable.id: expected nothing (the service sets it), received string'],
])('the variable %j does not fit the operation', async (variable, message) => {
  const response = await send(createFakePlatform(), '/v3/agents/agent_eu_1/variables', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ variable }),
  });

  expect([response.status, await response.json()]).toMatchObject([400, { issues: [{ message }] }]);
});

test('names each field that does not fit the operation', async () => {
  const response = await send(createFakePlatform(), '/v3/agents/agent_eu_1/variables', {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ variable: { key: 1, required: 'yes' } }),
  });

  expect(await response.json()).toEqual({
    message: 'The request body does not fit the operation.',
    code: 'invalid_request',
    issues: [
      { message: 'variable.key: expected string, received number' },
      { message: 'variable.required: expected boolean, received string' },
    ],
  });
});

test('accepts a content type with a charset', async () => {
  const response = await send(createFakePlatform(), '/v3/agents/agent_eu_1/variables', {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: '{"variable":{"key":"k"}}',
  });

  expect(response.status).toBe(200);
});

test('takes an encoded path value as one segment', async () => {
  const fake = createFakePlatform();
  const { id } = fake.add.tool({ id: 'a/b?c#d e' });

  expect((await clientOf(fake).tools.get(id)).id).toBe(id);
});

test('an id may hold a percent sign, and is of no less concern to the rules', async () => {
  const fake = createFakePlatform();
  const { id: workspaceId } = fake.add.workspace();
  fake.add.tool({ id: '50%41' });
  fake.add.tool({ id: '51%41', agentId: fake.add.agent({ workspaceId }).id });

  expect((await send(fake, '/v3/tools/50%2541')).status).toBe(200);
  expect((await send(fake, '/v3/tools/51%2541')).status).toBe(403);
});

test('writes every request down, in order', async () => {
  const fake = createFakePlatform();
  const { tools, variables } = clientOf(fake);
  const before = Date.now();
  await tools.listDefaults();
  await variables.create(fake.seed.eu.agentId, { key: 'plan' });
  await tools.get('nowhere').catch(() => undefined);
  await send(fake, '/v3/nothing?a=1');

  expect(fake.requests).toMatchObject([
    { method: 'GET', path: '/tools/defaults', region: 'eu', endpoint: 'listDefaultTools', status: 200 },
    {
      method: 'POST',
      path: '/agents/agent_eu_1/variables',
      endpoint: 'createVariable',
      body: { variable: { key: 'plan' } },
      status: 200,
    },
    { path: '/tools/nowhere', endpoint: 'getTool', status: 404 },
    { path: '/nothing', query: '?a=1', endpoint: undefined, status: 404 },
  ]);
  expect(fake.requests[0]?.at).toBeGreaterThanOrEqual(before);
});

test('writes down a body as it was sent: JSON, a text, or none', async () => {
  const fake = createFakePlatform();
  for (const body of ['null', '{"a":', 'value: hidden', '']) {
    await send(fake, '/v3/nothing', { method: 'POST', body });
  }

  expect(fake.requests.map(({ body }) => body)).toEqual([null, '{"a":', 'value: [redacted]', undefined]);
});

test('writes down an answer as it was given: JSON, a text, or none', async () => {
  const refusals = { notFound: { status: 204, code: 'none' } };
  const fake = createFakePlatform({ choices: { successStatus: 204, refusals } });
  const { workspaceSecret } = fake.seed.eu;
  fake.handle(endpoint({ method: 'GET', path: '/whole', response: z.unknown() }), () => new Response('{}'));
  fake.faults.inject({ kind: 'wrong-shape', body: null });
  fake.faults.inject({ kind: 'html', status: 500 });
  fake.faults.inject({ kind: 'wrong-shape', body: `<p>${workspaceSecret}</p>` });
  fake.faults.inject({ kind: 'empty' });
  fake.faults.inject({ status: 500, body: 'none', acts: true });
  for (let call = 0; call < 6; call += 1) await send(fake, '/v3/tools/defaults');
  for (const path of ['/v3/tools/nowhere', '/v3/whole']) await send(fake, path);

  const [shape, page, text, ...none] = fake.requests.map(({ answer }) => answer);
  expect([shape, page, text]).toEqual([null, expect.stringContaining('<h1>500</h1>'), '<p>[redacted]</p>']);
  expect(none).toEqual(Array.from({ length: 5 }, () => undefined));
});

test('writes down a path without /v3 as it was sent', async () => {
  const fake = createFakePlatform();
  const paths = ['/v3', '/v3x/tools', '/tools/defaults'];
  for (const path of paths) await send(fake, path);

  expect(fake.requests.map(({ path }) => path)).toEqual(paths);
});

test('gives no id of a request twice, though all were forgotten', async () => {
  const fake = createFakePlatform();
  for (let call = 0; call < 2; call += 1) {
    fake.clearRequests();
    await send(fake, '/v3/nothing');
  }

  expect(fake.requests).toMatchObject([{ id: 'request_2' }]);
});

test('holds no token and no marked field', async () => {
  const fake = createFakePlatform();
  await clientOf(fake).variables.create(fake.seed.eu.agentId, {
    key: 'api',
    isEnv: true,
    value: 'canary-value',
  });
  await send(fake, '/v3/agents/agent_eu_1/variables', {
    method: 'POST',
    headers: { ...json, 'x-api-key': 'canary-key' },
    body: '{"workspaceSecret":"canary-secret","variable":',
  });

  const secret = encodeURIComponent(fake.seed.eu.workspaceSecret).replace('f', '%66');
  await send(fake, `/v3/tools/${secret}?key=${secret}&listenUrl=canary-url`, {
    headers: { 'x-echo': fake.seed.eu.workspaceSecret, referer: `https://a.test/?magicCode=canary-code` },
  });

  const log = JSON.stringify(fake.requests);
  expect(decodeURIComponent(fake.requests[2]?.path ?? '')).toBe('/tools/[redacted]');
  expect(decodeURIComponent(fake.requests[2]?.query ?? '')).toMatch(
    /^\?key=\[redacted]&listenUrl=\[redacted]/,
  );
  expect(log).not.toContain(fake.seed.eu.workspaceSecret);
  expect(log).not.toContain('canary');
  expect(fake.requests[0]).toMatchObject({ headers: { authorization: '[redacted]' } });
});

test('tells when a request came, and how long its answer took', async () => {
  let now = 5_000;
  const clock = { now: () => now, setTimeout: () => 0, clearTimeout: () => undefined };
  const told: unknown[] = [];
  const fake = createFakePlatform({ clock, onRequest: ({ duration }) => told.push(duration) });
  const slow = endpoint({ method: 'GET', path: '/slow', response: z.unknown() });
  fake.handle(slow, () => {
    now += 250;
    return {};
  });
  await send(fake, '/v3/slow');

  expect(fake.requests).toMatchObject([{ at: 5_000, duration: 250 }]);
  expect(told).toEqual([250]);
});

test('tells the time as fake timers have it', async () => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers({ now: 7_000, toFake: ['Date'] });
  const fake = createFakePlatform();
  await send(fake, '/v3/nothing');

  expect(fake.requests).toMatchObject([{ at: 7_000 }]);
});

test('tells each request after its answer', async () => {
  const statuses: unknown[] = [];
  const fake = createFakePlatform({ onRequest: (request) => statuses.push(request.status) });
  const { tools } = clientOf(fake);
  await tools.listDefaults();
  await tools.get('nowhere').catch(() => undefined);

  expect(statuses).toEqual([200, 404]);
});

test.each(['onRequest', 'onDelivery'])(
  'an %s that throws changes nothing, and is told to the runtime',
  async (name) => {
    const thrown: unknown[] = [];
    const queue = queueMicrotask;
    vi.stubGlobal('queueMicrotask', (task: () => void) =>
      queue(() => {
        try {
          task();
        } catch (error) {
          thrown.push(error);
        }
      }),
    );
    onTestFinished(() => void vi.unstubAllGlobals());
    const error = new Error('an assertion of the test');
    const fake = createFakePlatform({
      [name]: () => {
        throw error;
      },
    });
    fake.webhooks.subscribe({ fetch: () => new Response() });

    expect(await clientOf(fake).tools.listDefaults()).toHaveLength(7);
    expect(await fake.webhooks.send('webhook_test')).toMatchObject([{ status: 200 }]);
    expect(thrown).toEqual([error]);
  },
);

test('reset takes records, ids and requests back to the beginning', async () => {
  const fake = createFakePlatform({ regions: { eu: { tools: [{ id: 'mine' }] } } });
  const { state, requests } = fake;
  const before = structuredClone(state);
  fake.add.tool(fixtures.tool());
  for (const region of ['eu', 'na'] as const) fake.add[region].agent();
  const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
  await clientOf(fake, { token }).workspaces.delete(secondWorkspaceId);

  fake.reset();

  expect(state).toEqual(before);
  expect(requests).toEqual([]);
  expect([fake.add.agent().id, fake.add.na.agent().id]).toEqual(['agent_eu_2', 'agent_na_2']);
});

test('fetch takes a URL, a Request, and a signal', async () => {
  const fake = createFakePlatform();
  const url = `${fake.baseUrls.eu}/v3/tools/defaults`;
  const headers = { authorization: `Bearer ${fake.seed.eu.agentSecret}` };

  expect((await fake.fetch(new URL(url), { headers })).status).toBe(200);
  expect((await fake.fetch(new Request(url, { headers }))).status).toBe(200);
  const reason = new Error('changed my mind');
  await expect(fake.fetch(url, { headers, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(fake.requests).toHaveLength(2);
  // What is said beside a Request is laid over it.
  expect((await fake.fetch(new Request(url), { headers })).status).toBe(200);
  expect((await fake.fetch(new Request(url, { headers }), { method: 'POST' })).status).toBe(404);
  const signal = AbortSignal.abort(reason);
  await expect(fake.fetch(new Request(url), { signal })).rejects.toBe(reason);
  await expect(fake.fetch(new Request(url, { signal }))).rejects.toBe(reason);
  expect(fake.requests.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
});

test.each([
  ['at once', (abort: () => void) => abort()],
  ['later', (abort: () => void) => void setImmediate(abort)],
])(
  'a call whose handler never answers ends with the reason for which it was given up %s',
  async (_, when) => {
    const fake = createFakePlatform();
    const never = endpoint({ method: 'GET', path: '/never', response: z.unknown(), auth: 'none' });
    const reason = new Error('changed my mind');
    const controller = new AbortController();
    fake.handle(never, () => {
      when(() => controller.abort(reason));
      return new Promise(() => undefined);
    });

    const call = fake.fetch(`${fake.baseUrls.eu}/v3/never`, { signal: controller.signal });
    await expect(call).rejects.toBe(reason);
  },
);

test('a call leaves no listener at the signal it was given', async () => {
  const fake = createFakePlatform();
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  // Told apart from the listeners that a Request adds to its copy.
  const request = new Request(`${fake.baseUrls.eu}/v3/tools/defaults`);
  Object.defineProperty(request, 'signal', { value: signal });
  await fake.fetch(request);

  expect(added).toHaveBeenCalled();
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each(['https://elsewhere.example', 'https://na.example.com'])(
  'fetch does not reach %s',
  async (host) => {
    const { fetch } = createFakePlatform({ baseUrls: { na: 'https://na.example' } });
    const fetching = fetch(`${host}/v3/tools/defaults`);

    await expect(fetching).rejects.toThrow(TypeError);
    await expect(fetching).rejects.toThrow(
      `fetch failed: the fake answers below https://eu.agent-platform.test and https://na.example, not at ${host}/v3/tools/defaults`,
    );
  },
);

test('the regions share no record', async () => {
  const fake = createFakePlatform();
  const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
  await clientOf(fake, { region: 'eu', token }).workspaces.delete(secondWorkspaceId);

  expect(fake.state.eu.workspaces.size).toBe(1);
  expect(fake.state.na.workspaces.size).toBe(2);
});

test('a token of the other region is refused by default', async () => {
  const fake = createFakePlatform();
  const getting = clientOf(fake, { region: 'na', token: fake.seed.eu.workspaceSecret }).tools.listDefaults();

  await expect(getting).rejects.toThrow(AuthenticationError);
});

test.each([
  ['data-of-address', 'na', 'eu'],
  ['data-of-token', 'eu', 'na'],
] as const)('a token of the other region can see the %s', async (wrongRegion, seen, hidden) => {
  const fake = createFakePlatform({ choices: { wrongRegion } });
  const { tools, variables } = clientOf(fake, { region: 'na', token: fake.seed.eu.workspaceSecret });

  expect((await tools.get(fake.seed[seen].toolId)).id).toBe(fake.seed[seen].toolId);
  expect((await variables.create(fake.seed[seen].agentId, { key: 'plan' })).id).toBe(`variable_${seen}_2`);
  await expect(tools.get(fake.seed[hidden].toolId)).rejects.toThrow(NotFoundError);
});

test('a token that is answered with the data of its own region has the reach that it has there', async () => {
  const fake = createFakePlatform({ choices: { wrongRegion: 'data-of-token' } });
  const { tools } = clientOf(fake, { region: 'na', token: fake.seed.eu.secondWorkspaceSecret });

  await expect(tools.get(fake.seed.eu.toolId)).rejects.toThrow(PermissionDeniedError);
});

test.each([
  ['https://api.test/e', 'https://api.test/e-na'],
  ['https://api.test', 'https://api.test/na'],
  ['https://api.test/eu', 'https://api.test'],
])('with %s and %s as addresses, a request is of the region that it is below', async (eu, na) => {
  const fake = createFakePlatform({ baseUrls: { eu, na } });
  for (const region of ['eu', 'na'] as const) await clientOf(fake, { region }).tools.listDefaults();

  const path = '/tools/defaults';
  expect(fake.requests).toMatchObject([
    { region: 'eu', path },
    { region: 'na', path },
  ]);
});

test.each([
  ['HTTPS://API.Test:443', 'https://api.test'],
  ['https://api.test/v3//', 'https://api.test'],
  ['https://api.test/v3/eu', 'https://api.test/v3/eu'],
  ['https://api.test/v2', 'https://api.test/v2'],
  ['https://api.test/base/v3/?a=1', 'https://api.test/base'],
])('of the address %s, %s is kept', (eu, kept) => {
  expect(createFakePlatform({ baseUrls: { eu, na: eu } }).baseUrls).toEqual({ eu: kept, na: kept });
});

test('the length of an answer counts bytes', async () => {
  const fake = createFakePlatform();
  fake.add.tool({ id: 'crm', name: 'Größe 🧵' });
  const response = await send(fake, '/v3/tools/crm');

  expect(response.headers.get('content-type')).toBe('application/json');
  const { byteLength } = await response.arrayBuffer();
  expect(response.headers.get('content-length')).toBe(String(byteLength));
});
