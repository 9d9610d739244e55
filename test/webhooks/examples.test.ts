import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { LambdaEvent, LambdaResult } from '../../examples/webhooks-lambda/handler.js';
import { delivery, secret } from './deliveries.js';

type Post = (body: string, init?: RequestInit) => Promise<Response>;

const closers: (() => unknown)[] = [];
const examples: Record<string, Post> = {};
const lines: string[] = [];

const posting =
  (address: string): Post =>
  (body, init) =>
    fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body, ...init });

const requesting =
  (handle: (request: Request) => Response | Promise<Response>): Post =>
  async (body, init) =>
    handle(new Request('https://receiver.example/webhooks', { method: 'POST', body, ...init }));

/** Calls a handler as a function URL does: turns the request into an event, and its result into an answer. */
async function viaLambda(
  handler: (event: LambdaEvent) => Promise<LambdaResult>,
  request: Request,
  encoding: 'utf8' | 'base64',
): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  const { statusCode, headers, body } = await handler({
    rawPath: pathname,
    headers: Object.fromEntries(request.headers),
    requestContext: { domainName: hostname, http: { method: request.method } },
    body: Buffer.from(await request.arrayBuffer()).toString(encoding) || undefined,
    isBase64Encoded: encoding === 'base64',
  });
  return new Response(body, { status: statusCode, headers });
}

beforeAll(async () => {
  vi.stubEnv('WORKSPACE_SECRET', secret);
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);

  const express = await import('../../examples/webhooks-express/server.js');
  const server = createServer(express.app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  closers.push(() => server.close());
  examples.express = posting(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);

  const fastify = await import('../../examples/webhooks-fastify/server.js');
  closers.push(() => fastify.app.close());
  examples.fastify = posting(`${await fastify.app.listen({ port: 0, host: '127.0.0.1' })}/webhooks`);

  const hono = await import('../../examples/webhooks-hono/server.js');
  examples.hono = requesting((request) => hono.app.fetch(request));

  const next = await import('../../examples/next-app/app/webhooks/route.js');
  examples.next = requesting(next.POST);

  const lambda = await import('../../examples/webhooks-lambda/handler.js');
  examples.lambda = requesting((request) => viaLambda(lambda.handler, request, 'utf8'));
  examples['lambda, base64'] = requesting((request) => viaLambda(lambda.handler, request, 'base64'));

  const worker = await import('../../examples/webhooks-worker/worker.js');
  examples.worker = requesting((request) => worker.default.fetch(request, { WORKSPACE_SECRET: secret }));
});

afterAll(async () => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  for (const close of closers) await close();
});

const names = ['express', 'fastify', 'hono', 'next', 'worker', 'lambda', 'lambda, base64'];
const post = (name: string): Post =>
  examples[name] ?? (() => Promise.reject(new Error(`no example ${name}`)));

test.each(names)('%s: a genuine event is handled once, its copy is not', async (name) => {
  const body = delivery('lead_captured', { leadEmail: `${name}@acme.example` });
  const responses = [await post(name)(body), await post(name)(body)];
  expect(responses.map(({ status }) => status)).toEqual([200, 200]);
  expect(await responses[0]?.text()).toBe('');
  expect(lines.filter((line) => line === `lead: ${name}@acme.example`)).toHaveLength(1);
});

test.each(names)('%s: a forged event is answered 401 with a code', async (name) => {
  const response = await post(name)(delivery('lead_captured', { workspaceSecret: 'forged' }));
  expect(response.status).toBe(401);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(await response.json()).toEqual({ message: expect.any(String), code: 'verification_failed' });
});

test.each(names)('%s: a conversation of 5 MB is handled', async (name) => {
  const turns = Array.from({ length: 5_000 }, (_, index) => ({ index, text: 'x'.repeat(1_000) }));
  const response = await post(name)(delivery('conversation_updated', { turns, convoId: name }));
  expect(response.status).toBe(200);
  expect(lines).toContain('turns: 5000');
});

test.each(names)('%s: a field named __proto__ loses no event', async (name) => {
  const body = delivery('lead_captured', { leadName: name }).replace(
    '{"agentId"',
    '{"__proto__":{"a":1},"agentId"',
  );
  expect((await post(name)(body)).status).toBe(200);
});

test.each(names)('%s: what is not JSON is answered 400', async (name) => {
  expect((await post(name)(delivery('lead_captured').slice(0, -1))).status).toBe(400);
});

test.each(names)('%s: takes what the fake sends', async (name) => {
  const fake = createFakePlatform();
  const { id } = fake.add.workspace({ secret });
  fake.webhooks.subscribe(
    { fetch: async (request) => post(name)(await request.text()) },
    { workspaceId: id },
  );
  const [sent] = await fake.webhooks.send(
    'lead_captured',
    { leadEmail: `${name}@fake.example` },
    { workspaceId: id },
  );
  expect(sent?.status).toBe(200);
  expect(lines).toContain(`lead: ${name}@fake.example`);
});
