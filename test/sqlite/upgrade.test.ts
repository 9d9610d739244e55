import { expect, test } from 'vitest';
import { loadRuntime } from '../../src/sqlite/runtime.js';
import { processing, stored } from '../inbox/fixture.js';
import { createInbox, path, rowsOf } from './inbox-fixture.js';

/** The tables of 0.3.0. */
const TABLES_OF_0_3 = `
CREATE TABLE events (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  state TEXT NOT NULL,
  due INTEGER NOT NULL,
  received INTEGER NOT NULL,
  run INTEGER NOT NULL DEFAULT 0,
  failures INTEGER NOT NULL DEFAULT 0,
  stalls INTEGER NOT NULL DEFAULT 0,
  parked INTEGER,
  died INTEGER,
  reason TEXT,
  data TEXT NOT NULL
);
CREATE INDEX by_due ON events (state, due, received);
CREATE INDEX parked_by_type ON events (type, due) WHERE state = 'parked';
CREATE TABLE handled (key TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX handled_by_due ON handled (due);
CREATE TABLE workers (id TEXT PRIMARY KEY, due INTEGER NOT NULL, types TEXT NOT NULL) WITHOUT ROWID;
PRAGMA application_id = ${0x61707331};
PRAGMA user_version = 1;
`;

test('a file of 0.3 opens: what waits, failed, ran, was parked or handled, and dead letters', async () => {
  const { DatabaseSync } = loadRuntime();
  const old = new DatabaseSync(path, { timeout: 0 });
  old.exec(TABLES_OF_0_3);
  const now = Date.now();
  const states: Record<string, object> = {
    waiting: { due: now },
    // The clock was ahead.
    ahead: { state: 'waiting', due: now + 3_600_000 },
    failed: { state: 'waiting', due: now + 50, failures: 1 },
    running: { due: now - 1, run: 1 },
    parked: { due: now + 86_400_000, parked: now, run: 1 },
    forever: { state: 'parked', due: Number.MAX_SAFE_INTEGER, parked: now, run: 2, failures: 1 },
    dead: { due: now + 86_400_000, died: now, reason: 'no', failures: 16 },
  };
  const webhooks = Object.entries(states).map(([state, columns]) => {
    const webhook = stored();
    const row = {
      key: webhook.key,
      type: webhook.type,
      state,
      received: now,
      data: JSON.stringify(webhook),
      ...columns,
    };
    const names = Object.keys(row);
    old
      .prepare(`INSERT INTO events (${names.join()}) VALUES (${names.map(() => '?').join()})`)
      .run(...Object.values(row));
    return webhook;
  });
  const before = stored();
  old.prepare('INSERT INTO handled VALUES (?, ?)').run(before.key, now + 3_600_000);
  old.prepare("INSERT INTO workers VALUES ('gone', 0, '[]')").run();
  old.close();

  const inbox = createInbox();
  expect(await inbox.health()).toMatchObject({
    waiting: 4,
    retrying: 1,
    active: 1,
    deadLetters: 1,
    workers: 0,
  });
  await inbox.store(before);
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => void handled.push(key)),
    { lockDuration: 100 },
  );
  await inbox.idle();
  const keys = webhooks.map(({ key }) => key);
  expect(handled.sort()).toEqual(keys.slice(0, -1).sort());
  expect(await inbox.deadLetters.list()).toMatchObject([{ id: keys.at(-1), reason: 'no', attempts: 16 }]);
  expect(rowsOf('handled')).toHaveLength(7);
});
