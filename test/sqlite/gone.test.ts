import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime, type SqliteConnection } from '../../src/sqlite/runtime.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, holdLock, inFile, path, rowsOf } from './inbox-fixture.js';

const remove = (...ends: readonly string[]) => {
  for (const end of ends) rmSync(path + end, { force: true });
};
const moved = () => `${dirname(path)}-old`;
const moveFolder = () => {
  renameSync(dirname(path), moved());
  onTestFinished(() => rmSync(moved(), { recursive: true, force: true }));
};

// better-sqlite3#1237
test.each<[what: string, happen: () => void]>([
  ['-wal is deleted', () => remove('-wal')],
  ['-shm is deleted', () => remove('-shm')],
  ['-wal and -shm are deleted', () => remove('-wal', '-shm')],
  ['the file alone is deleted', () => remove('')],
  ['all of them are deleted', () => remove('', '-wal', '-shm')],
  ['the file is renamed', () => renameSync(path, `${path}.old`)],
  [
    'its folder is swapped for an empty one',
    () => {
      moveFolder();
      mkdirSync(dirname(path));
    },
  ],
  [
    'its folder is swapped for one with another inbox',
    () => {
      moveFolder();
      mkdirSync(dirname(path));
      createInbox();
    },
  ],
])('when %s, the next process finds all events', async (_, happen) => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger });
  for (let count = 0; count < 5; count += 1) await inbox.store(stored());
  happen();
  for (let count = 0; count < 5; count += 1) await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({ ready: true, depth: 10 });
  expect(await createInbox().health()).toMatchObject({ depth: 10 });
  expect(logger.lines.join()).toMatch(/warn .*inbox: the files? .* deleted/);
});

test('what is deleted again, before all have followed, costs no event either', async () => {
  const others = [createInbox(), createInbox()];
  const inbox = createInbox();
  await inbox.store(stored());
  remove('-wal');
  await inbox.store(stored());
  remove('', '-wal', '-shm');
  for (const other of others) await other.store(stored());
  const next = createInbox();
  await eventually(async () => expect(await next.health()).toMatchObject({ depth: 4 }));
});

test.each(['it is opened', 'events are copied to it'])(
  'another process that writes to the new file while %s keeps no event out of it',
  async (moment) => {
    const inbox = createInbox();
    await inbox.store(stored());
    remove('', '-wal', '-shm');
    const next = createInbox();
    let lock = moment === 'it is opened' ? holdLock() : undefined;
    const { prototype } = loadRuntime().DatabaseSync;
    const exec = prototype.exec;
    const spy = vi.spyOn(prototype, 'exec').mockImplementation(function (this: SqliteConnection, sql) {
      if (lock === undefined && String(sql).endsWith('; BEGIN IMMEDIATE')) lock = holdLock();
      return exec.call(this, sql);
    });
    onTestFinished(() => spy.mockRestore());
    const storing = inbox.store(stored());
    // Longer than a move waits.
    await new Promise((resolve) => setTimeout(resolve, 400));
    lock?.release();
    await storing;
    expect(await next.health()).toMatchObject({ depth: 2 });
  },
);

test.each([1, 2, 3, 4, 5, 6])(
  'a file whose state cannot be read %i times stays where it is',
  async (times) => {
    const [inbox, other] = [createInbox(), createInbox()];
    await inbox.store(stored());
    const { fs } = loadRuntime();
    const [statSync, { ino }] = [fs.statSync, fs.statSync(path, { throwIfNoEntry: false }) ?? {}];
    let left = times;
    const spy = vi.spyOn(fs, 'statSync').mockImplementation((...args) => {
      if (left === 0) return statSync(...args);
      left -= 1;
      throw Object.assign(new Error('EIO: i/o error, stat'), { code: 'EIO' });
    });
    onTestFinished(() => spy.mockRestore());
    await Promise.all([inbox.store(stored()), other.store(stored())]);
    spy.mockRestore();
    expect(await inbox.health()).toMatchObject({ ready: true, depth: 3, warnings: {} });
    expect(fs.statSync(path, { throwIfNoEntry: false })?.ino).toBe(ino);
    remove('', '-wal', '-shm');
    await inbox.store(stored());
    expect(await createInbox().health()).toMatchObject({ depth: 4 });
  },
);

test.each([[['-shm']], [['', '-wal', '-shm']]])('duplicates stay known when %s is deleted', async (ends) => {
  const inbox = createInbox();
  const webhook = stored();
  inbox.work({ lead_captured: () => undefined });
  await inbox.store(webhook);
  await inbox.idle();
  remove(...ends);
  await inbox.store(webhook);
  expect(await inbox.health()).toMatchObject({ depth: 0 });
});

