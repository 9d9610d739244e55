import { statSync } from 'node:fs';
import { createSqliteInbox, type SqliteInbox, type SqliteInboxOptions } from 'agent-platform-sdk/sqlite';
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest';
import { loadRuntime, type Row, type SqliteConnection, type SqlValue } from '../../src/sqlite/runtime.js';
import { quickOptions } from '../inbox/fixture.js';
import type { RowEngine } from '../inbox/rows.js';
import { newPath } from '../support/new-file.js';

const inboxes: SqliteInbox[] = [];

/** The file of the test that is running. */
export let path: string;

beforeEach(() => {
  path = newPath('webhooks.db');
});

afterEach(async () => {
  await Promise.all(inboxes.splice(0).map((inbox) => inbox.close({ grace: 0 })));
});

/** An inbox in the file of the test. Closed when the test ends. */
export function createInbox(options: Partial<SqliteInboxOptions> = {}): SqliteInbox {
  const inbox = createSqliteInbox({ path, ...quickOptions(), ...options });
  inboxes.push(inbox);
  return inbox;
}

/** The permissions of a file, as `chmod` takes them. */
export const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

/** Opens the file beside the inbox, as another process does. */
export function inFile<Value>(look: (database: SqliteConnection) => Value): Value {
  const { DatabaseSync } = loadRuntime();
  const database = new DatabaseSync(path, { timeout: 5_000 });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** Writes to the file until it is released, as another process does. */
export function holdLock(): { release(): void } {
  const { DatabaseSync } = loadRuntime();
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  return { release: () => database.close() };
}

/**
 * Calls `act` around each statement of a kind (its first word), on connections that are opened from now on, until the
 * test ends. `act` runs the statement, or throws in its place.
 */
export function onStatement(kind: string, act: (run: () => unknown) => unknown): void {
  const { prototype } = loadRuntime().DatabaseSync;
  const prepare = prototype.prepare;
  const spy = vi.spyOn(prototype, 'prepare').mockImplementation(function (this: SqliteConnection, sql) {
    const statement = prepare.call(this, sql);
    if (String(sql).split(' ', 1)[0] !== kind) return statement;
    // Our own code calls no other method of a statement of such a kind.
    const run = (...values: SqlValue[]) => act(() => statement.run(...values)) as { changes: number };
    return { run, all: (...values: SqlValue[]) => statement.all(...values) };
  });
  onTestFinished(() => spy.mockRestore());
}

export const rowsOf = (table: 'events' | 'handled' | 'workers' | 'marks'): Row[] =>
  inFile((database) => database.prepare(`SELECT * FROM ${table}`).all());

export const rowOf = (key: string): Row => rowsOf('events').find((row) => row.key === key) ?? {};

const sql = (text: string) =>
  inFile((file) => file.exec(text.replaceAll('$.', '').replaceAll('NEVER', '9e15')));

export const engine: RowEngine = {
  createInbox: (options) => createInbox(options),
  loseLocks: () => sql("UPDATE events SET run = run + 1, worker = NULL WHERE state = 'running'"),
  bury: () => sql("UPDATE events SET state = 'dead', worker = NULL, died = 1, due = NEVER, reason = 'no'"),
  block: async () => holdLock().release,
  readEverything: async () => JSON.stringify([rowsOf('events'), rowsOf('handled')]),
  sql,
  events: async () => rowsOf('events'),
  age: (ms) => sql(`UPDATE events SET received = received - ${ms}`),
  fakeClock: async () => {
    const real = Date.now;
    const now = vi.spyOn(Date, 'now');
    onTestFinished(() => now.mockRestore());
    return { createInbox, set: (ms) => now.mockImplementation(() => real() + ms) };
  },
};
