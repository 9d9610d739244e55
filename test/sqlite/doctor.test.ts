import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { start } from '../cli/terminal.js';
import { stored } from '../inbox/fixture.js';
import { createInbox, path, rowsOf } from './inbox-fixture.js';

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
