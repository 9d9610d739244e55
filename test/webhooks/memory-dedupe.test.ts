import { ConfigurationError, createMemoryDedupe, type DedupeStore } from 'agent-platform-sdk';
import { dedupeStoreConformance } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
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

test.each(dedupeStoreConformance)('a store that answers by promises keeps the rule: $name', ({ run }) => {
  const { store, wait } = setUp();
  const slow: DedupeStore = {
    claim: async (...claimed) => store.claim(...claimed),
    complete: async (...completed) => store.complete(...completed),
    release: async (...released) => store.release(...released),
  };
  return expect(run(() => ({ store: slow, wait }))).resolves.toBeUndefined();
});

test.each(dedupeStoreConformance)(
  'a store of which any call fails breaks the rule: $name',
  async ({ run }) => {
    const failed = new Error('no answer');
    let calls = 0;
    /** Fails at the call of this number; never where there is none. */
    const failing = (number?: number) => () => {
      calls = 0;
      const { store, wait } = setUp();
      const answer = async <Answer>(call: () => Answer): Promise<Awaited<Answer>> => {
        calls += 1;
        if (calls === number) throw failed;
        return await call();
      };
      const slow: DedupeStore = {
        claim: (...claimed) => answer(() => store.claim(...claimed)),
        complete: (...completed) => answer(() => store.complete(...completed)),
        release: (...released) => answer(() => store.release(...released)),
      };
      return { store: slow, wait };
    };
    await run(failing());
    const made = calls;
    expect(made).toBeGreaterThan(0);
    for (let number = 1; number <= made; number += 1) await expect(run(failing(number))).rejects.toBe(failed);
  },
);

test('the rules can be held against one store that is shared by all, again and again', async () => {
  const { store, wait } = setUp();
  const claim = vi.fn<DedupeStore['claim']>((...claimed) => store.claim(...claimed));
  for (const { run } of [...dedupeStoreConformance, ...dedupeStoreConformance]) {
    await expect(run(() => ({ store: { ...store, claim }, wait }))).resolves.toBeUndefined();
  }
  // As the receiver gives them: a store may have a column of this length.
  for (const [key] of claim.mock.calls) expect(key).toMatch(/^[\da-f]{64}$/);
});

test('the rules can be held against a store that is of a class', async () => {
  const { store, wait } = setUp();
  class OwnStore implements DedupeStore {
    readonly inner = store;
    claim(...claimed: Parameters<DedupeStore['claim']>) {
      return this.inner.claim(...claimed);
    }
    complete(...completed: Parameters<DedupeStore['complete']>) {
      return this.inner.complete(...completed);
    }
    release(...released: Parameters<DedupeStore['release']>) {
      return this.inner.release(...released);
    }
  }
  const own = new OwnStore();
  for (const { run } of dedupeStoreConformance) {
    await expect(run(() => ({ store: own, wait }))).resolves.toBeUndefined();
  }
});

test('a store that breaks a rule is told what was expected of it, and what it did', async () => {
  const [rule] = dedupeStoreConformance.filter(({ name }) => name === 'a free event is new');
  const { store } = setUp();
  const running = rule?.run(() => ({ store: { ...store, claim: () => 'pending' } }));
  await expect(running).rejects.toThrow('expected new, got pending');
});

/** A store that knows who has claimed a key last, and for how long, and who ever has. */
function withHolders(store: DedupeStore) {
  const holders = new Map<string, { owner: string; leaseMs: number }>();
  const former = new Set<string>();
  const claim: DedupeStore['claim'] = (key, owner, leaseMs) => {
    const result = store.claim(key, owner, leaseMs);
    if (result !== 'new') return result;
    holders.set(key, { owner, leaseMs });
    former.add(`${key} ${owner}`);
    return result;
  };
  const holderOf = (key: string) => holders.get(key) ?? { owner: '', leaseMs: 0 };
  /** Takes one who held the key once for the one who holds it. */
  const confused = (key: string, owner: string) =>
    former.has(`${key} ${owner}`) ? holderOf(key).owner : owner;
  return { claim, holderOf, confused };
}

