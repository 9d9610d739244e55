import { getEventListeners } from 'node:events';
import type { AgentPlatform, RequestOptions } from 'agent-platform-sdk';
import { expect } from 'vitest';
import { connect } from '../../support/client.js';
import { inForm } from '../support/form.js';
import type { Operation } from '../support/operations.js';
import { type Outcome, outcomeOf } from '../support/outcome.js';
import { type RawServer, startRawServer } from '../support/raw-server.js';
import { type Break, breaks } from '../support/wire.js';

/** Milliseconds for an attempt whose answer comes, on a busy machine too. */
const AMPLE = 20_000;
/** Milliseconds for one whose answer does not. */
const BRIEF = inForm({ short: 300, long: 1_000 });
const MAX_RETRIES = 1;

export const ways = Object.keys(breaks) as Break[];

/** The outcome of an answer that ends at one position. */
export interface Cut {
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

/** Calls once for each byte of an answer, which ends there. */
export async function cutEverywhere(
  operation: Operation,
  answer: Buffer,
  way: Break,
): Promise<readonly Cut[]> {
  const server = await breakOff(answer, way);
  const timeout = way === 'stalled' ? BRIEF : AMPLE;
  const platform = connect(server.url, { timeout, maxRetries: MAX_RETRIES });
  const { signal } = new AbortController();
  const cuts = await Promise.all(
    Array.from({ length: answer.length + 1 }, (_, position) => {
      const options = position === answer.length ? { signal, timeout: AMPLE } : { signal };
      return cutAt(position, operation, platform, server, options);
    }),
  );
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  await expect.poll(server.open, { timeout: 30_000 }).toBe(0);
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

/** Holds the attempts to one, or to the two that are safe. What has timed out may have been given up before it reached the server. */
export function expectAttempts({ attempts, position }: Cut, isTriedAgain: boolean, way: Break): void {
  const most = isTriedAgain ? 1 + MAX_RETRIES : 1;
  if (way === 'stalled') expect(attempts, `at byte ${position}`).toBeLessThanOrEqual(most);
  else expect(attempts, `at byte ${position}`).toBe(most);
}

export const mayRepeat = ({ method }: Operation) => method === 'GET';
