import { expect, test } from 'vitest';
import { processing, stored } from '../inbox/fixture.js';
import { createInbox, inFile, path, rowsOf } from './inbox-fixture.js';

/** The tables of 0.4.0. */
const TABLES_OF_0_4 = `
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
  worker TEXT,
  replayed INTEGER NOT NULL DEFAULT 0,
  marked INTEGER NOT NULL DEFAULT 0,
  died INTEGER,
  reason TEXT,
  data TEXT NOT NULL
);
CREATE TABLE handled (key TEXT PRIMARY KEY, due INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX handled_by_due ON handled (due);
CREATE INDEX by_type ON events (state, type, due, received, failures, stalls);
CREATE INDEX dead_by_key ON events (key) WHERE state = 'dead';
CREATE TABLE marks (number INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, event INTEGER NOT NULL);
CREATE TABLE owner (name TEXT NOT NULL);
CREATE TABLE workers (id TEXT PRIMARY KEY, due INTEGER, lock INTEGER, beat INTEGER) WITHOUT ROWID;
PRAGMA journal_mode = WAL;
PRAGMA application_id = ${0x61707331};
PRAGMA user_version = 2;
`;

test('a file of 0.4 opens: what waits, failed or ran, and dead letters; its marks are left alone', async () => {
  const now = Date.now();
  const webhooks = inFile((file) => {
    file.exec(TABLES_OF_0_4);
    const states = {
      waiting: { due: 0 },
      retrying: { due: now + 50, failures: 1 },
      running: { due: 0, run: 1, worker: 'gone' },
      dead: { due: now + 86_400_000, died: now, reason: 'no', failures: 16, marked: 3 },
    };
    return Object.entries(states).map(([state, columns]) => {
      const webhook = stored();
      const { key, type } = webhook;
      const row = { key, type, state, received: now, data: JSON.stringify(webhook), ...columns };
      const names = Object.keys(row);
      const sql = `INSERT INTO events (${names.join()}) VALUES (${names.map(() => '?').join()})`;
      file.prepare(sql).run(...Object.values(row));
      return webhook;
    });
  });
  const inbox = createInbox();
  expect(await inbox.health()).toMatchObject({
    waiting: 1,
    retrying: 1,
    active: 1,
    deadLetters: 1,
    workers: 0,
  });
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => void handled.push(key)),
    { lockDuration: 100 },
  );
  await inbox.idle();
  const keys = webhooks.map(({ key }) => key);
  expect(handled.sort()).toEqual(keys.slice(0, -1).sort());
  expect(await inbox.deadLetters.list()).toMatchObject([{ id: keys.at(-1), reason: 'no', attempts: 16 }]);
  expect([rowsOf('handled').length, rowsOf('marks').length]).toEqual([3, 0]);
});

test.each([
  [1, /tables of version 1, not 2: this release cannot read them/],
  [3, /tables of version 3, not 2: update agent-platform-sdk/],
])('a file with tables of version %i is refused, with what to do', async (version, message) => {
  await createInbox().close();
  inFile((file) => file.exec(`PRAGMA user_version = ${version}`));
  expect(() => createInbox()).toThrow(
    expect.objectContaining({ name: 'ConfigurationError', option: 'path' }),
  );
  expect(() => createInbox({ path })).toThrow(message);
});
