import { AgentPlatform, type AgentPlatformOptions } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
import { type Answer, answerWith, closedAddress, startServer } from '../../support/server.js';
import { operations } from '../support/operations.js';
import { canary, markedFields } from './canary.js';
import { Evidence } from './evidence.js';

const headers = { 'x-api-key': canary('header'), cookie: `session=${canary('cookie')}; theme=dark` };
const token = canary('token');

function optionsFor(evidence: Evidence, url: string): AgentPlatformOptions {
  return {
    region: 'eu',
    token,
    baseUrls: { eu: url },
    headers,
    maxRetries: 1,
    timeout: 500,
    logger: evidence.logger,
    logLevel: 'debug',
    hooks: evidence.hooks,
  };
}

/** Echoes all that was sent, in each form in which servers and proxies do. */
const echo =
  (status: number, wrap: (all: string) => string): Answer =>
  (request, response) => {
    const all = JSON.stringify([request.headers, request.url, request.body, markedFields]);
    response.writeHead(status, {
      'retry-after': '0',
      'x-echo': String(request.headers.authorization),
      'set-cookie': canary('cookie'),
    });
    response.end(wrap(all));
  };

const answers: [what: string, answer: Answer][] = [
  [
    'a success with every marked field',
    answerWith(200, {
      success: true,
      message: 'ok',
      data: { id: 't1', ...markedFields },
      clients: [],
      teams: [],
      isGood: true,
    }),
  ],
  [
    'a success that has grown',
    answerWith(200, {
      success: true,
      message: 'ok',
      clients: [{ ID: 'c', grown: 1, ...markedFields }],
      teams: [],
      data: null,
      isGood: true,
    }),
  ],
  ['a wrong shape', answerWith(200, { success: true, message: 5, data: [markedFields], isGood: 'no' })],
  [
    'a failed envelope',
    echo(200, (all) => JSON.stringify({ success: false, isGood: false, message: all, errors: all })),
  ],
  ['a 2xx that is not JSON', echo(200, (all) => `<html>${all}</html>`)],
  ['a 2xx that is cut off', echo(200, (all) => all.slice(0, -30))],
  ...[400, 401, 403, 404, 409, 422, 429, 500, 503].map((status): [string, Answer] => [
    `a ${status} with all in its message, code and issues`,
    echo(status, (all) =>
      JSON.stringify({ message: all, code: all, issues: [{ message: all, ...markedFields }] }),
    ),
  ]),
  ['a 502 of a proxy in HTML', echo(502, (all) => `<pre>${all}</pre>`)],
  [
    'a 500 as a form',
    echo(500, (all) => new URLSearchParams({ all, magicCode: canary('magicCode') }).toString()),
  ],
  [
    'a redirect to an address with the token',
    (_, response) => void response.writeHead(307, { location: `https://x.example/?token=${token}` }).end(),
  ],
  ['no answer', (_, response) => void response.destroy()],
  ['an answer that stalls', (_, response) => void response.writeHead(200).write('{"success":')],
];

test.each(answers)('nothing shows a secret: %s', async (_, answer) => {
  const evidence = new Evidence();
  const server = await startServer(answer);
  const platform = new AgentPlatform(optionsFor(evidence, server.url));
  evidence.add('the client', platform);
  for (const { name, call } of operations) await evidence.during(name, () => call(platform));
  const variable = { key: 'k', isEnv: true, value: canary('value'), defaultValue: canary('defaultValue') };
  await evidence.during('a variable', () => platform.variables.create('a1', variable));
  await evidence.during('an id', () => platform.tools.get(token));
  expect(evidence.texts.length).toBeGreaterThan(operations.length);
  expect(evidence.leaks()).toEqual([]);
});

test('nothing shows a secret: no connection, a wrong option, an argument that is refused', async () => {
  const evidence = new Evidence();
  const options = optionsFor(evidence, await closedAddress());
  const platform = new AgentPlatform(options);
  for (const { name, call } of operations) await evidence.during(name, () => call(platform));
  await evidence.during('aborted', () => platform.tools.get('t', { signal: AbortSignal.abort() }));
  await evidence.during('a wrong body', () =>
    platform.variables.create('a', { ...markedFields, key: 5 } as never),
  );
  const wrong: Record<string, unknown>[] = [
    { token: `${token}\n${token}` },
    { token: [token] },
    { headers: { authorization: token } },
    { headers: { 'x-key': `${token}\n` } },
    { headers: [[token]] },
    { baseUrls: { eu: `ftp://user:${token}@host.example` } },
    { baseUrls: { eu: `https://user:${token}@host.example` } },
    { region: 'us' },
  ];
  for (const one of wrong)
    await evidence.during('an option', () => new AgentPlatform({ ...options, ...one }));
  await evidence.during('a call option', () => platform.tools.get('t', { token: `${token}\u0000` }));
  expect(evidence.leaks()).toEqual([]);
});

test('nothing shows a secret on the console either, at the level of the environment', async () => {
  const evidence = new Evidence();
  vi.stubEnv('AGENT_PLATFORM_LOG', 'debug');
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    vi.spyOn(console, level).mockImplementation((...parts) => evidence.add(`console.${level}`, parts));
  }
  try {
    const server = await startServer(answerWith(200, { success: true, data: { id: 't', ...markedFields } }));
    const platform = new AgentPlatform({ region: 'eu', token, baseUrls: { eu: server.url }, headers });
    await platform.tools.get('t1');
  } finally {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  }
  expect(evidence.texts.length).toBeGreaterThan(0);
  expect(evidence.leaks()).toEqual([]);
});

test('the fake writes down no secret', async () => {
  const evidence = new Evidence();
  const fake = createFakePlatform({ onRequest: (request) => evidence.add('onRequest', request) });
  const server = await fake.listen();
  const options = {
    ...optionsFor(evidence, ''),
    token: fake.seed.eu.workspaceSecret,
    baseUrls: server.baseUrls,
  };
  const platform = new AgentPlatform(options);
  const variable = { key: 'k', isEnv: true, value: canary('value'), defaultValue: canary('defaultValue') };
  await evidence.during('created', () => platform.variables.create(fake.seed.eu.agentId, variable));
  await evidence.during('twice', () => platform.variables.create(fake.seed.eu.agentId, variable));
  await evidence.during('another token', () => platform.tools.get('t', { token }));
  for (const status of [400, 500]) {
    fake.faults.inject({ status, message: `echo of ${token}` });
    await evidence.during('a fault', () => platform.tools.get('t', { token }));
  }
  evidence.add('the requests', fake.requests);
  await server.close();
  expect(fake.requests.length).toBeGreaterThan(2);
  expect(evidence.leaks()).toEqual([]);
});
