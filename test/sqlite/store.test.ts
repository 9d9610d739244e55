import { setTimeout as sleep } from 'node:timers/promises';
import { InboxFullError } from 'agent-platform-sdk/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { loadRuntime } from '../../src/sqlite/runtime.js';
import { eventually, stored } from '../inbox/fixture.js';
import { createInbox, holdLock, inFile, onStatement, rowsOf } from './inbox-fixture.js';

/** Counts the commits of inboxes that are created from now on. */
function countCommits(): { readonly commits: number } {
  const count = { commits: 0 };
  onStatement('COMMIT', (run) => {
    count.commits += 1;
    return run();
  });
  return count;
}

test('events that are stored at the same time share one commit, unless that would take long', async () => {
  const count = countCommits();
  const inbox = createInbox();
  await inbox.store(stored());
  // Each change takes as long as a step.
  let [now, step] = [performance.now(), 0];
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += step));
  onTestFinished(() => clock.mockRestore());
  const commitsOf = async (size: number) => {
    const before = count.commits;
    await Promise.all(Array.from({ length: size }, () => inbox.store(stored())));
    return count.commits - before;
  };
  expect(await commitsOf(50)).toBe(1);
  step = 1;
  expect(await commitsOf(100)).toBeGreaterThan(1);
});

test('what one turn takes, and the ends of its runs, share a commit', async () => {
  const count = countCommits();
  const inbox = createInbox();
  for (let count = 0; count < 60; count += 1) await inbox.store(stored());
  const before = count.commits;
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) }, { concurrency: 20 });
  await eventually(() => expect(runs).toBe(60));
  // Three takes, whose ends share a commit with the next one, and beats.
  expect(count.commits - before).toBeLessThan(30);
});

test('while another process writes, the event loop goes on, and an event waits for at most storeTimeout', async () => {
  const [inbox, impatient] = [createInbox(), createInbox({ storeTimeout: 100 })];
  const lock = holdLock();
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  onTestFinished(() => clearInterval(timer));
  const storing = inbox.store(stored());
  await expect(impatient.store(stored())).rejects.toThrow(/Another process was writing|no response within/);
  await eventually(() => expect(turns).toBeGreaterThan(20));
  lock.release();
  await storing;
  // The one that was refused is not stored later.
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

test('an event waits for room on the disk, until exactly minFree is free', async () => {
  const room = stubRoom(9_999_999);
  const inbox = createInbox({ minFree: 10_000_000 });
  const storing = inbox.store(stored());
  await eventually(async () => expect((await inbox.health()).warnings.full).toMatch(/minFree is 10000000/));
  expect(await inbox.health()).toMatchObject({ ready: false, waiting: 0 });
  room.bytes += 1;
  await storing;
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 1, warnings: {} });
});

test('a disk that stays full is refused by name, and workers go on', async () => {
  const room = stubRoom(20_000_000);
  const inbox = createInbox({ minFree: 10_000_000, storeTimeout: 300 });
  await inbox.store(stored());
  room.bytes = 0;
  // Longer than a reading of the free space is used.
  await sleep(150);
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
