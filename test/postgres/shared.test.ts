import { inboxConformance, type ProcessStored } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { testDeadLetters } from '../inbox/dead-letters.js';
import { processing } from '../inbox/fixture.js';
import { testHealth } from '../inbox/health.js';
import { testNeighbours } from '../inbox/neighbours.js';
import { testStoring } from '../inbox/storing.js';
import { testUnhandled } from '../inbox/unhandled.js';
import { createInbox, engine } from './inbox-fixture.js';

testDeadLetters(engine);
testHealth(engine);
testNeighbours(engine);
testStoring(engine);
testUnhandled(engine);

test.each(inboxConformance)('the inbox in Postgres keeps the rule: $name', ({ run }) =>
  expect(
    run(() => {
      const inbox = createInbox({ attempts: 3 });
      // The workers have connections of their own, as in another process.
      const other = createInbox({ attempts: 3 });
      const work = (process: ProcessStored) => {
        const worker = other.work(processing(process));
        return () => worker.close({ grace: 0 });
      };
      const deadLetters = async () => (await inbox.deadLetters.list()).map(({ webhook }) => webhook);
      return { inbox, work, deadLetters };
    }),
  ).resolves.toBeUndefined(),
);
