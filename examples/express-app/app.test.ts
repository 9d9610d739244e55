import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { AgentPlatform, createWebhookReceiver, endpoints } from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform } from 'agent-platform-sdk/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createApp } from './app.js';
import { TicketDesk } from './ticket-desk.js';

// One fake for the whole suite, over real HTTP, and one app for each test.
let fake: FakePlatform;
let close: () => Promise<void>;
let baseUrls: { eu: string; na: string };
let desk: TicketDesk;
let appUrl: string;
let stopApp: () => void;

beforeAll(async () => {
  fake = createFakePlatform();
  ({ baseUrls, close } = await fake.listen());
});
afterAll(() => close());

beforeEach(async () => {
  const secret = fake.seed.eu.workspaceSecret;
  desk = new TicketDesk();
  const app = createApp({
    platform: new AgentPlatform({ region: 'eu', token: secret, baseUrls, logLevel: 'off' }),
    receiver: createWebhookReceiver({ secret, logLevel: 'off' }),
    desk,
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

const setGreeting = (text: string): Promise<Response> =>
  fetch(`${appUrl}/agents/${fake.seed.eu.agentId}/greeting`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });

test('a chat that is handed over becomes a ticket', async () => {
  const { convoId } = fake.add.conversation({ record: { shortSummary: 'Wants a refund' } });

  const [delivery] = await fake.webhooks.send('chat_delegated', {
    convoId,
    assignedToUserId: 'ada',
    customerName: 'Dana',
  });

  expect(delivery).toMatchObject({ outcome: 'success' });
  expect(await (await fetch(`${appUrl}/tickets`)).json()).toEqual([
    { convoId, assignee: 'ada', customer: 'Dana', summary: 'Wants a refund' },
  ]);
});

test('an event that is delivered twice becomes one ticket', async () => {
  await fake.webhooks.send('chat_delegated', {}, { copies: 2 });

  expect(desk.tickets).toHaveLength(1);
});

test('a forged event becomes none', async () => {
  const [delivery] = await fake.webhooks.send('chat_delegated', {}, { forged: true });

  expect(delivery).toMatchObject({ outcome: 'refused', status: 401 });
  expect(desk.tickets).toEqual([]);
});

test('an event whose conversation cannot be read is not acknowledged', async () => {
  const [delivery] = await fake.webhooks.send('chat_delegated', { convoId: 'gone' });

  expect(delivery).toMatchObject({ outcome: 'refused', status: 500 });
});

test('a platform that is busy for a moment does not reach the user', async () => {
  fake.faults.inject({ endpoint: endpoints.getTool, times: 2, status: 503, retryAfter: 0 });

  const response = await fetch(`${appUrl}/tools/${fake.seed.eu.toolId}`);

  expect(response.status).toBe(200);
  expect(fake.requests.map(({ status }) => status)).toEqual([503, 503, 200]);
});

test('an unknown tool is not found', async () => {
  expect((await fetch(`${appUrl}/tools/nowhere`)).status).toBe(404);
});

test('a platform whose answers are cut off is a bad gateway', async () => {
  fake.faults.inject({ kind: 'truncated', times: 'always' });

  expect((await fetch(`${appUrl}/tools/${fake.seed.eu.toolId}`)).status).toBe(502);
});

test('a greeting is set once', async () => {
  const [first, second] = [await setGreeting('Hello!'), await setGreeting('Hi!')];

  expect([first.status, second.status]).toEqual([201, 409]);
  const { id } = (await first.json()) as { id: string };
  expect(fake.state.eu.variables.get(id)).toMatchObject({ key: 'greeting', value: 'Hello!' });
});

test('a greeting is not set twice when the answer to the first was lost', async () => {
  fake.faults.inject({ endpoint: endpoints.createVariable, kind: 'reset', acts: true });

  expect((await setGreeting('Hello!')).status).toBe(502);
  expect(fake.requests).toHaveLength(1);
});
