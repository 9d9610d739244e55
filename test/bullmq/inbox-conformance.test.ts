import { inboxConformance, type ProcessStored } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { processing } from '../inbox/fixture.js';
import { createInbox } from './inbox-fixture.js';

test.each(inboxConformance)('the inbox on BullMQ keeps the rule: $name', ({ run }) =>
  expect(
    run(() => {
      const inbox = createInbox({ attempts: 3, backoff: 1 });
      const work = (process: ProcessStored) => {
        const worker = inbox.work(processing(process));
        return () => worker.close({ grace: 0 });
      };
      const deadLetters = async () => (await inbox.deadLetters.list()).map(({ webhook }) => webhook);
      return { inbox, work, deadLetters };
    }),
  ).resolves.toBeUndefined(),
);