/** Stores that break a rule, or that one of which words are given, to see that the conformance test notices. */
const faulty: readonly [name: string, change: (store: DedupeStore) => Partial<DedupeStore>, rule?: string][] =
  [
    [
      'lets anyone complete',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return { claim, complete: (key, _, ttlMs) => store.complete(key, holderOf(key).owner, ttlMs) };
      },
      'another owner does not complete',
    ],
    [
      'hands a claim to another who completes it',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return {
          claim,
          complete: async (key, owner, ttlMs) => {
            const holder = holderOf(key);
            if (holder.owner === owner) return store.complete(key, owner, ttlMs);
            await store.release(key, holder.owner);
            await store.claim(key, owner, holder.leaseMs);
          },
        };
      },
      'another owner does not complete',
    ],
    [
      'frees a claim that another completes',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return {
          claim,
          complete: (key, owner, ttlMs) => {
            const holder = holderOf(key).owner;
            return holder === owner ? store.complete(key, owner, ttlMs) : store.release(key, holder);
          },
        };
      },
      'another owner does not complete',
    ],
    [
      'lets anyone release',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return { claim, release: (key) => store.release(key, holderOf(key).owner) };
      },
      'only its owner releases',
    ],
    [
      'lets whoever held a claim once release it',
      (store) => {
        const { claim, confused } = withHolders(store);
        return { claim, release: (key, owner) => store.release(key, confused(key, owner)) };
      },
      'does not release that of another',
    ],
    [
      'lets whoever held a claim once complete it',
      (store) => {
        const { claim, confused } = withHolders(store);
        return { claim, complete: (key, owner, ttlMs) => store.complete(key, confused(key, owner), ttlMs) };
      },
      'does not complete that of another',
    ],
    [
      'lets whoever held a claim once renew it',
      (store) => {
        const { claim, confused } = withHolders(store);
        return { claim: (key, owner, leaseMs) => claim(key, confused(key, owner), leaseMs) };
      },
      'lost to another is not renewed',
    ],
    [
      'keeps what is done for as long as its claim alone',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return { claim, complete: (key, owner) => store.complete(key, owner, holderOf(key).leaseMs) };
      },
      'outlives the lease',
    ],
    [
      'says new to a renewal, and renews nothing',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        const claimed = new Set<string>();
        return {
          claim: (key, owner, leaseMs) => {
            if (claimed.has(key) && holderOf(key).owner === owner) return 'new';
            claimed.add(key);
            return claim(key, owner, leaseMs);
          },
        };
      },
      'its owner renews a claim',
    ],
    [
      'renews a claim, and says that it is held',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return {
          claim: (key, owner, leaseMs) => {
            const isRenewal = holderOf(key).owner === owner;
            const result = claim(key, owner, leaseMs);
            return isRenewal ? 'pending' : result;
          },
        };
      },
      'its owner renews a claim',
    ],
    [
      'completes nothing once a lease ran out',
      (store) => {
        const isFree = (key: string) => store.claim(key, 'probe', 0) === 'new';
        return {
          complete: (key, owner, ttlMs) => (isFree(key) ? undefined : store.complete(key, owner, ttlMs)),
        };
      },
      'whose lease ran out completes',
    ],
    [
      'forgets for others what is done',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return {
          claim: (key, owner, leaseMs) => {
            const result = claim(key, owner, leaseMs);
            return result === 'done' && holderOf(key).owner !== owner ? 'new' : result;
          },
        };
      },
      'is done, for everyone',
    ],
    [
      'forgets for its owner what is done',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return {
          claim: (key, owner, leaseMs) => {
            const result = claim(key, owner, leaseMs);
            return result === 'done' && holderOf(key).owner === owner ? 'new' : result;
          },
        };
      },
      'is done, for everyone',
    ],
    [
      'lets a second try in',
      (store) => {
        const tries = new Set<string>();
        const isSecond = (name: string) => tries.size === tries.add(name).size;
        return {
          claim: (key, owner, leaseMs) => {
            const result = store.claim(key, owner, leaseMs);
            return result === 'pending' && isSecond(`${key} ${owner}`) ? 'new' : result;
          },
        };
      },
      'that another holds is pending',
    ],
    [
      'takes keys for one that differ in a digit',
      (store) => ({
        claim: (key, owner, leaseMs) => store.claim(key.slice(1), owner, leaseMs),
        complete: (key, owner, ttlMs) => store.complete(key.slice(1), owner, ttlMs),
      }),
      'keys do not touch',
    ],
    [
      'says of a race that it is done',
      (store) => {
        let claims = 0;
        return {
          claim: (key, owner, leaseMs) => {
            const result = store.claim(key, owner, leaseMs);
            claims += 1;
            return result === 'pending' && claims % 7 === 0 ? 'done' : result;
          },
        };
      },
      'of many claims at one moment',
    ],
    [
      'says of the first in a race that it is done',
      (store) => ({
        claim: async (...claimed) => {
          const result = await store.claim(...claimed);
          return result === 'new' ? 'done' : result;
        },
      }),
      'of many claims at one moment',
    ],
    ['answers a claim by nothing', () => ({ claim: () => undefined as never }), 'a free event is new'],
    ['claims everything', () => ({ claim: () => 'new' })],
    ['never claims', () => ({ claim: () => 'pending' })],
    ['never completes', () => ({ complete: () => undefined })],
    ['never releases', () => ({ release: () => undefined }), 'what is released is new'],
    [
      'holds what is released, though nobody held it',
      (store) => {
        const { claim, holderOf } = withHolders(store);
        return {
          claim,
          release: (key, owner) =>
            holderOf(key).owner === '' ? void store.claim(key, 'nobody', 1e9) : store.release(key, owner),
        };
      },
      'what nobody holds',
    ],
    [
      'forgets what is done when it is released',
      (store) => {
        let round = 0;
        const inRound = (key: string) => `${key} ${round}`;
        return {
          claim: (key, owner, leaseMs) => store.claim(inRound(key), owner, leaseMs),
          complete: (key, owner, ttlMs) => store.complete(inRound(key), owner, ttlMs),
          release: (key, owner) => {
            if (store.claim(inRound(key), owner, 1) === 'done') round += 1;
            else return store.release(inRound(key), owner);
          },
        };
      },
    ],
    [
      'ignores leases',
      (store) => ({ claim: (key, owner) => store.claim(key, owner, 1e9) }),
      'whose lease ran out is free',
    ],
    [
      'ignores the time of what is done',
      (store) => ({ complete: (key, owner) => store.complete(key, owner, 1e9) }),
    ],
    ['shares one key', (store) => ({ claim: (_, owner, leaseMs) => store.claim('key', owner, leaseMs) })],
    [
      'is not atomic',
      (store) => ({
        claim: async (key, owner, leaseMs) => {
          const isFree = store.claim(key, 'probe', 1) === 'new';
          await store.release(key, 'probe');
          const result = await store.claim(key, owner, leaseMs);
          return isFree ? 'new' : result;
        },
      }),
      'of many claims at one moment',
    ],
  ];

test.each(faulty)('the conformance test refuses a store that %s', async (_, change, rule = '') => {
  const concerned = dedupeStoreConformance.filter(({ name }) => name.includes(rule));
  const results = await Promise.allSettled(
    concerned.map(({ run }) =>
      run(() => {
        const { store, wait } = setUp();
        const own: DedupeStore = {
          claim: (key, owner, leaseMs) => store.claim(key, owner, leaseMs),
          complete: (key, owner, ttlMs) => store.complete(key, owner, ttlMs),
          release: (key, owner) => store.release(key, owner),
        };
        return { store: { ...own, ...change(store) }, wait };
      }),
    ),
  );
  expect(results.some(({ status }) => status === 'rejected')).toBe(true);
});

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
