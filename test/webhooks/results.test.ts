import { expect, test } from 'vitest';
import { delivery, settle } from './deliveries.js';
import { handling } from './receivers.js';

// What a handler returns: an event is handled if it did not throw, so a result that meant something else is warned of.

const REFUSAL =
  'a handler returned false, an error or an error status, which has no effect: throw to refuse the event (logged once)';
const error = new Error('no');

test.each<[what: string, result: unknown]>([
  ['false', false],
  ['a Response of an error', new Response(null, { status: 400 })],
  ['{ status }', { status: 400 }],
  ['{ statusCode }', { statusCode: 503, body: '' }],
  ['an error', error],
  ['{ ok: false }', { ok: false }],
  ['{ success: false }', { success: false }],
  ['a list with an error in a list', [[undefined], [[error]]]],
  ['what Promise.allSettled has caught', [{ status: 'rejected', reason: error }]],
])('%s leaves one warning for each type', async (_, result) => {
  const { lines, send } = handling({ dedupe: false }, () => result);
  for (const type of ['webhook_test', 'webhook_test', 'lead_captured']) {
    expect(await send(delivery(type))).toEqual([200]);
  }
  const line = (type: string) => `warn [agent-platform-sdk] webhook ${type}: ${REFUSAL}`;
  expect(lines).toEqual([line('webhook_test'), line('lead_captured')]);
});

test.each<[what: string, run: () => unknown]>([
  ['a function', () => () => undefined],
  ['an Observable', () => ({ subscribe: () => undefined })],
  // biome-ignore lint/correctness/useYield: it is never started.
  ['a generator', () => (function* () {})()],
  // biome-ignore lint/correctness/useYield: it is never started.
  ['a generator', () => (async function* () {})()],
  ['an Observable', () => ({ '@@observable': () => undefined })],
  ['an Observable', () => [1, 2].map(() => ({ subscribe: () => undefined }))],
  ['a function', () => [1, 2].map(() => async () => () => undefined)],
])('%s leaves a warning: nobody starts it', async (what, run) => {
  const { lines, send } = handling({}, run);
  expect(await send(delivery('webhook_test'))).toEqual([200]);
  expect(lines).toEqual([expect.stringMatching(`^warn .*a handler returned ${what}, which nobody runs`)]);
});

/** Data that contains itself. */
const list: unknown[] = [false, { status: 500 }, { success: false }, undefined];
list.push(list);

const silent = [list, [], undefined, null, true, 0, '', {}, { ok: true }, { status: 'ok' }, { status: 399 }];

test.each([...silent, new Response('ok')].map((result) => ({ result })))(
  '$result leaves no warning',
  async ({ result }) => {
    const { lines, send } = handling({}, () => result);
    expect(await send(delivery('webhook_test'))).toEqual([200]);
    expect(lines).toEqual([]);
  },
);

// graphile/crystal#397
test('a list of promises is awaited, and one that rejects is a 500', async () => {
  const saved: number[] = [];
  const save = async (index: number) => {
    await settle();
    if (index === 3) throw error;
    saved.push(index);
  };
  const sent = (run: () => unknown) => handling({}, run).send(delivery('webhook_test'));
  expect(await sent(() => [1, 2].map(save))).toEqual([200]);
  expect(saved).toEqual([1, 2]);
  expect(await sent(() => [1, 2, 3].map(save))).toEqual([500, 'handler_failed']);
  const inLists = () => [[1], [3]].map(async (indices) => indices.map(save));
  expect(await sent(inLists)).toEqual([500, 'handler_failed']);
});
