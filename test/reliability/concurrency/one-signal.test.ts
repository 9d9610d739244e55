import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { connect, success } from '../../support/client.js';
import { bytesInUse, collectGarbage } from '../../support/memory.js';
import { startServer } from '../../support/server.js';
import { inForm } from '../support/form.js';
import { MIB } from '../support/heap.js';
import { watchProcess } from '../support/watch.js';

const CALLS = inForm({ short: 10_000, long: 100_000 });
const AT_ONCE = 100;
const answer = JSON.stringify(success({ id: 't1' }));

/** Collected in several turns: a runtime lets go of a `Request` and its signal only after it was told that they are gone. */
async function bytesLeft(): Promise<number> {
  for (let turn = 0; turn < 5; turn += 1) {
    collectGarbage();
    await setTimeout(20);
  }
  return bytesInUse();
}

test(`a signal reused for ${CALLS} calls: nothing is left of any`, async () => {
  watchProcess();
  const platform = connect('http://127.0.0.1', {
    fetch: async () => new Response(answer, { headers: { 'content-type': 'application/json' } }),
  });
  const { signal } = new AbortController();
  const makeCalls = async (count: number) => {
    for (let made = 0; made < count; made += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => platform.tools.get('t1', { signal })));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  };
  await makeCalls(CALLS / 10);
  // A runtime grows by itself now and then; what a call leaves behind shows in every round. A listener or a
  // timer alone would keep some hundred bytes of each call.
  const grown: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const before = await bytesLeft();
    await makeCalls(CALLS);
    grown.push((await bytesLeft()) - before);
  }
  expect(Math.min(...grown)).toBeLessThan(MIB / 2 + CALLS * 20);
});

test('a signal reused over real HTTP: nothing is left of any call', async () => {
  watchProcess();
  const server = await startServer((_, response) => void response.end(answer));
  const platform = connect(server.url);
  const { signal } = new AbortController();
  for (let made = 0; made < CALLS / 10; made += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => platform.tools.get('t1', { signal })));
  }
  expect(server.requests).toHaveLength(CALLS / 10);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
