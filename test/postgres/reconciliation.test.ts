import { spawn } from 'node:child_process';
import { AgentPlatform, type Conversation, createWebhookReceiver, endpoints } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Copy, followConversations, reconcile } from '../../examples/reconciliation/reconcile.js';
import { type ConversationStore, openStore } from '../../examples/reconciliation/store.js';
import { freePort } from '../../scripts/free-port.js';
import { type PostgresServer, startPostgres } from '../../scripts/postgres-server.js';
import { RecordingLogger } from '../support/recording-logger.js';

let postgres: PostgresServer;
let pool: Pool;
let store: ConversationStore;
let copied: string[] = [];

const fake = createFakePlatform();
const { agentId, convoId, workspaceSecret: token } = fake.seed.eu;
const platform = new AgentPlatform({
  region: 'eu',
  token,
  baseUrls: fake.baseUrls,
  fetch: fake.fetch,
  maxRetries: 0,
});

const copy: Copy = {
  update: async ({ turns }) => void copied.push(`update of ${turns.length} turns`),
  replace: async (_, conversation?: Conversation) => void copied.push(conversation?.userName ?? 'gone'),
};
const round = () => reconcile(platform, store, copy);

beforeAll(async () => {
  postgres = await startPostgres();
  pool = new Pool({ connectionString: postgres.url });
}, 120_000);

beforeEach(async () => {
  fake.reset();
  copied = [];
  vi.spyOn(console, 'error').mockReturnValue();
  store = await openStore(pool, 0);
  const receiver = createWebhookReceiver({ secret: token, logger: new RecordingLogger() });
  followConversations(receiver, store, copy);
  fake.webhooks.subscribe(receiver, { untilReset: true });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await pool.query('DROP TABLE conversations');
});

afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

test('a conversation without a later update is read once, also by the process that starts next', async () => {
  await fake.webhooks.send('message_received', { agentId, convoId });
  store = await openStore(pool, 0);
  expect(await round()).toBe(1);
  expect(copied).toEqual(['Eli Customer']);
  expect(await round()).toBe(0);
});

test('one that has an update, or has not been quiet, is not read', async () => {
  await fake.webhooks.send('message_received', { agentId, convoId, createdAt: 1 });
  await fake.webhooks.send('conversation_updated', { agentId, convoId, turns: ['Hi'], createdAt: 2 });
  // Delivered late: the update has shown what it tells of.
  await fake.webhooks.send('chat_delegated', { agentId, convoId, createdAt: 1.5 });
  expect(await round()).toBe(0);
  expect(copied).toEqual(['update of 1 turns']);
  const patient = await openStore(pool, 600_000);
  await patient.heardOf({ agentId, convoId }, 3);
  expect(await round()).toBe(0);
});

test('an update that could not be copied is made up for', async () => {
  vi.spyOn(copy, 'update').mockRejectedValueOnce(new Error('away'));
  await fake.webhooks.send('conversation_updated', { agentId, convoId });
  expect(await round()).toBe(1);
  expect(copied).toEqual(['Eli Customer']);
});

test('a service that is away is asked again, and a conversation that is gone is not', async () => {
  await fake.webhooks.send('message_received', { agentId, convoId });
  await fake.webhooks.send('message_received', { agentId, convoId: 'nowhere' });
  fake.faults.inject({ endpoint: endpoints.getConversation, status: 503, times: 2 });
  expect(await round()).toBe(2);
  expect(await round()).toBe(2);
  expect(copied.sort()).toEqual(['Eli Customer', 'gone']);
  expect(await round()).toBe(0);
});

test('the server starts as its first lines say, and ends when it is told', { timeout: 60_000 }, async () => {
  await using served = await fake.listen();
  const port = String(await freePort());
  const env = {
    PATH: process.env.PATH,
    DATABASE_URL: postgres.url,
    PORT: port,
    QUIET_MS: '100',
    WORKSPACE_SECRET: token,
    AGENT_PLATFORM_REGION: 'eu',
    AGENT_PLATFORM_TOKEN: token,
    AGENT_PLATFORM_BASE_URL_EU: served.baseUrls.eu,
  };
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/reconciliation/main.ts'], { env });
  const lines: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => lines.push(...String(chunk).trim().split('\n')));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const told = (line: unknown) =>
    vi.waitFor(() => expect(lines).toContainEqual(line), { timeout: 30_000, interval: 20 });

  await told('receiving');
  fake.webhooks.subscribe(`http://127.0.0.1:${port}/webhooks`, {
    events: ['form_submitted'],
    untilReset: true,
  });
  await fake.webhooks.send('form_submitted', { agentId, convoId });
  await told(expect.stringMatching(`^${convoId}: read, \\d+ messages$`));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
