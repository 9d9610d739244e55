import { existsSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { start } from '../cli/terminal.js';
import { eventually, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, holdLock, inFile, path, rowsOf } from './inbox-fixture.js';

test('a file that another process writes to all the time is not ready', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const lock = holdLock();
  expect(await inbox.health()).toMatchObject({
    ready: false,
    waiting: 1,
    warnings: { refused: expect.stringContaining('No event can be stored: Another process was writing') },
  });
  lock.release();
  expect(await inbox.health()).toMatchObject({ ready: true, warnings: {} });
});

test.each([
  // A disk that is full for large changes, or a permission that was taken away.
  ['take events', 'UPDATE ON events'],
  ['show that it lives', "INSERT ON workers WHEN NEW.id != 'probe'"],
])('a worker that cannot %s is warned of, until it can', async (_, change) => {
  const inbox = createInbox();
  inFile((file) => file.exec(`CREATE TRIGGER no BEFORE ${change} BEGIN SELECT raise(ABORT, 'no way'); END`));
  let runs = 0;
  inbox.work({ lead_captured: () => (runs += 1) });
  await inbox.store(stored());
  const worker = 'A worker of this process takes no events: no way';
  await eventually(async () =>
    expect(await inbox.health()).toMatchObject({ ready: true, warnings: { worker } }),
  );
  inFile((file) => file.exec('DROP TRIGGER no'));
  await eventually(() => expect(runs).toBe(1));
  await eventually(async () => expect((await inbox.health()).warnings).toEqual({}));
});

test('a second inbox on one path in one process is warned of, behind a link too, until it is closed', async () => {
  const logger = new RecordingLogger();
  const first = createInbox();
  symlinkSync(path, `${path}.link`);
  const second = createInbox({ path: `${path}.link`, logger, backoff: undefined });
  expect(logger.lines).toEqual([expect.stringMatching(/2 inboxes of this process use .*globalThis/)]);
  await Promise.all([first.close(), second.close()]);
  createInbox({ logger, backoff: undefined });
  expect(logger.lines).toHaveLength(1);
});

test('the doctor looks at the inbox in a file that is in use', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const { exit, lines } = await start(['doctor', '--inbox', path], {});
  // The settings of the service are missing.
  expect(await exit).toBe(1);
  expect(lines.join('\n')).toMatch(/ok +inbox +accepts events: 1 waiting, 0 active/);
  expect(rowsOf('events')).toHaveLength(1);
});

test('the doctor creates no file', async () => {
  const { exit, lines } = await start(['doctor', '--inbox', path], {});
  expect(await exit).toBe(1);
  expect(lines.join('\n')).toMatch(/fail +inbox +There is no file .*webhooks\.db/);
  expect(existsSync(path)).toBe(false);
});
