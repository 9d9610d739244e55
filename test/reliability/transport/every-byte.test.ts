import { getEventListeners } from 'node:events';
import type { AgentPlatform, RequestOptions } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { connect } from '../../support/server.js';
import { inForm } from '../support/form.js';
import { type Operation, operations } from '../support/operations.js';
import { isUnknown, type Outcome, outcomeOf } from '../support/outcome.js';
import { type RawServer, startRawServer } from '../support/raw-server.js';
import { watchProcess } from '../support/watch.js';
import { type Break, breaks, type Framing, framings } from '../support/wire.js';

/** Milliseconds for an attempt whose answer comes, on a busy machine too. */
const AMPLE = 20_000;
/** Milliseconds for one whose answer does not. */
const BRIEF = inForm({ short: 300, long: 1_000 });
const MAX_RETRIES = 1;

const ways = Object.keys(breaks) as Break[];
const allFramings = Object.keys(framings) as Framing[];
const cases = operations.flatMap((operation) =>
  allFramings.flatMap((framing) => ways.map((way) => ({ operation, framing, way }))),
);

/** What an answer comes to that ends at one position. */
interface Cut {
  readonly position: number;
  readonly outcome: Outcome;
  readonly attempts: number;
}

/** A server that breaks each answer off where the request asks for it. */
const breakOff = (answer: Buffer, way: Break) =>
  startRawServer((socket, { headers }) => {
    const part = answer.subarray(0, Number(headers.get('x-break-at')));
    // A whole answer ends in an orderly way, so that no connection is left for another call.
    if (part.length === answer.length) socket.end(part);
    else breaks[way](socket, part);
  });

async function cutEverywhere(
  operation: Operation,
  answer: Buffer,
  way: Break,
  timeout: number,
): Promise<readonly Cut[]> {
  const server = await breakOff(answer, way);
  const platform = connect(server.url, { timeout, maxRetries: MAX_RETRIES });
  const { signal } = new AbortController();
  const cuts = await Promise.all(
    Array.from({ length: answer.length + 1 }, (_, position) => {
      const options = position === answer.length ? { signal, timeout: AMPLE } : { signal };
      return cutAt(position, operation, platform, server, options);
    }),
  );
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  await expect.poll(server.open, { timeout: 5_000 }).toBe(0);
  return cuts;
}

async function cutAt(
  position: number,
  { call }: Operation,
  platform: AgentPlatform,
  { requests }: RawServer,
  options: RequestOptions,
): Promise<Cut> {
  const at = String(position);
  const outcome = await outcomeOf(call(platform, { ...options, headers: { 'x-break-at': at } }));
  const attempts = requests.filter(({ headers }) => headers.get('x-break-at') === at).length;
  return { position, outcome, attempts };
}

/** What must become of an answer 200 that is broken off. Bodies that end with the connection only look short. */
function expectedType(cut: Cut, head: number, { operation, framing, way }: (typeof cases)[number]): string {
  if (way === 'stalled') return 'timeout_error';
  if (framing !== 'until the end of the connection' || cut.position < head || way === 'reset') {
    return 'connection_error';
  }
  const isEmpty = cut.position === head;
  return isEmpty && operation.method === 'DELETE' ? 'value' : 'response_validation_error';
}

/** What has timed out may have been given up before it reached the server. */
function expectAttempts({ attempts, position }: Cut, isTriedAgain: boolean, way: Break): void {
  const most = isTriedAgain ? 1 + MAX_RETRIES : 1;
  if (way === 'stalled') expect(attempts, `at byte ${position}`).toBeLessThanOrEqual(most);
  else expect(attempts, `at byte ${position}`).toBe(most);
}

const mayRepeat = ({ method }: Operation) => method === 'GET';

test.each(cases)('$operation.name, sent $framing, $way at every byte', async (each) => {
  watchProcess();
  const { operation, framing, way } = each;
  const answer = framings[framing]('200 OK', operation.body);
  const head = answer.indexOf('\r\n\r\n') + 4;
  const cuts = await cutEverywhere(operation, answer, way, way === 'stalled' ? BRIEF : AMPLE);
  expect(cuts.at(-1)?.outcome).toEqual({ type: 'value', value: operation.value });
  for (const cut of cuts.slice(0, -1)) {
    const where = `at byte ${cut.position} of ${answer.length}`;
    const type = expectedType(cut, head, each);
    const isTriedAgain = mayRepeat(operation) && /connection|timeout/.test(type);
    expect(cut.outcome.type, where).toBe(type);
    expect(isUnknown(cut.outcome), where).toBe(!mayRepeat(operation) && type !== 'value');
    expectAttempts(cut, isTriedAgain, way);
  }
});

test.each(operations.flatMap((operation) => ways.map((way) => ({ operation, way }))))(
  '$operation.name, refused with the error body, $way at every byte',
  async ({ operation, way }) => {
    watchProcess();
    const body = JSON.stringify({ message: 'broken', code: 'internal' });
    const answer = framings['with a length']('500 Internal Server Error', body);
    const head = answer.indexOf('\r\n\r\n') + 4;
    // Where it stalls after the headers, these must have come first.
    const cuts = await cutEverywhere(operation, answer, way, way === 'stalled' ? 4 * BRIEF : AMPLE);
    for (const cut of cuts) {
      const { position, outcome } = cut;
      const where = `at byte ${position} of ${answer.length}`;
      // The status has come, and tells what happened; what is left of the body tells nothing.
      const type =
        position >= head ? 'server_error' : way === 'stalled' ? 'timeout_error' : 'connection_error';
      expect(outcome.type, where).toBe(type);
      expect(isUnknown(outcome), where).toBe(!mayRepeat(operation) && position < answer.length);
      expectAttempts(cut, mayRepeat(operation), way);
    }
  },
);
