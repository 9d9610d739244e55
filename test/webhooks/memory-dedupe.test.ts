import { ConfigurationError, createMemoryDedupe } from 'agent-platform-sdk';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { expect, test } from 'vitest';
import { ManualClock } from './manual-clock.js';

function setUp(maxKeys?: number) {
  const clock = new ManualClock();
  const store = createMemoryDedupe({ clock, maxKeys });
  const handle = async (key: string, ttlMs: number) => {
    await store.claim(key, 'owner', 1_000);
    await store.complete(key, 'owner', ttlMs);
  };
  return { store, clock, handle, wait: (ms: number) => clock.advance(ms) };
}

test.each(dedupeStoreConformance)('the memory store keeps the rule: $name', ({ run }) =>
  expect(run(setUp)).resolves.toBeUndefined(),
);

test('the oldest of too many handled events is forgotten', () => {
  const { store } = setUp(2);
  for (const key of ['a', 'b', 'c']) {
    void store.claim(key, 'owner', 1_000);
    void store.complete(key, 'owner', 1_000);
  }
  expect(['a', 'b', 'c'].map((key) => store.claim(key, 'other', 1_000))).toEqual(['new', 'done', 'done']);
});

test('by default a hundred thousand handled events are remembered', () => {
  const { store } = setUp();
  for (let key = 0; key <= 100_000; key += 1) {
    void store.claim(`${key}`, 'owner', 1_000);
    void store.complete(`${key}`, 'owner', 1_000);
  }
  expect(['0', '1', '100000'].map((key) => store.claim(key, 'other', 1_000))).toEqual([
    'new',
    'done',
    'done',
  ]);
});

test.each([
  ['a', 10, 10_000, ['done', 'new', 'done']],
  ['b', 10_000, 10, ['new', 'done', 'done']],
] as const)('of two, %s is the younger once it was handled again', async (again, first, second, left) => {
  const { store, clock, handle } = setUp(2);
  await handle('a', first);
  await handle('b', second);
  await clock.advance(10);
  await handle(again, 10_000);
  await handle('c', 10_000);
  expect(['a', 'b', 'c'].map((key) => store.claim(key, 'other', 1_000))).toEqual(left);
});

test('events that are being handled are not forgotten, however many', () => {
  const { store } = setUp(1);
  for (const key of ['a', 'b', 'c']) void store.claim(key, 'owner', 1_000);
  expect(['a', 'b', 'c'].map((key) => store.claim(key, 'other', 1_000))).toEqual([
    'pending',
    'pending',
    'pending',
  ]);
});

test.each([{ maxKeys: 0 }, { maxKeys: Number.NaN }, { maxkeys: 1 }, { clock: {} }])(
  'refuses the options %j',
  (options) => {
    expect(() => createMemoryDedupe(options as object)).toThrow(ConfigurationError);
  },
);

test('forgetting goes on after everything was forgotten', async () => {
  const { store, clock, handle } = setUp(2);
  for (const key of ['a', 'b']) await handle(key, 0);
  for (const key of ['c', 'd', 'e']) await handle(key, 10_000);
  expect(['c', 'd', 'e'].map((key) => store.claim(key, 'other', 1_000))).toEqual(['new', 'done', 'done']);
  await clock.advance(10_000);
  expect(store.claim('e', 'other', 1_000)).toBe('new');
});

test('a claim is free at the end of its lease, and not before', async () => {
  const { store, wait } = setUp();
  expect(store.claim('key', 'one', 100)).toBe('new');
  await wait(99);
  expect(store.claim('key', 'two', 100)).toBe('pending');
  await wait(1);
  expect(store.claim('key', 'two', 100)).toBe('new');
});
