import { getEventListeners } from 'node:events';
import type { AgentPlatform } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { connect, success } from '../../support/client.js';
import { startServer } from '../../support/server.js';
import { rounds, seededRandom } from '../support/form.js';
import { type Outcome, outcomeOf, tally } from '../support/outcome.js';
import { watchProcess } from '../support/watch.js';

const CALLS = 1_000;
/** Milliseconds within which answers come, and signals are aborted. */
const SPREAD = 200;

/** Answers each call with the id that it asked for, after a while. */
const startEcho = (random: () => number) =>
  startServer(({ url }, response) => {
    const id = url.slice(url.lastIndexOf('/') + 1);
    const body = JSON.stringify(success({ id, ID: id }));
    const timer = setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(body);
    }, random() * SPREAD);
    response.once('close', () => clearTimeout(timer));
  });

/** A call that tells, by its value, whose answer it was given. */
type Call = (platform: AgentPlatform, id: string, signal: AbortSignal) => Promise<string>;

const callFor = (number: number): Call => {
  if (number % 3 === 0) return async (platform, id, signal) => (await platform.tools.get(id, { signal })).id;
  if (number % 3 === 1) {
    return async (platform, id, signal) => {
      const { ID } = await platform.conversations.get({ agentId: 'a', convoId: id }, { signal });
      return ID ?? '';
    };
  }
  return async (platform, id, signal) => {
    const { response } = await platform.workspaces.delete(id, { signal }).withResponse();
    return response.url.slice(response.url.lastIndexOf('/') + 1);
  };
};

test.each(rounds)(
  '1,000 calls at once, aborted at random, round %i: each ends in its own answer or in an AbortError',
  async (round) => {
    watchProcess();
    const random = seededRandom(`aborts ${round}`);
    const server = await startEcho(seededRandom(`latencies ${round}`));
    const platform = connect(server.url, { timeout: 60_000 });
    const signals: AbortSignal[] = [];
    const outcomes = await Promise.all(
      Array.from({ length: CALLS }, async (_, number): Promise<Outcome> => {
        const controller = new AbortController();
        signals.push(controller.signal);
        // Some before they are sent, some while they are under way, some after their end, some never.
        const moment = random() * 4 * SPREAD - SPREAD;
        if (moment < 0) controller.abort();
        else if (moment < 2 * SPREAD) setTimeout(() => controller.abort(), moment);
        const id = `id_${number}`;
        const outcome = await outcomeOf(callFor(number)(platform, id, controller.signal));
        if ('value' in outcome) expect(outcome.value).toBe(id);
        return outcome;
      }),
    );
    const { value = 0, abort_error: aborted = 0, ...others } = tally(outcomes);
    expect(others).toEqual({});
    expect(value).toBeGreaterThan(CALLS / 10);
    expect(aborted).toBeGreaterThan(CALLS / 10);
    // None is tried again, and none that was aborted before is sent.
    expect(server.requests.length).toBeLessThanOrEqual(CALLS);
    expect(signals.flatMap((signal) => getEventListeners(signal, 'abort'))).toEqual([]);
  },
);

test('1,000 calls at once, all ended by one signal', async () => {
  watchProcess();
  const server = await startServer(() => undefined);
  const platform = connect(server.url);
  const controller = new AbortController();
  const { signal } = controller;
  const running = Array.from({ length: 1_000 }, (_, number) =>
    outcomeOf(platform.tools.get(`t${number}`, { signal })),
  );
  await expect.poll(() => server.requests.length, { timeout: 30_000 }).toBeGreaterThan(100);
  controller.abort(new Error('the user has left'));
  expect(tally(await Promise.all(running))).toEqual({ abort_error: 1_000 });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
