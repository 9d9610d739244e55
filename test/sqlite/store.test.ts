import { readFileSync } from 'node:fs';
import { InboxFullError } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime } from '../../src/sqlite/runtime.js';
import { eventually, processing, settled, stored } from '../inbox/fixture.js';
import { createInbox, holdLock, inFile, newPath, onStatement, path, rowOf, rowsOf } from './inbox-fixture.js';

test('an event is stored once, with its key', async () => {
  const webhook = stored({ workspace: 'acme' });
  const inbox = createInbox();
  await Promise.all([inbox.store(webhook), inbox.store(webhook)]);
  expect(rowsOf('events')).toHaveLength(1);
  expect(JSON.parse(String(rowOf(webhook.key).data))).toEqual(webhook);
});

test('of a long type, looks read the beginning, and handlers get all', async () => {
  const inbox = createInbox();
  const webhook = stored({ type: 'x'.repeat(1_000_000) });
  await inbox.store(webhook);
  expect(rowOf(webhook.key).type).toBe('x'.repeat(200));
  const lengths: number[] = [];
  inbox.work(processing(async ({ type }) => void lengths.push(type.length)));
  await settled(inbox);
  expect(lengths).toEqual([1_000_000]);
});

test('events that are stored at the same time share one commit', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const before = countCommits();
  // A transaction takes changes for a limited time.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  await Promise.all(Array.from({ length: 50 }, () => inbox.store(stored())));
  expect(countCommits() - before).toBe(1);
  expect(await inbox.health()).toMatchObject({ waiting: 51 });
});

test('one transaction takes changes for a limited time, and leaves the others to the next one', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const before = countCommits();
  let now = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
  onTestFinished(() => clock.mockRestore());
  await Promise.all(Array.from({ length: 100 }, () => inbox.store(stored())));
  expect(countCommits() - before).toBeGreaterThan(1);
});

test('what one turn takes, and the ends of its runs, share a commit', async () => {
  const inbox = createInbox();
  for (let count = 0; count < 60; count += 1) await inbox.store(stored());
  const before = countCommits();
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) }, { concurrency: 20 });
  await eventually(() => expect(runs).toBe(60));
  // Three takes, whose ends share a commit with the next one, and beats.
  expect(countCommits() - before).toBeLessThan(30);
});

/** Counts the commits in the file beside: see "WAL File Format" in https://sqlite.org/fileformat2.html. */
function countCommits(): number {
  const [wal, header, frame] = [readFileSync(`${path}-wal`), 32, 24 + 4_096];
  const frames = Array.from({ length: (wal.length - header) / frame }, (_, index) => header + index * frame);
  return frames.filter((start) => wal.readUInt32BE(start + 4) > 0).length;
}

test('while another process writes, storing waits, and the event loop goes on', async () => {
  const inbox = createInbox();
  const lock = holdLock();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  onTestFinished(() => clearInterval(timer));
  const storing = inbox.store(stored());
  await eventually(() => expect(turns).toBeGreaterThan(20));
  lock.release();
  await storing;
  expect(rowsOf('events')).toHaveLength(1);
});

test('while a process writes for all of storeTimeout, an event is refused, and not stored later', async () => {
  const inbox = createInbox({ storeTimeout: 100 });
  const lock = holdLock();
  await expect(inbox.store(stored())).rejects.toThrow(/Another process was writing|no response within/);
  lock.release();
  await inbox.store(stored());
  expect(rowsOf('events')).toHaveLength(1);
});

/** Room on the disk, in bytes, as the inbox finds it. */
function stubRoom(bytes: number): { bytes: number } {
  const room = { bytes };
  const { fs } = loadRuntime();
  const real = fs.statfsSync('.');
  const spy = vi.spyOn(fs, 'statfsSync').mockImplementation(() => {
    return Object.assign(Object.create(real) as typeof real, { bavail: room.bytes, bsize: 1 });
  });
  onTestFinished(() => spy.mockRestore());
  return room;
}

test('an event waits for room on the disk', async () => {
  const room = stubRoom(1_000);
  const inbox = createInbox({ minFree: 10_000_000 });
  const storing = inbox.store(stored());
  await eventually(async () => expect((await inbox.health()).warnings.full).toMatch(/minFree is 10000000/));
  expect(await inbox.health()).toMatchObject({ ready: false, waiting: 0 });
  room.bytes = 20_000_000;
  await storing;
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1, warnings: {} });
});

test('with exactly minFree there is room, and with a byte less there is none', async () => {
  const room = stubRoom(10_000_000);
  await createInbox({ minFree: 10_000_000 }).store(stored());
  room.bytes -= 1;
  const inbox = createInbox({ path: newPath(), minFree: 10_000_000, storeTimeout: 1 });
  await expect(inbox.store(stored())).rejects.toThrow(InboxFullError);
});

test('a disk that stays full is refused by name, and workers go on', async () => {
  const room = stubRoom(20_000_000);
  const inbox = createInbox({ minFree: 10_000_000, storeTimeout: 300 });
  await inbox.store(stored());
  room.bytes = 0;
  await new Promise((resolve) => setTimeout(resolve, 150));
  await expect(inbox.store(stored())).rejects.toThrow(InboxFullError);
  inbox.work({ lead_captured: () => undefined });
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
});

test('free pages inside the file are room', async () => {
  stubRoom(0);
  const inbox = createInbox({ minFree: 1_000_000, storeTimeout: 2_000 });
  inFile((file) => {
    file.exec("CREATE TABLE filler (data TEXT); INSERT INTO filler VALUES (printf('%.*c', 2000000, 'x'));");
    file.exec('DROP TABLE filler');
  });
  await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1 });
});

test('a commit that fails rejects what waits for it', async () => {
  let isBroken = false;
  onStatement('COMMIT', (run) => {
    if (isBroken) throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
    return run();
  });
  const inbox = createInbox({ storeTimeout: 100 });
  isBroken = true;
  await expect(inbox.store(stored())).rejects.toThrow('disk I/O error');
  isBroken = false;
  await inbox.store(stored());
  expect(rowsOf('events')).toHaveLength(1);
});
