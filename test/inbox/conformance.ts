import { inboxConformance, type ProcessStored } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { type Engine, processing } from './fixture.js';

/** Every inbox keeps the rules that we give to those who write their own. */
export function testConformance({ createInbox }: Engine): void {
  test.each(inboxConformance)('the inbox keeps the rule: $name', ({ run }) =>
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
}
