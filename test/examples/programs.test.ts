import { networkInterfaces } from 'node:os';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HttpEvent } from '../../examples/lambda/http-event.js';
import { launch, startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';

/** Collects the lines that an imported example prints during the test. */
function printedLines(): readonly string[] {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => {
    log.mockRestore();
    warn.mockRestore();
  });
  return lines;
}

describe('programs', { timeout: 60_000 }, () => {
  test('quickstart calls in both regions and delivers webhooks', async () => {
    const lines = printedLines();
    await import('../../examples/quickstart/quickstart.js');
    const text = lines.join('\n');
    expect(text.match(/^ {2}workspaces\.delete .* is gone$/gm)).toHaveLength(2);
    expect(text.match(/^ {2}a forged event .*401.*verification_failed$/gm)).toHaveLength(1);
    expect(text).toMatch(/\d+ calls and \d+ deliveries/);
  });

  test('commonjs requires the client, the fake and `parseWebhook`', async () => {
    const args = ['--import', 'tsx', 'examples/commonjs/main.cjs'];
    const { lines, ended } = launch(process.execPath, args, { env: process.env });
    await ended;
    expect(lines).toEqual([
      'tool: find_invoice',
      expect.stringMatching(/^refused: GET \/tools\/nowhere .*404/),
      'event: lead_captured of Dana',
    ]);
  });

  test('operations lists all conversations, and reads and changes an agent', async () => {
    const lines = printedLines();
    await import('../../examples/operations/main.js');
    expect(lines).toEqual([
      'conversations: 45, in 3 pages',
      expect.stringMatching(/^agent: ./),
      'renamed: Front desk',
    ]);
  });

  test('opentelemetry makes a span of each call, of its attempts, and of each delivery', async () => {
    const lines = printedLines();
    await import('../../examples/opentelemetry/main.js');
    const spans = lines.map((line) => JSON.parse(line) as object);
    const [conversation, tool] = ['/agents/{agentId}/convos/{convoId}', '/tools/{toolId}'];
    expect(spans.map((span) => Object.values(span).join(' '))).toEqual([
      `GET GET ${conversation} GET ${conversation} 200`,
      `GET ${conversation} GET ${conversation} eu`,
      'POST webhook POST 200 handled chat_delegated',
      'POST webhook POST 401 verification_failed',
      `GET GET ${tool} GET ${tool} 503`,
      `GET GET ${tool} GET ${tool} 1 200`,
      `GET ${tool} GET ${tool} eu`,
      `GET GET ${tool} GET ${tool} 404`,
      `GET ${tool} GET ${tool} eu not_found_error NotFoundError`,
    ]);
    expect([...new Set(spans.flatMap(Object.keys))]).toEqual([
      'name',
      'parent',
      'http.request.method',
      'url.template',
      'http.response.status_code',
      'agent_platform.region',
      'agent_platform.outcome',
      'agent_platform.event.type',
      'http.request.resend_count',
      'error.type',
      'failed',
    ]);
  });
});

/** Starts the server of an example on a free port, and returns its address once it listens. */
async function start(file: string, settings: Readonly<Record<string, string>>) {
  const port = String(await freePort());
  const { lines, end } = startExample(file, { ...settings, PORT: port });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: 50_000, interval: 50 });
  return { url, lines, end };
}

test('express-app opens a ticket for a chat that is handed over, and ends after SIGTERM', {
  timeout: 60_000,
}, async () => {
  const fake = createFakePlatform();
  await using server = await fake.listen();
  const { agentId, convoId, workspaceSecret } = fake.seed.eu;
  const { url, end } = await start('express-app/server', {
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: workspaceSecret,
    AGENT_PLATFORM_BASE_URL_EU: server.baseUrls.eu,
    AGENT_PLATFORM_WEBHOOK_SECRET: workspaceSecret,
  });
  fake.webhooks.subscribe(`${url}/webhooks`);
  const [delivery] = await fake.webhooks.send('chat_delegated', {
    agentId,
    convoId,
    assignedToUserId: 'ada',
  });
  expect(delivery?.status).toBe(200);
  expect(await (await fetch(`${url}/tickets`)).json()).toMatchObject([{ convoId, assignee: 'ada' }]);
  expect(await end()).toEqual([0, null]);
});

