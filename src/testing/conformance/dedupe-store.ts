import { sleep } from '../../utils/waiting.js';
import type { DedupeStore } from '../../webhooks/dedupe/store.js';
import { expectSame, randomKey } from './support.js';

/** A store to test, and the means to advance its clock. */
export interface DedupeStoreSubject {
  /** An empty store, or one that no other case has used a key of. */
  readonly store: DedupeStore;
  /** Advances the store's clock by `ms` milliseconds. Default: waits. */
  readonly wait?: ((ms: number) => Promise<void>) | undefined;
}

/** One rule that a store must keep. */
export interface DedupeStoreCase {
  /** The rule, as a title for a test. */
  readonly name: string;
  /** Rejects with a readable error if the store breaks the rule. */
  run(create: () => DedupeStoreSubject | Promise<DedupeStoreSubject>): Promise<void>;
}

interface Subject {
  readonly store: DedupeStore;
  readonly key: string;
  readonly wait: (ms: number) => Promise<void>;
}

/** Long enough for every step of a case, short enough to wait for. */
const SHORT_LEASE_MS = 300;
const LONG_LEASE_MS = 60_000;
/** By then, a short lease has expired. */
const EXPIRY_MS = SHORT_LEASE_MS + 100;

/**
 * The rules of a `DedupeStore`, for the tests of a custom store, with any test framework.
 *
 * @example
 * ```ts
 * import { createMemoryDedupe } from 'agent-platform-sdk';
 * import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
 * import { test } from 'vitest';
 *
 * test.each(dedupeStoreConformance)('my store: $name', ({ run }) =>
 *   run(() => ({ store: createMemoryDedupe() })),
 * );
 * ```
 */
export const dedupeStoreConformance: readonly DedupeStoreCase[] = [
  rule('a free event is new', async ({ store, key }) => {
    expectSame(await store.claim(key, 'a', LONG_LEASE_MS), 'new');
  }),
  rule('an event that another owner holds is pending', async ({ store, key }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'pending');
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'pending');
  }),
  rule('one of many simultaneous claims is new', async ({ store, key }) => {
    const owners = Array.from({ length: 50 }, (_, index) => `owner ${index}`);
    const results = await Promise.all(owners.map(async (owner) => store.claim(key, owner, LONG_LEASE_MS)));
    expectSame(results.filter((result) => result === 'new').length, 1);
    expectSame(results.filter((result) => result === 'pending').length, 49);
  }),
  rule('keys are independent', async ({ store, key }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    await store.complete(key, 'a', LONG_LEASE_MS);
    expectSame(await store.claim(otherKey(key), 'b', LONG_LEASE_MS), 'new');
  }),
  rule('a completed event is done, for every owner', async ({ store, key }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    await store.complete(key, 'a', LONG_LEASE_MS);
    expectSame(await store.claim(key, 'a', LONG_LEASE_MS), 'done');
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'done');
  }),
  rule('a completed event is done until it expires, then new', async ({ store, key, wait }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    await store.complete(key, 'a', SHORT_LEASE_MS);
    await store.release(key, 'a');
    expectSame(await store.claim(key, 'a', LONG_LEASE_MS), 'done');
    await wait(EXPIRY_MS);
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'new');
  }),
  rule('a completed event outlives the lease of its claim', async ({ store, key, wait }) => {
    await store.claim(key, 'a', SHORT_LEASE_MS);
    await store.complete(key, 'a', LONG_LEASE_MS);
    await wait(EXPIRY_MS);
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'done');
  }),
  rule('a released event is new', async ({ store, key }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    await store.release(key, 'a');
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'new');
  }),
  rule('only the owner releases a claim', async ({ store, key }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    await store.release(key, 'b');
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'pending');
  }),
  rule('only the owner completes a claim', async ({ store, key }) => {
    await store.claim(key, 'a', LONG_LEASE_MS);
    await store.complete(key, 'b', LONG_LEASE_MS);
    expectSame(await store.claim(key, 'c', LONG_LEASE_MS), 'pending');
    await store.release(key, 'a');
    expectSame(await store.claim(key, 'c', LONG_LEASE_MS), 'new');
  }),
  rule('an expired claim is free', async ({ store, key, wait }) => {
    await store.claim(key, 'a', SHORT_LEASE_MS);
    await wait(EXPIRY_MS);
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'new');
  }),
  rule('the owner renews a claim', async ({ store, key, wait }) => {
    await store.claim(key, 'a', SHORT_LEASE_MS);
    expectSame(await store.claim(key, 'a', LONG_LEASE_MS), 'new');
    await wait(EXPIRY_MS);
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'pending');
  }),
  rule('a claim lost to another owner is not renewed', async ({ store, key, wait }) => {
    await loseClaim({ store, key, wait });
    expectSame(await store.claim(key, 'a', LONG_LEASE_MS), 'pending');
  }),
  rule('an owner that lost its claim does not release the new one', async ({ store, key, wait }) => {
    await loseClaim({ store, key, wait });
    await store.release(key, 'a');
    expectSame(await store.claim(key, 'c', LONG_LEASE_MS), 'pending');
  }),
  rule('an owner that lost its claim does not complete the new one', async ({ store, key, wait }) => {
    await loseClaim({ store, key, wait });
    await store.complete(key, 'a', LONG_LEASE_MS);
    expectSame(await store.claim(key, 'c', LONG_LEASE_MS), 'pending');
  }),
  rule(
    'an owner with an expired lease completes if nobody else has claimed',
    async ({ store, key, wait }) => {
      await store.claim(key, 'a', SHORT_LEASE_MS);
      await wait(EXPIRY_MS);
      await store.complete(key, 'a', LONG_LEASE_MS);
      expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'done');
    },
  ),
  rule('releasing a free event changes nothing', async ({ store, key }) => {
    await store.release(key, 'a');
    expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'new');
  }),
];

/** The lease of `a` expires, and `b` claims the event. */
async function loseClaim({ store, key, wait }: Subject): Promise<void> {
  await store.claim(key, 'a', SHORT_LEASE_MS);
  await wait(EXPIRY_MS);
  expectSame(await store.claim(key, 'b', LONG_LEASE_MS), 'new');
}

/* @__NO_SIDE_EFFECTS__ */
function rule(name: string, check: (subject: Subject) => Promise<void>): DedupeStoreCase {
  const run: DedupeStoreCase['run'] = async (create) => {
    const { store, wait = sleep } = await create();
    await check({ store, wait, key: randomKey() });
  };
  return { name, run };
}

const otherKey = (key: string): string => (key.startsWith('0') ? '1' : '0') + key.slice(1);
