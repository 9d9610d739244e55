import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, hang, processing, record, settled, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { minimal } from '../webhooks/deliveries.js';
import { createInbox, schema, sql, sweepSoon, url } from './inbox-fixture.js';

test('text that neither text nor JSON of Postgres can hold is kept, and so is a type of any length', async () => {
  const inbox = createInbox();
  const found: unknown[] = [];
  inbox.work(processing(async ({ type, payload }) => void found.push([type, payload])));
  const odd = { type: 'no\0thing \ud800 "\\', payload: { text: 'a\0\ud800' } };
  const long = { type: 'x'.repeat(10_000), payload: {} };
  await Promise.all([odd, long].map((event) => inbox.store(stored(event))));
  await settled(inbox);
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining([odd, long].map(({ type, payload }) => [type, payload])));
});

test('retries and new events share one order, by when they became runnable', async () => {
  const inbox = createInbox();
  const keys: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    const event = stored();
    keys.push(event.key);
    await inbox.store(event);
  }
  const [first, second, third, fourth] = keys;
  // Two failed before, and became due again: one between the others, and one behind them.
  const due = `(SELECT due FROM $.events WHERE key = '${fourth}') + interval '1 microsecond'`;
  await sql(`UPDATE $.events SET state = 'retrying', failures = 1, due = ${due} WHERE key = '${first}'`);
  await sql(`UPDATE $.events SET state = 'retrying', failures = 1, due = stored WHERE key = '${third}'`);
  const order: string[] = [];
  inbox.work(
    processing(async ({ key }) => void order.push(key)),
    { concurrency: 1 },
  );
  await settled(inbox);
  expect(order).toEqual([second, third, fourth, first]);
});

test('events of a worker that died come back one by one, and not together', async () => {
  const inbox = createInbox();
  for (let count = 0; count < 50; count += 1) await inbox.store(stored());
  await sql("UPDATE $.events SET state = 'running', worker = gen_random_uuid(), run = 1");
  inbox.work({ agent_deleted: () => undefined }, { lockDuration: 400 });
  const rows = await eventually(async () => {
    const all = await sql(
      "SELECT extract(epoch FROM due)::float8 * 1000 AS due FROM $.events WHERE state = 'retrying' AND stalls = 1",
    );
    expect(all).toHaveLength(50);
    return all.map(({ due }) => Number(due));
  });
  expect(Math.max(...rows) - Math.min(...rows)).toBeGreaterThan(80);
});

test('dead letters and keys are deleted in time, and events that nobody handles become dead letters', async () => {
  sweepSoon();
  const { hooks, calls } = record();
  const inbox = createInbox({ attempts: 1, deadLetterRetention: 500, retention: 1, hooks });
  await inbox.store(stored({ type: 'agent_deleted', payload: minimal.agent_deleted }));
  await inbox.store(stored());
  inbox.work({ lead_captured: () => undefined }, { lockDuration: 300 });
  await eventually(() => expect(calls).toContain('dead letter'));
  await eventually(async () => expect(await sql('SELECT * FROM $.events')).toEqual([]));
});

test('what is taken is found in the index, however many others wait or are to be retried', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  await sql(`INSERT INTO $.events (key, type, state, due, wait, received, data)
    SELECT md5(random()::text || i), o.type, o.state, now() + interval '1 hour', 3600000, 1, '{}'
    FROM generate_series(1, 20000) i, (VALUES ('agent_deleted', 'waiting'), ('lead_captured', 'retrying')) AS o (type, state)`);
  await sql('ANALYZE $.events');
  // It reads all rows too.
  await sql('ALTER TABLE $.events SET (autovacuum_enabled = false)');
  const read = async () => {
    await sql('SELECT pg_stat_clear_snapshot()');
    const [row] = await sql(`SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) + (SELECT sum(idx_tup_read)
      FROM pg_stat_user_indexes WHERE schemaname = '${schema}' AND relname = 'events') AS rows
      FROM pg_stat_user_tables WHERE schemaname = '${schema}' AND relname = 'events'`);
    return Number(row?.rows);
  };
  // What it runs never ends, and there are places left: it looks again and again.
  inbox.work({ lead_captured: hang }, { concurrency: 3 });
  await eventually(async () => {
    expect(await sql("SELECT 1 FROM $.events WHERE state = 'running'")).toHaveLength(1);
  });
  // Statistics come late.
  await sleep(2_500);
  const before = await read();
  for (let count = 0; count < 20; count += 1) await inbox.store(stored());
  await sleep(2_500);
  expect((await read()) - before).toBeLessThan(1_000);
});

