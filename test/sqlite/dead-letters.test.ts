import { expect, test } from 'vitest';
import { testDeadLetters } from '../inbox/dead-letters.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { createInbox, engine, rowsOf, sweepSoon } from './inbox-fixture.js';

testDeadLetters(engine);

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
