import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredWebhook } from 'agent-platform-sdk';
import { FileGoneError, type SqliteInbox } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime } from '../../src/sqlite/runtime.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { newPath } from '../support/new-file.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, modeOf, path } from './inbox-fixture.js';

/** Deletes the file, or what is beside it. */
const remove = (...ends: readonly string[]) => {
  for (const end of ends) rmSync(path + end, { force: true });
};
const moveFolder = () => {
  const moved = `${dirname(path)}-old`;
  renameSync(dirname(path), moved);
  onTestFinished(() => rmSync(moved, { recursive: true, force: true }));
  return moved;
};

/** The copies beside the file, as the log and the health name them. */
const copies = () =>
  readdirSync(dirname(path))
    .filter((name) => name.includes('-left-'))
    .map((name) => join(dirname(path), name));

/** The keys of all events in the files, as new processes find them. */
async function keysIn(files: readonly string[]): Promise<string[]> {
  const keys = new Set<string>();
  for (const file of files) {
    const inbox = createInbox({ path: file });
    const worker = inbox.work(
      processing(async ({ key }) => void keys.add(key)),
      { lockDuration: 200 },
    );
    await eventually(async () => expect((await inbox.health()).depth).toBe(0));
    await worker.close();
  }
  return [...keys].sort();
}

const keysOf = (events: readonly StoredWebhook[]) => events.map(({ key }) => key).sort();

async function storeSome(...inboxes: readonly SqliteInbox[]): Promise<StoredWebhook[]> {
  const events = inboxes.flatMap((inbox) => Array.from({ length: 5 }, () => ({ inbox, event: stored() })));
  await Promise.all(events.map(({ inbox, event }) => inbox.store(event)));
  return events.map(({ event }) => event);
}

const ACCIDENTS: readonly (readonly [what: string, happen: () => unknown, isInPlace: boolean])[] = [
  ['-wal is deleted', () => remove('-wal'), false],
  ['-shm is deleted', () => remove('-shm'), false],
  ['-wal and -shm are deleted', () => remove('-wal', '-shm'), false],
  ['the file alone is deleted', () => remove(''), false],
  ['all of them are deleted', () => remove('', '-wal', '-shm'), true],
  ['the file is renamed', () => renameSync(path, `${path}.old`), false],
  ['its folder is swapped for an empty one', () => (moveFolder(), mkdirSync(dirname(path))), true],
  [
    'its folder is swapped for one with another inbox',
    () => (moveFolder(), mkdirSync(dirname(path)), createInbox()),
    false,
  ],
];

// better-sqlite3#1237
test.each(ACCIDENTS)(
  'when %s, nothing more is stored, and a copy has all events',
  async (_, happen, isInPlace) => {
    const logger = new RecordingLogger();
    const inboxes = [createInbox({ logger }), createInbox({ logger }), createInbox({ logger })];
    const events = await storeSome(...inboxes);
    happen();
    for (const inbox of inboxes) await expect(inbox.store(stored())).rejects.toThrow(FileGoneError);
    const [copy = '', ...others] = copies();
    expect([others, modeOf(copy)]).toEqual([[], '600']);
    for (const inbox of inboxes) {
      expect(await inbox.health()).toMatchObject({
        ready: false,
        depth: events.length,
        warnings: { gone: expect.stringContaining(copy) },
      });
    }
    expect(logger.lines.join('\n')).toMatch(isInPlace ? /at the path, and is .*Restart/ : /move the copy to/);
    expect(existsSync(path) && statSync(path).ino === statSync(copy).ino).toBe(isInPlace);
    expect(await keysIn([copy])).toEqual(keysOf(events));
  },
);

test('behind a link, the file itself is watched, and copied beside it', async () => {
  const folder = dirname(newPath());
  symlinkSync(join(folder, 'real.db'), path);
  const inbox = createInbox();
  const events = await storeSome(inbox);
  const modes = readdirSync(folder).map((name) => modeOf(join(folder, name)));
  expect(modes).toEqual(['600', '600', '600']);
  const { fs } = loadRuntime();
  const [opened, closed] = [vi.spyOn(fs, 'openSync'), vi.spyOn(fs, 'closeSync')];
  onTestFinished(() => [opened, closed].forEach((spy) => spy.mockRestore()));
  rmSync(join(folder, 'real.db-wal'));
  await expect(inbox.store(stored())).rejects.toThrow(/A copy of all events is .*real.db-left-/);
  expect(closed.mock.calls.flat()).toEqual(opened.mock.results.map(({ value }) => value as number));
  const [copy = ''] = readdirSync(folder).filter((name) => name.includes('-left-'));
  expect(await keysIn([join(folder, copy)])).toEqual(keysOf(events));
});

test('a file that is gone while nothing is stored is noticed too, and the copy is at the path', async () => {
  const inbox = createInbox();
  const events = await storeSome(inbox);
  remove('', '-wal', '-shm');
  await eventually(() => expect(existsSync(path)).toBe(true));
  await inbox.close();
  expect(await keysIn([path])).toEqual(keysOf(events));
});