test('an event that was taken by a query which seems to have failed runs all the same', async () => {
  let failures = 0;
  // One query of a worker is done, and its answer is lost.
  class Flaky extends Pool {
    override query = (async (...args: [text: string, values?: unknown[]]) => {
      const result: unknown = await Reflect.apply(Pool.prototype.query, this, args);
      if (failures > 0 || (await sql("SELECT 1 FROM $.events WHERE state = 'running'")).length === 0)
        return result;
      failures += 1;
      throw new Error('Connection terminated unexpectedly');
    }) as never;
  }
  const own = new Flaky({ connectionString: url });
  onTestFinished(() => own.end());
  const { hooks, calls } = record();
  const inbox = createInbox({ pool: own, hooks });
  await inbox.store(stored());
  inbox.work({ lead_captured: () => undefined }, { lockDuration: 600 });
  await eventually(() => expect([failures, calls]).toEqual([1, ['handled']]));
});

test('a duplicate is never stored beside the end of its first run', async () => {
  const [one, other, worker] = [createInbox(), createInbox(), createInbox()];
  const counts = new Map<string, number>();
  const count = async ({ key }: { key: string }) => void counts.set(key, (counts.get(key) ?? 0) + 1);
  worker.work(processing(count), { concurrency: 20 });
  await Promise.all(
    Array.from({ length: 100 }, () => stored()).map(async (event) => {
      for (let again = 0; again < 20; again += 1) await (again % 2 ? one : other).store(event);
    }),
  );
  await settled(one);
  expect([...counts.values()].filter((times) => times !== 1)).toEqual([]);
  expect(counts.size).toBe(100);
});

/** Sets the clock of the server for inboxes that connect with `skewed`: their `now()` is one of a schema before. */
async function skewable(): Promise<{ readonly skewed: string; set(days: number): Promise<unknown> }> {
  await sql(`CREATE SCHEMA IF NOT EXISTS fake`);
  await sql(`DROP TABLE IF EXISTS fake.clock CASCADE`);
  await sql(`CREATE TABLE fake.clock AS SELECT 0 AS days`);
  for (const name of ['now', 'clock_timestamp']) {
    await sql(`CREATE FUNCTION fake.${name}() RETURNS timestamptz LANGUAGE plpgsql STABLE AS
      $$ BEGIN RETURN pg_catalog.${name}() + (SELECT days FROM fake.clock) * interval '1 day'; END $$`);
  }
  onTestFinished(async () => void (await sql('DROP SCHEMA fake CASCADE')));
  return {
    skewed: `${url}?options=${encodeURIComponent('-c search_path=fake,pg_catalog')}`,
    set: (days) => sql(`UPDATE fake.clock SET days = ${days}`),
  };
}

test('no step of the server clock frees what runs, strands what waits, or deletes a dead letter', async () => {
  sweepSoon();
  const { skewed, set } = await skewable();
  const { hooks, calls } = record();
  const options = { connectionString: skewed, hooks, attempts: 2 };
  const inbox = createInbox(options);
  const [long, end] = [stored(), deferred()];
  const starts = new Map<string, number>();
  const handlers = processing(async ({ key, type }) => {
    starts.set(key, (starts.get(key) ?? 0) + 1);
    if (key === long.key) await end.promise;
    else if (type === 'agent_deleted' || starts.get(key) === 1) throw new Error('no');
  });
  for (const one of [inbox, createInbox(options)]) one.work(handlers, { lockDuration: 2_000 });
  await inbox.store(long);
  await inbox.store(stored({ type: 'agent_deleted' }));
  await eventually(async () => expect(await inbox.deadLetters.list()).toHaveLength(1));
  for (const days of [30, 0, -30, 0]) {
    await set(days);
    // Each fails once, and is retried.
    await Promise.all([1, 2, 3].map(() => inbox.store(stored())));
    await sleep(1_100);
  }
  end.resolve();
  await settled(inbox);
  expect(starts.get(long.key)).toBe(1);
  expect([...starts.values()].filter((count) => count === 2)).toHaveLength(13);
  expect(calls.filter((call) => call === 'handled')).toHaveLength(13);
  expect(await inbox.deadLetters.list()).toHaveLength(1);
});
