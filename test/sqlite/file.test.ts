import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime, type SqliteConnection } from '../../src/sqlite/runtime.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { newPath } from '../support/new-file.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, inFile, modeOf, onStatement, path, rowsOf } from './inbox-fixture.js';

test('the file and those beside it are for their owner alone, and one that exists keeps its mode', async () => {
  await createInbox().store(stored());
  expect(['', '-wal', '-shm'].map((end) => modeOf(path + end))).toEqual(['600', '600', '600']);
  const other = newPath();
  writeFileSync(other, '');
  chmodSync(other, 0o660);
  createInbox({ path: other });
  expect(modeOf(other)).toBe('660');
});

/** Lets the file system refuse to create the file. */
function failToCreate(code: string): void {
  const open = vi.spyOn(loadRuntime().fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  onTestFinished(() => open.mockRestore());
}

/** In another user's file of mode 0644, in a folder that we may write, a transaction can begin, and a write fails. */
async function failToWrite(statement: string): Promise<void> {
  await createInbox().close();
  onStatement(statement, () => {
    // https://sqlite.org/rescode.html
    throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 });
  });
}

async function makeVersion(version: number): Promise<void> {
  await createInbox().close();
  inFile((file) => file.exec(`PRAGMA user_version = ${version}`));
}

const TEXT = 'not a database, and long enough to have a header of a hundred bytes. ';
const DENIED = 'This process needs permission to write it';

test.each<[what: string, arrange: () => unknown, message: string]>([
  ['a text', () => writeFileSync(path, TEXT.repeat(3)), 'not a database'],
  ['a folder', () => mkdirSync(path), 'It is a folder: add the name of a file'],
  ['a link that leads to itself', () => symlinkSync(path, path), 'It is a link that leads back to itself'],
  ['in the folder of another user', () => failToCreate('EACCES'), DENIED],
  ['on a read-only file system', () => failToCreate('EROFS'), DENIED],
  ['on a full disk', () => failToCreate('ENOSPC'), 'There is no room on its disk'],
  ['not to be locked', () => failToWrite('BEGIN'), DENIED],
  ['not to be written', () => failToWrite('DELETE'), DENIED],
  ['of another program', () => inFile((file) => file.exec('CREATE TABLE events (id)')), 'of another program'],
  ['of an earlier version', () => makeVersion(1), 'version 1, not 2: this release cannot read them'],
  ['of a later version', () => makeVersion(3), 'version 3, not 2: update agent-platform-sdk'],
  [
    'of another application',
    // Processes without a name are not refused.
    () => ['crm', 'crm', undefined].map((application) => createInbox({ application })),
    'belongs to the application crm, not billing',
  ],
])('a file is refused, and not changed, that is %s', async (_, arrange, message) => {
  await arrange();
  const content = () => existsSync(path) && statSync(path).isFile() && readFileSync(path);
  const before = content();
  expect(() => createSqliteInbox({ path, application: 'billing' })).toThrow(
    expect.objectContaining({
      name: 'ConfigurationError',
      option: 'path',
      message: expect.stringContaining(message),
    }),
  );
  expect(content()).toEqual(before);
});

test('a path in a missing folder, which is not created, and one that is too long are refused', () => {
  const missing = join(dirname(path), 'volume');
  const create = (...names: string[]) => createSqliteInbox({ path: join(missing, ...names) });
  expect(() => create('w.db')).toThrow('Create its folder, or mount the volume');
  expect(existsSync(missing)).toBe(false);
  const long = ['f'.repeat(200), 'f'.repeat(200), 'f'.repeat(120)];
  mkdirSync(join(missing, ...long), { recursive: true });
  expect(() => create(...long, 'w.db')).toThrow('longer than 504 bytes');
});

test('several processes can open a new file at the same time', async () => {
  let isFirst = true;
  onStatement('BEGIN', (run) => {
    if (isFirst) {
      isFirst = false;
      // Another process is faster.
      createInbox();
    }
    return run();
  });
  await createInbox().store(stored());
  expect(rowsOf('events')).toHaveLength(1);
});

test('every commit is on the disk, whatever the file was used with before', async () => {
  await createInbox().close();
  inFile((file) => file.exec('PRAGMA journal_mode = DELETE'));
  const prepare = vi.spyOn(loadRuntime().DatabaseSync.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  createInbox();
  const connection = prepare.mock.contexts.at(-1) as SqliteConnection;
  const pragma = (name: string) => Object.values(connection.prepare(`PRAGMA ${name}`).all()[0] ?? {})[0];
  const names = [
    'journal_mode',
    'synchronous',
    'fullfsync',
    'checkpoint_fullfsync',
    'temp_store',
    'busy_timeout',
  ];
  expect(names.map(pragma)).toEqual(['wal', 2, 1, 1, 2, 0]);
});

test('when a later release changes the file during a deploy, this one writes nothing more', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  inFile((file) => file.exec('PRAGMA user_version = 3'));
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) });
  await expect(inbox.store(stored())).rejects.toThrow(/The file has tables of version 3.*update/);
  expect(await inbox.health()).toMatchObject({ ready: false, warnings: { refused: expect.any(String) } });
  expect([runs, rowsOf('events').map(({ state }) => state)]).toEqual([0, ['waiting']]);
});

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

