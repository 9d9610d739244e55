import { expect, test } from 'vitest';
import { stored } from '../inbox/fixture.js';
import { testHealth } from '../inbox/health.js';
import { createInbox, engine, holdLock } from './inbox-fixture.js';

testHealth(engine);

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