test('an event that was handled in the new file before all have followed is not copied there again', async () => {
  const [late, inbox] = [createInbox(), createInbox()];
  const webhook = stored();
  await inbox.store(webhook);
  remove('', '-wal', '-shm');
  const runs: string[] = [];
  const worker = inbox.work(processing(async ({ key }) => void runs.push(key)));
  await eventually(() => expect(rowsOf('handled')).toHaveLength(1));
  await worker.close();
  await late.store(stored());
  inbox.work(processing(async ({ key }) => void runs.push(key)));
  await inbox.idle();
  expect(runs.filter((key) => key === webhook.key)).toHaveLength(1);
});

test('a file that is replaced while it is opened is opened again', async () => {
  await createInbox().close();
  const { prototype } = loadRuntime().DatabaseSync;
  const prepare = prototype.prepare;
  let isFirst = true;
  const spy = vi.spyOn(prototype, 'prepare').mockImplementation(function (this: SqliteConnection, sql) {
    if (isFirst && sql === 'COMMIT') {
      isFirst = false;
      moveFolder();
      mkdirSync(dirname(path));
      createInbox();
    }
    return prepare.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
  await createInbox().store(stored());
  expect(rowsOf('events')).toHaveLength(1);
});

test('a key that is remembered no more takes no event away when a file is followed', async () => {
  const old = createInbox();
  const webhook = stored();
  inFile((file) => file.prepare('INSERT INTO handled (key, due) VALUES (?, 1)').run(webhook.key));
  remove('', '-wal', '-shm');
  const next = createInbox();
  await next.store(webhook);
  await old.store(stored());
  expect(await next.health()).toMatchObject({ depth: 2 });
});

test('a file that is gone while nothing is stored is noticed too', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  remove('', '-wal', '-shm');
  await eventually(() => expect(existsSync(path)).toBe(true));
  expect(await createInbox().health()).toMatchObject({ depth: 1 });
});

test.each<[string, () => void, RegExp]>([
  ['without its folder', () => undefined, /The file was deleted or replaced: .*Create its folder/],
  // Its state cannot be read either, as on a volume that is away.
  [
    'with a folder that is a link to itself',
    () => symlinkSync(dirname(path), dirname(path)),
    /The file was deleted or replaced: .*ELOOP/,
  ],
])(
  '%s, events are refused and the inbox is not ready, until the folder is back',
  async (_, happen, message) => {
    const inbox = createInbox({ storeTimeout: 200 });
    await inbox.store(stored());
    moveFolder();
    happen();
    // It looks by itself too.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    await expect(inbox.store(stored())).rejects.toThrow(message);
    expect(await inbox.health()).toMatchObject({
      ready: false,
      warnings: { refused: expect.stringContaining('The file was deleted or replaced') },
    });
    rmSync(dirname(path), { force: true });
    renameSync(moved(), dirname(path));
    await inbox.store(stored());
    expect(await inbox.health()).toMatchObject({ ready: true, depth: 2 });
  },
);

test('runs that go on while the file is replaced end in the new one', async () => {
  const inbox = createInbox();
  let end = () => undefined as void;
  let runs = 0;
  inbox.work({
    lead_captured: () => {
      runs += 1;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
  });
  await inbox.store(stored());
  await eventually(() => expect(runs).toBe(1));
  remove('', '-wal', '-shm');
  await eventually(() => expect(existsSync(path)).toBe(true));
  end();
  await inbox.idle();
  expect(runs).toBe(1);
  expect(await createInbox().health()).toMatchObject({ depth: 0, deadLetters: 0 });
});

test('a file system that changes inodes by itself is warned of, and events are stored', async () => {
  const { fs } = loadRuntime();
  const real = fs.statSync;
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger });
  await inbox.store(stored());
  let inode = 0;
  const stat = vi.spyOn(fs, 'statSync').mockImplementation((file, options) => {
    inode += 1;
    return Object.assign(real(file, options) ?? {}, { ino: inode }) as ReturnType<typeof real>;
  });
  onTestFinished(() => stat.mockRestore());
  await inbox.store(stored());
  expect(logger.lines.join()).toContain('The inode of the file changes by itself');
  expect(await inbox.health()).toMatchObject({
    ready: true,
    depth: 2,
    warnings: { unwatched: expect.stringContaining('the inbox cannot notice') },
  });
});
