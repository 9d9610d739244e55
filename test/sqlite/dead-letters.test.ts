import { expect, test } from 'vitest';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { createInbox, rowsOf, sweepSoon } from './inbox-fixture.js';

test('dead letters are deleted after deadLetterRetention', async () => {
  sweepSoon();
  const inbox = createInbox({ attempts: 1, deadLetterRetention: 500 });
  inbox.work(
    processing(() => Promise.reject(new Error('no'))),
    { lockDuration: 400 },
  );
  await inbox.store(stored());
  await eventually(async () => expect((await inbox.health()).deadLetters).toBe(1));
  await eventually(() => expect(rowsOf('events')).toEqual([]));
});
