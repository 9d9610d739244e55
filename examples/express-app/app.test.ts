import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AgentPlatform, createWebhookReceiver, endpoints } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createApp, type Ticket } from './app.js';

// One fake for the whole suite, over real HTTP, and one app for each test.
let fake: FakePlatform;
let close: () => Promise<void>;
let baseUrls: { eu: string; na: string };
let appUrl: string;
let stopApp: () => void;

beforeAll(async () => {
  fake = createFakePlatform();
  ({ baseUrls, close } = await fake.listen());
});
afterAll(() => close());

beforeEach(async () => {
  const secret = fake.seed.eu.workspaceSecret;
  const app = createApp({
    platform: new AgentPlatform({ region: 'eu', token: secret, baseUrls, logLevel: 'off' }),
    receiver: createWebhookReceiver({ secret, logLevel: 'off' }),
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  appUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const unsubscribe = fake.webhooks.subscribe(`${appUrl}/webhooks`, { events: ['chat_delegated'] });
  stopApp = () => {
    unsubscribe();
    server.close();
    server.closeAllConnections();
  };
});
afterEach(() => {
  stopApp();
  fake.reset();
});

const tickets = async () => (await (await fetch(`${appUrl}/tickets`)).json()) as Ticket[];

const setGreeting = (text: string): Promise<Response> =>
  fetch(`${appUrl}/agents/${fake.seed.eu.agentId}/greeting`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });

test('opens a ticket for a chat that is handed over', async () => {
  const { convoId } = fake.add.conversation({ record: { shortSummary: 'Wants a refund' } });

  const [delivery] = await fake.webhooks.send('chat_delegated', {
    convoId,
    assignedToUserId: 'ada',
    customerName: 'Dana',
  });

  expect(delivery).toMatchObject({ outcome: 'success' });
  expect(await tickets()).toEqual([
    { convoId, assignee: 'ada', customer: 'Dana', summary: 'Wants a refund' },
  ]);
});

test('opens one ticket for an event that is delivered twice', async () => {
  await fake.webhooks.send('chat_delegated', {}, { copies: 2 });

  expect(await tickets()).toHaveLength(1);
});

test('opens no ticket for a forged event', async () => {
  const [delivery] = await fake.webhooks.send('chat_delegated', {}, { forged: true });

  expect(delivery).toMatchObject({ outcome: 'refused', status: 401 });
  expect(await tickets()).toEqual([]);
});

test('responds with 500 if the conversation cannot be read', async () => {
  const [delivery] = await fake.webhooks.send('chat_delegated', { convoId: 'gone' });

  expect(delivery).toMatchObject({ outcome: 'refused', status: 500 });
});

test('retries a tool after 503', async () => {
  fake.faults.inject({ endpoint: endpoints.getTool, times: 2, status: 503, retryAfter: 0 });

  const response = await fetch(`${appUrl}/tools/${fake.seed.eu.toolId}`);

  expect(response.status).toBe(200);
  expect(fake.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test('responds with 404 for an unknown tool', async () => {
  expect((await fetch(`${appUrl}/tools/nowhere`)).status).toBe(404);
});

test("responds with 502 if the platform's responses are cut off", async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => log.mockRestore());
  fake.faults.inject({ kind: 'truncated', times: 'always' });

  expect((await fetch(`${appUrl}/tools/${fake.seed.eu.toolId}`)).status).toBe(502);
});

test('responds with 409 for a greeting that exists', async () => {
  const [first, second] = [await setGreeting('Hello!'), await setGreeting('Hi!')];

  expect([first.status, second.status]).toEqual([201, 409]);
  const { id } = (await first.json()) as { id: string };
  expect(fake.state.eu.variables.get(id)).toMatchObject({ key: 'greeting', value: 'Hello!' });
});

test('does not repeat a greeting whose response was lost', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => log.mockRestore());
  fake.faults.inject({ endpoint: endpoints.createVariable, kind: 'reset', acts: true });

  expect((await setGreeting('Hello!')).status).toBe(502);
  expect(fake.requests).toHaveLength(1);
});