test('a file of 0.4 is used as it is: what waits, failed or ran, and dead letters', async () => {
  inFile((file) => file.exec(TABLES_OF_0_4));
  const inbox = createInbox();
  const events = [stored(), stored(), stored(), stored()];
  for (const event of events) await inbox.store(event);
  const now = Date.now();
  inFile((file) =>
    file.exec(`UPDATE events SET state = 'retrying', due = ${now + 50}, failures = 1 WHERE id = 2;
      UPDATE events SET state = 'running', run = 1, worker = 'gone' WHERE id = 3;
      UPDATE events SET state = 'dead', due = ${now + 86_400_000}, died = ${now}, reason = 'no', failures = 16, marked = 3
        WHERE id = 4`),
  );
  expect(await inbox.health()).toMatchObject({ waiting: 1, retrying: 1, active: 1, deadLetters: 1 });
  const handled: string[] = [];
  inbox.work(
    processing(async ({ key }) => void handled.push(key)),
    { lockDuration: 100 },
  );
  await inbox.idle();
  const keys = events.map(({ key }) => key);
  expect(handled.sort()).toEqual(keys.slice(0, -1));
  expect(await inbox.deadLetters.list()).toMatchObject([{ id: keys[3], reason: 'no', attempts: 16 }]);
  expect([rowsOf('handled').length, rowsOf('marks').length]).toEqual([3, 0]);
});

/** Overwrites the page of the file that contains a text. */
function damagePageOf(text: string): void {
  const content = readFileSync(path);
  const start = Math.floor(content.indexOf(text) / 4_096) * 4_096;
  writeFileSync(path, content.fill(0, start, start + 4_096));
}

test('what can be read of a damaged file is handled, and the damage is reported', async () => {
  const before = createInbox();
  const webhooks = Array.from({ length: 60 }, (_, index) =>
    stored({ payload: { text: `event ${index}. ${'x'.repeat(1_000)}` } }),
  );
  for (const webhook of webhooks) await before.store(webhook);
  await before.close();
  damagePageOf('event 30.');

  const logger = new RecordingLogger();
  const inbox = createInbox({ logger });
  const handled = new Set<string>();
  inbox.work(processing(async ({ key }) => void handled.add(key)));
  const later = stored();
  await inbox.store(later);
  await eventually(() => {
    expect(handled).toContain(later.key);
    // All but those in the page.
    expect(handled.size).toBeGreaterThanOrEqual(58);
  });
  const { ready, warnings } = await inbox.health();
  expect([ready, warnings]).toEqual([
    true,
    { damaged: expect.stringMatching(/malformed: see "A damaged file"/) },
  ]);
  expect(logger.lines.join()).toMatch(/error .*inbox: the file failed: .*malformed/);
}, 60_000);

test('the row of an event that damage has changed becomes a dead letter', async () => {
  const inbox = createInbox();
  const webhook = stored();
  await inbox.store(webhook);
  inFile((file) => file.exec('UPDATE events SET data = substr(data, 10)'));
  inbox.work({ lead_captured: () => undefined });
  await eventually(async () => expect(await inbox.deadLetters.get(webhook.key)).toBeDefined());
  expect(await inbox.deadLetters.list()).toMatchObject([
    {
      webhook: { key: webhook.key, type: 'lead_captured' },
      reason: expect.stringContaining('stored webhook'),
    },
  ]);
});

test.each([
  ['tmpfs', 0x01021994, 'persistence', /tmpfs, which a restart empties/],
  ['the layer of a container', 0x794c7630, 'persistence', /layer of a container/],
  ['ramfs', 0x858458f6, 'persistence', /ramfs, which a restart empties/],
  ['FUSE', 0x65735546, 'remote', /FUSE, where locks may not work/],
  ['NFS', 0x6969, 'remote', /NFS, where locks may not work/],
])('a file on %s is warned of', async (_, type, kind, warning) => {
  const { fs } = loadRuntime();
  const real = fs.statfsSync('.');
  const statfs = vi.spyOn(fs, 'statfsSync').mockReturnValue(Object.assign(real, { type }) as never);
  onTestFinished(() => statfs.mockRestore());
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger, backoff: undefined });
  expect(logger.lines).toEqual([expect.stringMatching(warning)]);
  expect(await inbox.health()).toMatchObject({
    ready: true,
    warnings: { [kind]: expect.stringMatching(warning) },
  });
});

test('where the free space cannot be read, that is said, and events are stored', async () => {
  const statfs = vi.spyOn(loadRuntime().fs, 'statfsSync').mockImplementation(() => {
    throw new Error('Requires sys access');
  });
  onTestFinished(() => statfs.mockRestore());
  const inbox = createInbox();
  await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({
    ready: true,
    warnings: { unmeasured: expect.stringContaining('Requires sys access') },
  });
});

test('the backup of the guide, made while the inbox is in use, has every event', async () => {
  const inbox = createInbox();
  const keys = Array.from({ length: 20 }, () => stored());
  await Promise.all(keys.map((webhook) => inbox.store(webhook)));
  const copy = newPath();
  const [backup = ''] = /umask 077\nnode -e .*/.exec(readFileSync('docs/guides/inbox-file.md', 'utf8')) ?? [];
  const command = backup
    .replace('node', JSON.stringify(process.execPath))
    .replace('/data/webhooks.db', path)
    .replace('/backup/webhooks.db', copy);
  execFileSync('sh', ['-c', command]);

  expect(modeOf(copy)).toBe('600');
  const handled = new Set<string>();
  createInbox({ path: copy }).work(processing(async ({ key }) => void handled.add(key)));
  await eventually(() => expect([...handled].sort()).toEqual(keys.map(({ key }) => key).sort()));
});
