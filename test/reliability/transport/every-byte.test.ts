import { expect, test } from 'vitest';
import { inForm } from '../support/form.js';
import { type Operation, operations } from '../support/operations.js';
import { isUnknown } from '../support/outcome.js';
import { watchProcess } from '../support/watch.js';
import { type Break, type Framing, framings } from '../support/wire.js';
import { cutEverywhere, expectAttempts, mayRepeat, ways } from './cuts.js';

const allFramings = Object.keys(framings) as Framing[];
/** The short form breaks off one answer to each method in the other framings. */
const inOtherFramings = inForm({
  short: ['createVariable', 'listDefaultTools', 'deleteWorkspace'],
  long: operations.map(({ name }) => name),
});
const cases = operations.flatMap((operation) =>
  allFramings
    .filter((framing) => framing === 'with a length' || inOtherFramings.includes(operation.name))
    .map((framing) => ({ operation, framing })),
);

/** One way of breaking off an answer. */
interface Broken {
  readonly operation: Operation;
  readonly framing: Framing;
  readonly way: Break;
}

/**
 * Framings whose end Node does not look for: where an answer says `connection: close` and has no length, what came before the
 * connection ended is the body, whole chunks or not. Such a body only looks short, and its JSON tells.
 */
const looseFramings: readonly Framing[] = [
  'until the end of the connection',
  'in chunks, by a server that closes',
];

/** The types of outcome allowed for an answer 200 that is broken off at a position. */
function expectedTypes(position: number, answer: Buffer, { operation, framing, way }: Broken): string[] {
  if (way === 'stalled') return ['timeout_error'];
  const head = answer.indexOf('\r\n\r\n') + 4;
  if (!looseFramings.includes(framing) || position < head) return ['connection_error'];
  // Only the mark of the last chunk is missing.
  const isWhole = position >= answer.lastIndexOf('}') + 1;
  const hasNoBody = framing.startsWith('in chunks') ? position <= answer.indexOf('{') : position === head;
  const isSuccess = isWhole || (hasNoBody && operation.method === 'DELETE');
  const type = isSuccess ? 'value' : 'response_validation_error';
  // Node takes a reset for the end of such a body, unless it overtakes what was sent before it.
  return way === 'reset' ? [type, 'response_validation_error', 'connection_error'] : [type];
}

async function expectTypedEnds(broken: Broken): Promise<void> {
  const { operation, framing, way } = broken;
  const answer = framings[framing]('200 OK', operation.body);
  const cuts = await cutEverywhere(operation, answer, way);
  expect(cuts.at(-1)?.outcome).toEqual({ type: 'value', value: operation.value });
  for (const cut of cuts.slice(0, -1)) {
    const where = `${way} at byte ${cut.position} of ${answer.length}`;
    const { type } = cut.outcome;
    const isTriedAgain = mayRepeat(operation) && /connection|timeout/.test(type);
    expect(expectedTypes(cut.position, answer, broken), where).toContain(type);
    expect(isUnknown(cut.outcome), where).toBe(!mayRepeat(operation) && type !== 'value');
    expectAttempts(cut, isTriedAgain, way);
  }
}

test.each(cases)('$operation.name, sent $framing: closed, reset or stalled at every byte', async (each) => {
  watchProcess();
  await Promise.all(ways.map((way) => expectTypedEnds({ ...each, way })));
});
