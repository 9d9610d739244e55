import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWebhookHandlers } from 'agent-platform-sdk';
import type { PostgresClient, PostgresInbox } from 'agent-platform-sdk/postgres';
import { Pool } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runExample } from '../inbox/example.js';
import { eventually, processing, record, settled, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, engine, pool, sql, url } from './inbox-fixture.js';

/** A table of the application, and what is in it. */
async function leadsTable(): Promise<() => Promise<unknown[]>> {
  await sql('CREATE TABLE IF NOT EXISTS leads (key text)');
  await sql('TRUNCATE leads');
  return async () => (await sql('SELECT key FROM leads')).map(({ key }) => key);
}

/** Waits for a dead letter, and returns its reason. */
async function reasonOfLetter(inbox: PostgresInbox): Promise<string | undefined> {
  return eventually(async () => {
    const letters = await inbox.deadLetters.list();
    expect(letters).toHaveLength(1);
    return letters[0]?.reason;
  });
}

type Write = (inbox: PostgresInbox, key: string, before?: () => unknown) => Promise<unknown>;

const insert = (key: string) => (client: PostgresClient) =>
  client.query('INSERT INTO leads VALUES ($1)', [key]);

const inTransaction: Write = async (inbox, key, before) => {
  const result = inbox.transaction(key, async (client) => {
    await insert(key)(client);
    await before?.();
    return 'written';
  });
  expect(await result).toBe('written');
};

/** Completes the event as another driver does, in a transaction that is not the inbox's. */
const withCompletion: Write = async (inbox, key, before) => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await insert(key)(client);
    await before?.();
    await client.query(inbox.completion(key));
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
};

const ways: [string, Write][] = [
  ['transaction', inTransaction],
  ['completion', withCompletion],
];

test.each(ways)('what a handler writes and the end of its event happen together: %s', async (_, write) => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const leads = await leadsTable();
  let runs = 0;
  const failTwice = () => {
    runs += 1;
    if (runs < 3) throw new Error('no');
  };
  inbox.work(processing(({ key }) => write(inbox, key, failTwice).then(() => undefined)));
  const event = stored();
  await inbox.store(event);
  await settled(inbox);
  await inbox.store(event);
  await settled(inbox);
  await eventually(() => expect(calls).toEqual(['retry', 'retry', 'handled']));
  expect(await leads()).toEqual([event.key]);
});

test.each(ways)(
  'what a handler throws afterwards is reported, and the event runs no more: %s',
  async (_, write) => {
    const { hooks, calls } = record();
    const logger = new RecordingLogger();
    const inbox = createInbox({ hooks, logger });
    const leads = await leadsTable();
    const onError = vi.fn();
    let runs = 0;
    const handle = async (_event: unknown, { eventKey }: { eventKey: string }) => {
      runs += 1;
      await write(inbox, eventKey);
      throw new Error('after');
    };
    inbox.work({ lead_captured: handle }, { onError });
    const event = stored();
    await inbox.store(event);
    await eventually(() => expect(logger.lines.join()).toContain(`the handler of ${event.key} failed after`));
    await settled(inbox);
    await sleep(300);
    expect([runs, calls, onError.mock.calls.length]).toEqual([1, [], 1]);
    expect(await leads()).toEqual([event.key]);
  },
);

test.each(ways)('a run whose event another run has taken over writes nothing: %s', async (way, write) => {
  const inbox = createInbox();
  const leads = await leadsTable();
  const errors: unknown[] = [];
  let runs = 0;
  inbox.work(
    processing(async ({ key }) => {
      runs += 1;
      if (runs === 1) await engine.loseLocks();
      await write(inbox, key).catch((error: unknown) => {
        errors.push(error);
        throw error;
      });
    }),
    // A busy machine would lose shorter locks by itself.
    { lockDuration: 5_000 },
  );
  const event = stored();
  await inbox.store(event);
  await settled(inbox);
  expect(await leads()).toEqual([event.key]);
  const error = way === 'transaction' ? { name: 'WebhookError' } : { code: 'AP001' };
  expect(errors).toEqual([
    expect.objectContaining({ ...error, message: expect.stringMatching(/Another run/) }),
  ]);
});

test.each(ways)('a transaction inside that of the same event is refused: %s', async (_, write) => {
  const inbox = createInbox({ attempts: 1 });
  const leads = await leadsTable();
  inbox.work(
    processing(({ key }) =>
      inbox.transaction(key, async (client) => {
        await insert('outer')(client);
        await write(inbox, key);
      }),
    ),
  );
  await inbox.store(stored());
  expect(await reasonOfLetter(inbox)).toContain('A transaction is open that does. Write with its client.');
  expect(await leads()).toEqual([]);
});

