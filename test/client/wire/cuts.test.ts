import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Call, calls, type Outcome, outcomeOf, startRawServer, wire } from '../../support/raw-server.js';
import { connect } from '../../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const JSON_TYPE = 'content-type: application/json';
const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;

const framings = {
  'with a length': (status: string, body: string) =>
    wire(status, [JSON_TYPE, 'connection: close', `content-length: ${body.length}`], body),
  'in chunks': (status: string, body: string) =>
    wire(
      status,
      [JSON_TYPE, 'transfer-encoding: chunked'],
      `${chunk(body.slice(0, 9))}${chunk(body.slice(9))}0\r\n\r\n`,
    ),
};

const breaks = {
  closed: (socket: Socket, part: Uint8Array) => void socket.end(part),
  reset: (socket: Socket, part: Uint8Array) => void socket.write(part, () => socket.resetAndDestroy()),
  stalled: (socket: Socket, part: Uint8Array) => void socket.write(part),
};

type Way = keyof typeof breaks;
const ways = Object.keys(breaks) as Way[];
/** A DELETE is cut as a POST is. */
const cutCalls = calls.filter(({ method }) => method !== 'DELETE');
const lostBy = (way: Way) => (way === 'stalled' ? 'timeout_error' : 'connection_error');

interface Cut extends Outcome {
  readonly position: number;
  readonly attempts: number;
}

/** Calls once for each byte of a response but the last, and ends the response there. */
async function cutEverywhere(call: Call, response: Buffer, way: Way): Promise<readonly Cut[]> {
  const server = await startRawServer((socket, head) => {
    breaks[way](socket, response.subarray(0, Number(/x-cut-at: (\d+)/.exec(head)?.[1])));
  });
  const platform = connect(server.url, { timeout: way === 'stalled' ? 500 : 20_000, maxRetries: 1 });
  const cuts = await Promise.all(
    Array.from({ length: response.length }, async (_, position) => {
      const headers = { 'x-cut-at': String(position) };
      const outcome = await outcomeOf(call.make(platform, { headers }));
      const attempts = server.requests.filter((head) => head.includes(`x-cut-at: ${position}\r\n`)).length;
      return { ...outcome, position, attempts };
    }),
  );
  await expect.poll(server.open, { timeout: 20_000 }).toBe(0);
  return cuts;
}

/** A GET is tried twice, others once. What timed out may not have reached the server. */
function expectAttempts({ attempts }: Cut, { method }: Call, way: Way, where: string): void {
  const most = method === 'GET' ? 2 : 1;
  if (way === 'stalled') expect(attempts, where).toBeLessThanOrEqual(most);
  else expect(attempts, where).toBe(most);
}

/** Chunks need only one way: whether their end is missed. */
const framedWays = [...ways.map((way) => ['with a length', way] as const), ['in chunks', 'closed'] as const];
const successes = cutCalls.flatMap((call) =>
  framedWays.map(([framing, way]) => [call.method, framing, way, call] as const),
);

test.each(successes)(
  '%s with a response %s, %s at any byte, is a connection error or a timeout',
  async (_, framing, way, call) => {
    for (const cut of await cutEverywhere(call, framings[framing]('200 OK', call.body), way)) {
      const where = `${way} at byte ${cut.position}`;
      expect(cut.type, where).toBe(lostBy(way));
      expect(cut.unknown, where).toBe(call.method !== 'GET');
      expectAttempts(cut, call, way, where);
    }
  },
);

test.each(cutCalls)(
  '$method with a 500, closed at any byte, keeps the status once it was received',
  async (call) => {
    const response = framings['with a length']('500 Internal Server Error', '{"message":"broken"}');
    const head = response.indexOf('\r\n\r\n') + 4;
    for (const cut of await cutEverywhere(call, response, 'closed')) {
      const where = `at byte ${cut.position}`;
      expect(cut.type, where).toBe(cut.position < head ? 'connection_error' : 'server_error');
      expect(cut.unknown, where).toBe(call.method !== 'GET');
      expectAttempts(cut, call, 'closed', where);
    }
  },
);