test('nothing is taken any more, and runs that go on run again after the restart', async () => {
  const inbox = createInbox();
  const end = deferred();
  let runs = 0;
  const run = () => {
    runs += 1;
    return end.promise;
  };
  const worker = inbox.work(processing(run), { concurrency: 1, lockDuration: 400 });
  const events = await storeSome(inbox);
  await eventually(() => expect(runs).toBe(1));
  remove('-shm');
  await expect(inbox.store(stored())).rejects.toThrow(FileGoneError);
  end.resolve();
  await sleep(300);
  expect(runs).toBe(1);
  await worker.close();
  expect(await keysIn(copies())).toEqual(keysOf(events));
});

test('without a folder, the copy is made as soon as there is one', async () => {
  const inbox = createInbox();
  const events = await storeSome(inbox);
  moveFolder();
  await expect(inbox.store(stored())).rejects.toThrow(/There is no copy yet: ENOENT/);
  mkdirSync(dirname(path));
  await eventually(() => expect(existsSync(path)).toBe(true));
  expect((await inbox.health()).warnings.gone).toMatch(/at the path, and is .*Restart/);
  expect(await keysIn([path])).toEqual(keysOf(events));
});

test('a copy that finds no room is not left half made, and is tried again', async () => {
  const inbox = createInbox();
  const events = await storeSome(inbox);
  remove('-shm');
  const sync = vi.spyOn(loadRuntime().fs, 'fsyncSync').mockImplementation(() => {
    throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'fsync' });
  });
  onTestFinished(() => sync.mockRestore());
  await expect(inbox.store(stored())).rejects.toThrow(/There is no copy yet: ENOSPC/);
  expect(copies()).toEqual([]);
  sync.mockRestore();
  await eventually(() => expect(copies()).toHaveLength(1));
  expect(await keysIn(copies())).toEqual(keysOf(events));
});

test.each([
  ['-wal and -shm', () => remove('-wal', '-shm')],
  ['all files, so that the copy is the file now', () => remove('', '-wal', '-shm')],
])('of two accidents, each leaves a copy: %s', async (_, happen) => {
  const first = createInbox();
  const events = await storeSome(first);
  happen();
  await expect(first.store(stored())).rejects.toThrow(FileGoneError);
  await first.close();
  await sleep(50);
  const second = createInbox();
  events.push(...(await storeSome(second)));
  remove('-wal', '-shm');
  await expect(second.store(stored())).rejects.toThrow(FileGoneError);
  expect(copies()).toHaveLength(2);
  const { gone = '' } = (await second.health()).warnings;
  const [copy = ''] = copies().filter((name) => gone.includes(`${name}. `));
  expect(await keysIn([copy])).toEqual(keysOf(events));
});

test('what another process has written since is not touched, not even by closing', async () => {
  const inbox = createInbox();
  const events = await storeSome(inbox);
  remove('-wal', '-shm');
  await expect(inbox.store(stored())).rejects.toThrow(FileGoneError);
  // It is killed before it could write its `-wal` into the file.
  const program = `const file = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    file.exec('PRAGMA journal_mode = WAL; CREATE TABLE theirs (a)'); process.kill(process.pid, 'SIGKILL')`;
  spawnSync(process.execPath, ['-e', program, path]);
  const files = () => ['', '-wal'].map((end) => readFileSync(path + end));
  const before = files();
  expect(before[1]?.length).toBeGreaterThan(0);
  await inbox.close();
  expect(files()).toEqual(before);
  expect(await keysIn(copies())).toEqual(keysOf(events));
});

test.each([1, 6])('a file whose state cannot be read %i times is not given up', async (times) => {
  const [inbox, other] = [createInbox(), createInbox()];
  await inbox.store(stored());
  const { fs } = loadRuntime();
  const statSync = fs.statSync;
  let left = times;
  const spy = vi.spyOn(fs, 'statSync').mockImplementation((...args) => {
    if (left === 0) return statSync(...args);
    left -= 1;
    throw Object.assign(new Error('EIO: i/o error, stat'), { code: 'EIO', syscall: 'stat' });
  });
  onTestFinished(() => spy.mockRestore());
  await Promise.all([inbox.store(stored()), other.store(stored())]);
  expect(await inbox.health()).toMatchObject({ ready: true, depth: 3, warnings: {} });
});

test.each<[what: string, more: object]>([
  ['inodes change by themselves', {}],
  // FUSE, where an inode lasts as long as the cache.
  ['the file system is another machine’s', { type: 0x65735546 }],
])('where %s, nothing is refused', async (_, more) => {
  const { fs } = loadRuntime();
  const [statSync, statfsSync] = [fs.statSync, fs.statfsSync];
  const statfs = vi
    .spyOn(fs, 'statfsSync')
    .mockImplementation((folder) => Object.assign(statfsSync(folder), more) as never);
  const inbox = createInbox();
  await inbox.store(stored());
  let inode = 0;
  const stat = vi.spyOn(fs, 'statSync').mockImplementation((file, options) => {
    inode += 'type' in more ? 0 : 1;
    return Object.assign(statSync(file, options) ?? {}, { ino: inode }) as ReturnType<typeof statSync>;
  });
  onTestFinished(() => [stat, statfs].forEach((spy) => spy.mockRestore()));
  await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({ ready: true, depth: 2 });
  expect((await inbox.health()).warnings).not.toHaveProperty('gone');
});
