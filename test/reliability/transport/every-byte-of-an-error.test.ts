import { expect, test } from 'vitest';
import { type Operation, operations } from '../support/operations.js';
import { isUnknown } from '../support/outcome.js';
import { watchProcess } from '../support/watch.js';
import { type Break, framings } from '../support/wire.js';
import { cutEverywhere, expectAttempts, mayRepeat, ways } from './cuts.js';

const body = JSON.stringify({ message: 'broken', code: 'internal' });

async function expectTypedEnds(operation: Operation, way: Break): Promise<void> {
  const answer = framings['with a length']('500 Internal Server Error', body);
  const head = answer.indexOf('\r\n\r\n') + 4;
  const cuts = await cutEverywhere(operation, answer, way);
  expect(cuts.at(-1)?.outcome.type).toBe('server_error');
  for (const cut of cuts) {
    const { position, outcome } = cut;
    const where = `${way} at byte ${position} of ${answer.length}`;
    const lost = way === 'stalled' ? 'timeout_error' : 'connection_error';
    // A status that has come tells what happened; a reset may overtake it, and a timeout come before it.
    const types = position < head ? [lost] : way === 'closed' ? ['server_error'] : ['server_error', lost];
    expect(types, where).toContain(outcome.type);
    expect(isUnknown(outcome), where).toBe(!mayRepeat(operation) && position < answer.length);
    expectAttempts(cut, mayRepeat(operation), way);
  }
}

test.each(operations)(
  '$name, refused with the error body: closed, reset or stalled at every byte',
  async (operation) => {
    watchProcess();
    await Promise.all(ways.map((way) => expectTypedEnds(operation, way)));
  },
);
