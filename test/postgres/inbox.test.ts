import { createWebhookHandlers, createWebhookReceiver } from 'agent-platform-sdk';
import { inboxConformance, type ProcessStored } from 'agent-platform-sdk/testing';
import { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import {
  createPostgresInbox,
  type PostgresInbox,
  type PostgresInboxOptions,
  transaction,
} from '../../examples/postgres-inbox/inbox.js';
import { startExample } from '../support/example-process.js';
import { freePort } from '../support/free-port.js';
import { type PostgresServer, startPostgres } from '../support/postgres-server.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, post, secret } from '../webhooks/deliveries.js';

let postgres: PostgresServer;
let pool: Pool;
const inboxes: PostgresInbox[] = [];

beforeAll(async () => {
  postgres = await startPostgres();
  pool = new Pool({ connectionString: postgres.url, max: 30 });
  await pool.query('CREATE TABLE leads (id bigserial PRIMARY KEY, name text, email text)');
}, 120_000);

afterEach(async () => {
  await Promise.all(inboxes.splice(0).map((inbox) => inbox.close()));
  await pool.query('DROP SCHEMA pgboss CASCADE; DROP TABLE handled_webhooks; TRUNCATE leads');
});

afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

/** Creates an inbox, which is closed when the test ends. */
async function createInbox(options: PostgresInboxOptions = {}): Promise<PostgresInbox> {
  const inbox = await createPostgresInbox(pool, {
    attempts: 3,
    retryDelay: 0,
    onError: () => undefined,
    ...options,
  });
  inboxes.push(inbox);
  return inbox;
}

const leads = async () => (await pool.query<{ email: string }>('SELECT email FROM leads')).rows;
const eventually = <Value>(check: () => Value | Promise<Value>) =>
  vi.waitFor(check, { timeout: 30_000, interval: 20 });

test.each(inboxConformance)('the inbox on Postgres keeps the rule: $name', { timeout: 60_000 }, ({ run }) =>
  expect(
    run(async () => {
      const inbox = await createInbox();
      const work = (process: ProcessStored) => {
        const stop = inbox.work(process);
        return () => stop(0);
      };
      return { inbox, work, deadLetters: () => inbox.deadLetters() };
    }),
  ).resolves.toBeUndefined(),
);

test('a worker that is stopped while it takes an event gives the event back', async () => {
  const inbox = await createInbox();
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  await receiver.handle(post('lead_captured'));
  await inbox.work(() => new Promise(() => undefined))(0);
  const handled: string[] = [];
  const stop = inbox.work(async ({ type }) => void handled.push(type));
  await eventually(() => expect(handled).toEqual(['lead_captured']));
  await stop();
});

test('rolls back what a failing handler has written, and commits it once when it succeeds', async () => {
  const inbox = await createInbox();
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  const worker = createWebhookHandlers({ logger: new RecordingLogger() });
  let runs = 0;
  worker.on('lead_captured', async ({ payload }) => {
    runs += 1;
    await transaction().query('INSERT INTO leads (email) VALUES ($1)', [payload.leadEmail]);
    if (runs < 3) throw new Error('away');
  });
  await receiver.handle(post('lead_captured', { leadEmail: 'a@acme.example' }));
  const stop = inbox.work((stored, options) => worker.process(stored, options));
  await eventually(async () => expect(await leads()).toEqual([{ email: 'a@acme.example' }]));
  expect(runs).toBe(3);
  await stop();
});

test('replays dead letters of both kinds', async () => {
  const inbox = await createInbox();
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  await receiver.handle(post('lead_captured'));
  await receiver.handle(post('agent_deleted', { agentId: null }));
  let isAway = true;
  const handled: string[] = [];
  const worker = createWebhookHandlers({ logger: new RecordingLogger() });
  worker.on('lead_captured', ({ type }) => {
    if (isAway) throw new Error('away');
    handled.push(type);
  });
  const stop = inbox.work((stored, options) => worker.process(stored, options));
  await eventually(async () => expect(await inbox.deadLetters()).toHaveLength(2));
  isAway = false;
  worker.onInvalid(({ type }) => handled.push(String(type)));
  expect(await inbox.replay()).toBe(2);
  await eventually(() => expect(handled.sort()).toEqual(['agent_deleted', 'lead_captured']));
  expect(await inbox.deadLetters()).toEqual([]);
  await stop();
});

test('postgres-inbox stores in one process, writes in another, and both exit after SIGTERM', async () => {
  const port = String(await freePort());
  const receiver = startExample('postgres-inbox/receiver', {
    DATABASE_URL: postgres.url,
    PORT: port,
    AGENT_PLATFORM_WEBHOOK_SECRET: secret,
  });
  await eventually(() => expect(receiver.lines).toContain('receiving'));
  const body = delivery('lead_captured', { leadEmail: 'a@acme.example' });
  const { status } = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
  expect(status).toBe(200);
  const worker = startExample('postgres-inbox/worker', { DATABASE_URL: postgres.url });
  await eventually(() => expect(worker.lines).toContain('lead: a@acme.example'));
  await eventually(async () => expect(await leads()).toEqual([{ email: 'a@acme.example' }]));
  for (const { end } of [receiver, worker]) expect(await end()).toEqual([0, null]);
}, 90_000);
