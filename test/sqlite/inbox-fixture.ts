import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteInbox, type SqliteInbox, type SqliteInboxOptions } from 'agent-platform-sdk/sqlite';
import { afterEach, beforeEach, onTestFinished, vi } from 'vitest';
import { SWEEPING } from '../../src/inbox/rows/consumer.js';
import { loadRuntime, type Row, type SqliteConnection, type SqlValue } from '../../src/sqlite/runtime.js';
import { type Engine, quickOptions } from '../inbox/fixture.js';

const inboxes: SqliteInbox[] = [];
const folders: string[] = [];

/** The file of the test that is running. */
export let path: string;

beforeEach(() => {
  path = newPath();
});

afterEach(async () => {
  await Promise.all(inboxes.splice(0).map((inbox) => inbox.close({ grace: 0 })));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A path in a new folder, which is deleted when the test ends. */
export function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'inbox-'));
  folders.push(folder);
  return join(folder, 'webhooks.db');
}

/** An inbox in the file of the test. Closed when the test ends. */
export function createInbox(options: Partial<SqliteInboxOptions> = {}): SqliteInbox {
  const inbox = createSqliteInbox({ path, ...quickOptions(), ...options });
  inboxes.push(inbox);
  return inbox;
}

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

/** Deletes what is due after the time of a lock, and not after a minute. */
export function sweepSoon(): void {
  const { quiet } = SWEEPING;
  SWEEPING.quiet = 0;
  onTestFinished(() => {
    SWEEPING.quiet = quiet;
  });
}

export const rowsOf = (table: 'events' | 'handled' | 'workers' | 'marks'): Row[] =>
  inFile((database) => database.prepare(`SELECT * FROM ${table}`).all());

export const rowOf = (key: string): Row => rowsOf('events').find((row) => row.key === key) ?? {};

export const engine: Engine = {
  createInbox: (options) => createInbox(options),
  loseLocks: () =>
    inFile((database) =>
      database.exec("UPDATE events SET run = run + 1, worker = NULL WHERE state = 'running'"),
    ),
  bury: () =>
    inFile((database) =>
      database.exec("UPDATE events SET state = 'dead', worker = NULL, died = 1, due = 9e15, reason = 'no'"),
    ),
  block: async () => holdLock().release,
  readEverything: async () => JSON.stringify([rowsOf('events'), rowsOf('handled')]),
};
