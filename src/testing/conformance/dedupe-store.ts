import { sleep } from '../../utils/waiting.js';
import type { ClaimResult, DedupeStore } from '../../webhooks/dedupe/store.js';
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

/** A store with an event that no rule has used yet. */
interface Subject {
  readonly store: DedupeStore;
  readonly key: string;
  readonly wait: (ms: number) => Promise<void>;
}

/** A step of a rule. Rejects if the store does something else. */
type Step = (subject: Subject) => Promise<void>;

/** Long enough for every step of a rule in a slow store, short enough to wait for. */
const SHORT_LEASE_MS = 1_000;
const LONG_LEASE_MS = 60_000;

/**
 * Tests a custom `DedupeStore`, in any test framework.
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
  rule('a free event is new', claims('a', 'new')),
  rule('an event that another owner holds is pending', claims('a', 'new'), claims('b', 'pending')),
  rule('one of many simultaneous claims is new', async ({ store, key }) => {
    const owners = Array.from({ length: 50 }, (_, index) => `owner ${index}`);
    const results = await Promise.all(owners.map(async (owner) => store.claim(key, owner, LONG_LEASE_MS)));
    expectSame(results.filter((result) => result === 'new').length, 1);
    expectSame(results.filter((result) => result === 'pending').length, 49);
  }),
  rule('keys are independent', claims('a', 'new'), completes('a'), ({ store, key, wait }) =>
    claims('b', 'new')({ store, wait, key: (key.startsWith('0') ? '1' : '0') + key.slice(1) }),
  ),
  rule(
    'a completed event is done until it expires, then new',
    claims('a', 'new'),
    completes('a', SHORT_LEASE_MS),
    releases('a'),
    claims('a', 'done'),
    expire,
    claims('b', 'new'),
  ),
  rule(
    'a completed event outlives the lease of its claim',
    claims('a', 'new', SHORT_LEASE_MS),
    completes('a'),
    expire,
    claims('b', 'done'),
  ),
  rule('a released event is new', claims('a', 'new'), releases('a'), claims('b', 'new')),
  rule(
    'only the owner releases or completes a claim',
    claims('a', 'new'),
    releases('b'),
    claims('b', 'pending'),
    completes('b'),
    claims('c', 'pending'),
  ),
  rule('an expired claim is free', claims('a', 'new', SHORT_LEASE_MS), expire, claims('b', 'new')),
  rule(
    'the owner renews a claim',
    claims('a', 'new', SHORT_LEASE_MS),
    claims('a', 'new'),
    expire,
    claims('b', 'pending'),
  ),
  rule(
    'an owner that lost its claim does not renew, release or complete the new one',
    claims('a', 'new', SHORT_LEASE_MS),
    expire,
    claims('b', 'new'),
    claims('a', 'pending'),
    releases('a'),
    claims('c', 'pending'),
    completes('a'),
    claims('c', 'pending'),
  ),
  rule(
    'an owner with an expired lease completes if nobody else has claimed',
    claims('a', 'new', SHORT_LEASE_MS),
    expire,
    completes('a'),
    claims('b', 'done'),
  ),
  rule('releasing a free event changes nothing', releases('a'), claims('b', 'new')),
];

/* @__NO_SIDE_EFFECTS__ */
function rule(name: string, ...steps: readonly Step[]): DedupeStoreCase {
  const run: DedupeStoreCase['run'] = async (create) => {
    const { store, wait = sleep } = await create();
    const key = randomKey();
    for (const step of steps) await step({ store, wait, key });
  };
  return { name, run };
}

/** Claims the event, and expects a result. */
/* @__NO_SIDE_EFFECTS__ */
function claims(owner: string, expected: ClaimResult, leaseMs = LONG_LEASE_MS): Step {
  return async ({ store, key }) => expectSame(await store.claim(key, owner, leaseMs), expected);
}

/* @__NO_SIDE_EFFECTS__ */
function completes(owner: string, ttlMs = LONG_LEASE_MS): Step {
  return async ({ store, key }) => store.complete(key, owner, ttlMs);
}

/* @__NO_SIDE_EFFECTS__ */
function releases(owner: string): Step {
  return async ({ store, key }) => store.release(key, owner);
}

/** Waits until a short lease has expired. */
function expire({ wait }: Subject): Promise<void> {
  return wait(SHORT_LEASE_MS + 100);
}