describe('receivers', { timeout: 60_000 }, () => {
  const fake = createFakePlatform();
  const secret = fake.seed.eu.workspaceSecret;

  type Serve = (request: Request) => Promise<Response>;

  /** Sends webhooks of each kind to the example, and checks its responses and the lines that it prints. */
  async function expectWebhooks(name: string, serve: Serve, lines: readonly string[]): Promise<void> {
    onTestFinished(fake.webhooks.subscribe({ fetch: serve }));
    const { webhooks } = fake;
    const leadEmail = `${name}@acme.example`;
    const turns = Array.from({ length: 5_000 }, () => 'x'.repeat(1_000));
    const sent = [
      ...(await webhooks.send('lead_captured', { leadEmail }, { copies: 2 })),
      ...(await webhooks.send('lead_captured', { leadEmail: 'mallory@acme.example' }, { forged: true })),
      ...(await webhooks.send('conversation_updated', { turns })),
    ];
    expect(sent.map(({ status }) => status)).toEqual([200, 200, 401, 200]);
    await vi.waitFor(() =>
      expect(lines.filter((line) => /^(lead|turns):/.test(line))).toEqual([
        `lead: ${leadEmail}`,
        'turns: 5000',
      ]),
    );
    // An end user's form can have a field of this name, which parsers other than the receiver's may refuse.
    const payload = { agentId: 'agent_1', createdAt: 1, channel: 'web-chat', operation: 'captured' };
    const body = JSON.stringify({ type: 'lead_captured', payload: { ...payload, workspaceSecret: secret } });
    const odd = body.replace('{"agentId"', '{"__proto__":{"a":1},"agentId"');
    const response = await serve(new Request('https://app.example/webhooks', { method: 'POST', body: odd }));
    expect(response.status).toBe(200);
  }

  beforeAll(() => void vi.stubEnv('AGENT_PLATFORM_WEBHOOK_SECRET', secret));
  afterAll(() => void vi.unstubAllEnvs());

  test('fastify receives webhooks, and ends after SIGTERM', async () => {
    const { url, lines, end } = await start('fastify/server', { AGENT_PLATFORM_WEBHOOK_SECRET: secret });
    const headers = { 'content-type': 'application/json' };
    // Not on `localhost` only: outside a container, nobody could reach it.
    const outside = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal);
    const address = url.replace('127.0.0.1', outside?.address ?? '127.0.0.1');
    const serve: Serve = async (request) =>
      fetch(`${address}/webhooks`, { method: 'POST', headers, body: await request.text() });
    await expectWebhooks('fastify', serve, lines);
    // As the guide says: longer than that of most load balancers.
    expect((await fetch(`${url}/webhooks`)).headers.get('keep-alive')).toBe('timeout=72');
    expect(await end()).toEqual([0, null]);
  });

  test.each<[string, 'utf8' | 'base64', (method: string) => object]>([
    ['2.0', 'utf8', (method) => ({ version: '2.0', requestContext: { http: { method } } })],
    ['1.0', 'base64', (httpMethod) => ({ httpMethod, requestContext: { stage: 'prod' } })],
  ])('lambda receives webhooks of payload format %s in %s', async (_, encoding, partsFor) => {
    vi.resetModules();
    const { handler } = await import('../../examples/lambda/handler.js');
    const serve: Serve = async (request) => {
      const event = {
        ...partsFor(request.method),
        headers: Object.fromEntries(request.headers),
        body: Buffer.from(await request.arrayBuffer()).toString(encoding),
        isBase64Encoded: encoding === 'base64',
      };
      const { statusCode, headers, body } = await handler(event as HttpEvent);
      return new Response(body, { status: statusCode, headers });
    };
    await expectWebhooks('lambda', serve, printedLines());
  });

  test('next-app receives webhooks and shows a conversation', async () => {
    await using server = await fake.listen();
    vi.stubEnv('AGENT_PLATFORM_REGION', 'eu');
    vi.stubEnv('AGENT_PLATFORM_TOKEN', secret);
    vi.stubEnv('AGENT_PLATFORM_BASE_URL_EU', server.baseUrls.eu);
    const { POST } = await import('../../examples/next-app/app/webhooks/route.js');
    await expectWebhooks('next-app', POST, printedLines());

    const { GET } = await import('../../examples/next-app/app/agents/[agentId]/convos/[convoId]/route.js');
    const { agentId, convoId } = fake.seed.eu;
    const read = (id: string) =>
      GET(new Request('https://app.example/'), { params: Promise.resolve({ agentId, convoId: id }) });
    expect(await (await read(convoId)).json()).toHaveProperty('title');
    expect((await read('nowhere')).status).toBe(404);
  });
});
