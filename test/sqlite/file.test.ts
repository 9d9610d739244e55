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
import { ConfigurationError } from 'agent-platform-sdk';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime, type SqliteConnection } from '../../src/sqlite/runtime.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, inFile, newPath, onStatement, path, rowsOf } from './inbox-fixture.js';

test('the file and those beside it are for their owner alone', async () => {
  await createInbox().store(stored());
  const modes = ['', '-wal', '-shm'].map((end) => (statSync(path + end).mode & 0o777).toString(8));
  expect(modes).toEqual(['600', '600', '600']);
});

test('a file that exists keeps its mode', () => {
  writeFileSync(path, '');
  chmodSync(path, 0o660);
  createInbox();
  expect((statSync(path).mode & 0o777).toString(8)).toBe('660');
});

test('a missing folder is an error, and is not created', () => {
  const missing = join(dirname(path), 'volume', 'webhooks.db');
  const create = () => createSqliteInbox({ path: missing });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(/cannot be opened.*Create its folder, or mount the volume/);
  expect(existsSync(dirname(missing))).toBe(false);
});

test.each([
  [
    'a text',
    'not a database, and long enough to have a header of a hundred bytes. '.repeat(3),
    /not a database/,
  ],
  ['a folder', undefined, /It is a folder: add the name of a file/],
])('%s is refused', (_, content, message) => {
  if (content === undefined) mkdirSync(path);
  else writeFileSync(path, content);
  expect(() => createSqliteInbox({ path })).toThrow(ConfigurationError);
  expect(() => createSqliteInbox({ path })).toThrow(message);
});

test('a link that leads to itself, and a path that is too long for SQLite, are named', () => {
  symlinkSync(path, path);
  expect(() => createSqliteInbox({ path })).toThrow(/ELOOP.*It is a link that leads back to itself/);
  const folder = join(dirname(path), 'f'.repeat(200), 'f'.repeat(200), 'f'.repeat(120));
  mkdirSync(folder, { recursive: true });
  expect(() => createSqliteInbox({ path: join(folder, 'w.db') })).toThrow(/longer than 504 bytes/);
});

test.each<[what: string, error: object, message: RegExp]>([
  [
    'a folder of another user',
    { code: 'EACCES', message: 'EACCES: permission denied' },
    /permission to write it/,
  ],
  ['a read-only file system', { code: 'EROFS', message: 'EROFS' }, /permission to write it/],
  ['a full disk', { code: 'ENOSPC', message: 'ENOSPC' }, /There is no room on its disk/],
])('%s is named at opening', (_, error, message) => {
  const open = vi.spyOn(loadRuntime().fs, 'openSync').mockImplementation(() => {
    throw Object.assign(new Error(), error);
  });
  onTestFinished(() => open.mockRestore());
  expect(() => createSqliteInbox({ path })).toThrow(ConfigurationError);
  expect(() => createSqliteInbox({ path })).toThrow(message);
});

// In another user's file of mode 0644, in a folder that we may write, a transaction can begin, and a write fails.
test.each(['BEGIN', 'DELETE'])(
  'a file that may only be read is refused at opening: %s fails',
  async (refused) => {
    await createInbox().close();
    // https://sqlite.org/rescode.html
    onStatement(refused, () => {
      throw Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 });
    });
    expect(() => createSqliteInbox({ path })).toThrow(/readonly database. This process needs permission/);
  },
);

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

test('a second application is refused, and the first one and processes without a name are not', () => {
  createInbox();
  createInbox({ application: 'crm' });
  createInbox({ application: 'crm' });
  createInbox();
  const create = () => createSqliteInbox({ path, application: 'billing' });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(/belongs to the application crm, not billing.*give each its own path/);
});

test('the database of another program is refused, and not changed', () => {
  inFile((file) => file.exec('CREATE TABLE events (id INTEGER)'));
  const before = readFileSync(path);
  expect(() => createSqliteInbox({ path })).toThrow(/database of another program/);
  expect(readFileSync(path)).toEqual(before);
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

  expect((statSync(copy).mode & 0o777).toString(8)).toBe('600');
  const handled = new Set<string>();
  createInbox({ path: copy }).work(processing(async ({ key }) => void handled.add(key)));
  await eventually(() => expect([...handled].sort()).toEqual(keys.map(({ key }) => key).sort()));
});

test('two paths are two inboxes', async () => {
  const [one, other] = [createInbox(), createInbox({ path: newPath() })];
  await one.store(stored());
  expect([(await one.health()).depth, (await other.health()).depth]).toEqual([1, 0]);
});