test('a run that failed after it had lost its lock keeps no later run here from its transaction', async () => {
  const inbox = createInbox();
  const leads = await leadsTable();
  let runs = 0;
  inbox.work(
    processing(async ({ key }, options) => {
      const signal = options?.signal ?? AbortSignal.abort();
      runs += 1;
      if (runs === 3) return void (await inTransaction(inbox, key));
      if (runs === 2) throw new Error('no');
      await engine.loseLocks();
      await once(signal, 'abort');
      throw new Error('lost');
    }),
    { lockDuration: 300 },
  );
  const event = stored();
  await inbox.store(event);
  await settled(inbox);
  expect([runs, await leads()]).toEqual([3, [event.key]]);
});

test.each(ways)('an event with two handlers is refused: %s', async (_, write) => {
  const inbox = createInbox({ attempts: 1 });
  const leads = await leadsTable();
  const handle = (_event: unknown, { eventKey }: { eventKey: string }) => write(inbox, eventKey);
  inbox.work(
    createWebhookHandlers({ logLevel: 'off' })
      .on('lead_captured', handle)
      .onAny(() => undefined),
  );
  await inbox.store(stored());
  expect(await reasonOfLetter(inbox)).toContain('lead_captured has 2 handlers');
  expect(await leads()).toEqual([]);
});

test('a transaction gives its connection back as it was, also one that fails', async () => {
  const own = new Pool({ connectionString: url, max: 1 });
  own.on('error', () => undefined);
  onTestFinished(() => own.end());
  const inbox = createInbox({ pool: own });
  const listeners: number[] = [];
  inbox.work(
    processing(({ key }) =>
      inbox.transaction(key, async (client) => {
        listeners.push(client.listenerCount('error'));
        if (listeners.length === 2) throw new Error('no');
      }),
    ),
  );
  for (let count = 0; count < 4; count += 1) await inbox.store(stored());
  await settled(inbox);
  expect([listeners.length, new Set(listeners).size]).toEqual([5, 1]);
});

test('an event that does not run here is refused', async () => {
  const inbox = createInbox();
  const nothing = /nothing does not run in this process/;
  await expect(inbox.transaction('nothing', async () => 1)).rejects.toThrow(nothing);
  expect(() => inbox.completion('nothing')).toThrow(nothing);
});

test('a commit whose answer is lost counts', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const leads = await leadsTable();
  let runs = 0;
  inbox.work(
    processing(async ({ key }) => {
      runs += 1;
      await inbox.transaction(key, async (client) => {
        await insert(key)(client);
        const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
        client.query = (async (...args: unknown[]) => {
          await query(...args);
          if (args[0] === 'COMMIT') throw new Error('Connection terminated unexpectedly');
        }) as never;
      });
    }),
  );
  const event = stored();
  await inbox.store(event);
  await settled(inbox);
  await sleep(200);
  expect([runs, calls, await leads()]).toEqual([1, [], [event.key]]);
});

test('a transaction that holds its row keeps no other event from being stored or ended', async () => {
  const inbox = createInbox();
  await leadsTable();
  const held = deferred();
  const first = stored();
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => {
      if (key === first.key) {
        const client = await pool.connect();
        await client.query('BEGIN');
        await client.query(inbox.completion(key));
        await held.promise;
        await client.query('COMMIT');
        client.release();
      }
      handled.push(key);
    }),
    { handlerTimeout: 200 },
  );
  await inbox.store(first);
  await eventually(async () => {
    const locks = await sql("SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'");
    expect(locks).toHaveLength(1);
  });
  // The run of the first has timed out by then: its end waits for the row.
  await sleep(300);
  const second = stored();
  await Promise.all([inbox.store(first), inbox.store(second)]);
  await eventually(() => expect(handled).toEqual([second.key]));
  held.resolve();
  await settled(inbox);
  expect(handled).toEqual([second.key, first.key]);
});

test('postgres-inbox stores in one process, writes in another, and both end after SIGTERM', async () => {
  await sql('DROP TABLE IF EXISTS leads');
  await sql(readFileSync('examples/postgres-inbox/leads.sql', 'utf8'));
  await runExample('postgres-inbox', { DATABASE_URL: url });
  expect(await sql('SELECT email FROM leads')).toEqual([{ email: 'a@acme.example' }]);
});
