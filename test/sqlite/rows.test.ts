import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime } from '../../src/sqlite/runtime.js';
import { eventually, processing, settled, stored } from '../inbox/fixture.js';
import { sweepSoon, testRows } from '../inbox/rows.js';
import { deferred } from '../support/deferred.js';
import { minimal } from '../webhooks/deliveries.js';
import { createInbox, engine, inFile, onStatement, rowOf, rowsOf } from './inbox-fixture.js';

testRows(engine);

test('events run in the order in which they became runnable: received, due again, or replayed', async () => {
  const inbox = createInbox();
  const now = Date.now();
  const webhooks = [5, 4, 3, 2, 1, -3_600].map((age) => stored({ receivedAt: now - age * 1_000 }));
  for (const webhook of webhooks) await inbox.store(webhook);
  expect(rowsOf('events').map(({ due }) => due)).toEqual(Array(6).fill(0));
  const [, retry, replayed] = webhooks.map(({ key }) => key);
  inFile((file) => {
    file.exec(`UPDATE events SET state = 'retrying', due = ${now - 1_500} WHERE key = '${retry}';
      UPDATE events SET state = 'dead', due = 9e15, died = 1, reason = 'no' WHERE key = '${replayed}'`);
  });
  expect(await inbox.deadLetters.replay(String(replayed))).toBe(true);
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => void handled.push(key)),
    { concurrency: 1 },
  );
  await eventually(() => expect(handled).toHaveLength(6));
  expect(handled).toEqual([0, 3, 1, 4, 2, 5].map((index) => webhooks[index]?.key));
});

test('an event that was taken by a commit which seems to have failed runs all the same', async () => {
  await createInbox().store(stored());
  let failures = 0;
  onStatement('COMMIT', (run) => {
    const result = run();
    if (failures > 0 || rowsOf('events')[0]?.state !== 'running') return result;
    failures += 1;
    throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
  });
  const { promise, resolve } = deferred();
  createInbox().work({ lead_captured: resolve }, { lockDuration: 400 });
  await promise;
  expect(failures).toBe(1);
});

test('no id is used twice, so that a late run cannot end another event', async () => {
  const inbox = createInbox();
  const [first, second] = [stored(), stored()];
  await inbox.store(first);
  const { id } = rowOf(first.key);
  const worker = inbox.work({ lead_captured: () => undefined });
  await settled(inbox);
  await worker.close();
  await inbox.store(second);
  expect(Number(rowOf(second.key).id)).toBeGreaterThan(Number(id));
});

test('all keys are forgotten that are due, however many, between two beats', async () => {
  sweepSoon();
  const inbox = createInbox({ retention: 1 });
  inFile((file) => {
    file.exec(`INSERT INTO handled WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      SELECT 'key ' || i, i FROM n`);
  });
  const beats = () => Number(rowsOf('workers').find(({ id }) => id !== 'probe')?.beat);
  inbox.work({}, { lockDuration: 2_000 });
  await eventually(() => expect(rowsOf('handled').length).toBeLessThan(5_000));
  const before = beats();
  await eventually(() => expect(rowsOf('handled')).toEqual([]));
  // A batch a beat would take ten.
  expect(beats() - before).toBeLessThan(5);
});

test('what is taken is found by its type in the index, and not by looking through all that wait', async () => {
  const prepare = vi.spyOn(loadRuntime().DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  const inbox = createInbox();
  await inbox.store(stored({ type: 'agent_deleted', payload: minimal.agent_deleted }));
  await inbox.store(stored());
  const { promise, resolve } = deferred();
  inbox.work({ lead_captured: resolve });
  await promise;
  const explain = (sql: string) =>
    inFile((file) => file.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()).map(({ detail }) => String(detail));
  const statements = prepare.mock.calls
    .map(([sql]) => String(sql))
    .filter((sql) => /^(SELECT|UPDATE|WITH)/.test(sql));
  const plans = statements.flatMap(explain).join('\n');
  expect(plans).toContain('by_type');
  expect(plans).not.toContain('SCAN events');
});
