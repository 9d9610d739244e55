import { expect, test } from 'vitest';
import { Batcher } from '../../src/postgres/batcher.js';
import { deferred } from '../support/deferred.js';

/** The sizes of the batches in which items of these sizes are sent. */
async function batchesOf(sizes: readonly number[]): Promise<number[]> {
  const batches: number[] = [];
  const send = async (items: readonly number[]) => {
    batches.push(items.length);
    return items;
  };
  const batcher = new Batcher<number, number>(send, (size) => size);
  expect(await Promise.all(sizes.map((size) => batcher.add(size)))).toEqual(sizes);
  return batches;
}

test.each<[what: string, sizes: number[], batches: number[]]>([
  ['500 items', Array(500).fill(1), [500]],
  ['501 items', Array(501).fill(1), [500, 1]],
  ['4,000,000 characters', [2_000_000, 2_000_000], [2]],
  ['one more', [2_000_000, 2_000_001], [1, 1]],
  ['one item that is larger than a batch', [5_000_000, 1], [1, 1]],
])('%s are sent in as few queries as their limits allow', async (_, sizes, batches) => {
  expect(await batchesOf(sizes)).toEqual(batches);
});

test('one that Postgres refuses takes no other with it, and flush waits for all', async () => {
  const { promise, resolve } = deferred();
  const send = async (items: readonly string[]) => {
    await promise;
    if (items.includes('bad')) throw Object.assign(new Error('no'), { code: '22P05' });
    return items;
  };
  const batcher = new Batcher<string, string>(send, () => 1);
  const sent = Promise.allSettled(['one', 'bad', 'other'].map((item) => batcher.add(item)));
  let isFlushed = false;
  const flushed = batcher.flush().then(() => {
    isFlushed = true;
  });
  await new Promise((next) => setImmediate(next));
  expect(isFlushed).toBe(false);
  resolve();
  expect((await sent).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await flushed;
});
