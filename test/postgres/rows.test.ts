import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, hang, processing, record, settled, stored } from '../inbox/fixture.js';
import { sweepSoon, testRows } from '../inbox/rows.js';
import { createInbox, engine, schema, sql, url } from './inbox-fixture.js';

testRows(engine);

test('a type that no text of Postgres can hold, and one that no index can, reach their handlers', async () => {
  const inbox = createInbox();
  // Longer than a row of an index, and nothing that Postgres could compress.
  const types = ['no\0thing \ud800 "\\', randomBytes(10_000).toString('hex')];
  for (const type of types) await inbox.store(stored({ type }));
  const found: string[] = [];
  inbox.work(
    processing(async ({ type }) => void found.push(type)),
    { concurrency: 1 },
  );
  await settled(inbox);
  expect(found).toEqual(types);
});

test('retries and new events share one order, by when they became runnable', async () => {
  const inbox = createInbox();
  const events = [stored(), stored(), stored(), stored()];
  for (const event of events) await inbox.store(event);
  const [first, second, third, fourth] = events.map(({ key }) => key);
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

test('all keys are forgotten that are due, however many, between two beats', async () => {
  sweepSoon();
  const inbox = createInbox();
  await inbox.health();
  await sql(`INSERT INTO $.events (key, type, state, due, received, data)
    SELECT i, '', 'done', '-infinity', 0, '' FROM generate_series(1, 5000) i`);
  const read = async (value: string) => Number((await sql(`SELECT ${value} AS value`))[0]?.value);
  const left = () => read('(SELECT count(*) FROM $.events)');
  const beats = () => read('(SELECT max(beat) FROM $.workers)');
  inbox.work({}, { lockDuration: 2_000 });
  await eventually(async () => expect(await left()).toBeLessThan(5_000));
  const before = await beats();
  await eventually(async () => expect(await left()).toBe(0));
  // A batch a beat would take ten.
  expect((await beats()) - before).toBeLessThan(5);
});

test('an event that was taken by a query which seems to have failed runs all the same', async () => {
  let failures = 0;
  // One take of a worker is done, and its answer is lost.
  class Flaky extends Client {
    override query = ((text: string, values: unknown[], done: (error?: unknown, result?: unknown) => void) =>
      Reflect.apply(Client.prototype.query, this, [
        text,
        values,
        (error: unknown, result?: { rows: unknown[] }) => {
          const isLost = failures === 0 && text.startsWith('WITH next') && result?.rows.length === 1;
          if (isLost) failures += 1;
          done(isLost ? new Error('Connection terminated unexpectedly') : error, result);
        },
      ])) as never;
  }
  const own = new Pool({ connectionString: url, Client: Flaky });
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
