import {
  createMemoryDedupe,
  type DedupeStore,
  type StoredWebhook,
  WebhookPayloadError,
} from 'agent-platform-sdk';
import {
  dedupeStoreConformance,
  type InboxSubject,
  inboxConformance,
  type ProcessStored,
} from 'agent-platform-sdk/testing';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** Runs a rule to its end, however long it waits. Returns what it found. */
async function verdictOf(run: Promise<void>): Promise<string> {
  let verdict: string | undefined;
  run.then(
    () => (verdict = 'kept'),
    (error: Error) => (verdict = error.message),
  );
  while (verdict === undefined) await vi.advanceTimersByTimeAsync(100);
  return verdict;
}

describe('a dedupe store', () => {
  interface Claim {
    readonly key: string;
    readonly owner: string;
    readonly until: number;
  }

  /** Changes a store that keeps every rule. Its claims are those that were granted, the newest first. */
  type Mistake = (store: DedupeStore, claims: readonly Claim[]) => Partial<DedupeStore>;

  function createStore(mistake: Mistake): DedupeStore {
    const claims: Claim[] = [];
    const memory = createMemoryDedupe();
    const store: DedupeStore = {
      ...memory,
      claim(key, owner, leaseMs) {
        const result = memory.claim(key, owner, leaseMs);
        if (result === 'new') claims.unshift({ key, owner, until: Date.now() + leaseMs });
        return result;
      },
    };
    return { ...store, ...mistake(store, claims) };
  }

  const holderOf = (claims: readonly Claim[], key: string) =>
    claims.find((claim) => claim.key === key)?.owner ?? '';

  const renewsForever: Mistake = ({ claim }, claims) => ({
    claim: (key, owner, leaseMs) =>
      claims.some((one) => one.key === key && one.owner === owner) ? 'new' : claim(key, owner, leaseMs),
  });
  const letsAnyoneRelease: Mistake = ({ release }, claims) => ({
    release: (key) => release(key, holderOf(claims, key)),
  });
  const letsAnyoneComplete: Mistake = ({ complete }, claims) => ({
    complete: (key, _, ttlMs) => complete(key, holderOf(claims, key), ttlMs),
  });

  const mistakes: Readonly<Record<string, Mistake | readonly Mistake[]>> = {
    'a free event is new': () => ({ claim: () => 'pending' }),
    'an event that another owner holds is pending': () => ({ claim: () => 'new' }),
    'one of many simultaneous claims is new': ({ claim }, claims) => ({
      claim: async (key, owner, leaseMs) => {
        const isFree = holderOf(claims, key) === '';
        await Promise.resolve();
        const result = claim(key, owner, leaseMs);
        return isFree ? 'new' : result;
      },
    }),
    'keys are independent': ({ claim, complete }) => ({
      claim: (key, ...others) => claim(key.slice(1), ...others),
      complete: (key, ...others) => complete(key.slice(1), ...others),
    }),
    'a completed event is done until it expires, then new': ({ complete }) => ({
      complete: (key, owner) => complete(key, owner, Number.POSITIVE_INFINITY),
    }),
    'a completed event outlives the lease of its claim': ({ complete }, claims) => ({
      complete: (key, owner) => complete(key, owner, (claims[0]?.until ?? 0) - Date.now()),
    }),
    'a released event is new': () => ({ release: () => undefined }),
    'only the owner releases or completes a claim': [letsAnyoneRelease, letsAnyoneComplete],
    'an expired claim is free': ({ claim }) => ({
      claim: (key, owner) => claim(key, owner, Number.POSITIVE_INFINITY),
    }),
    'the owner renews a claim': renewsForever,
    'an owner that lost its claim does not renew, release or complete the new one': [
      renewsForever,
      letsAnyoneRelease,
      letsAnyoneComplete,
    ],
    'an owner with an expired lease completes if nobody else has claimed': ({ complete }, claims) => ({
      complete: (key, owner, ttlMs) =>
        (claims[0]?.until ?? 0) > Date.now() ? complete(key, owner, ttlMs) : undefined,
    }),
    'releasing a free event changes nothing': ({ claim }) => ({
      release: (key, owner) => void claim(key, owner, 60_000),
    }),
  };

  test.each(dedupeStoreConformance)('that breaks the rule fails: $name', async ({ name, run }) => {
    const broken = [mistakes[name] ?? []].flat();
    if (broken.length === 0) throw new Error('a rule without a store that breaks it');
    for (const mistake of broken) {
      expect(await verdictOf(run(() => ({ store: createStore(mistake) })))).toMatch(/^expected /);
    }
  });
});

describe('an inbox', () => {
  interface Job {
    readonly webhook: StoredWebhook;
    state: 'waiting' | 'running' | 'done' | 'dead';
    runs: number;
  }

  interface Worker {
    readonly process: ProcessStored;
    readonly jobs: Set<Job>;
  }

  interface Decisions {
    readonly toStored: (webhook: StoredWebhook) => StoredWebhook;
    /** Whether another webhook with the key of this one is a duplicate. */
    readonly isDuplicated: (job: Job) => boolean;
    /** The workers that run the next webhook. */
    readonly runners: (workers: readonly Worker[]) => readonly Worker[];
    readonly concurrency: number;
    readonly isFinal: (error: unknown) => boolean;
    readonly isDeadLetter: (job: Job) => boolean;
    /** Whether a killed worker's jobs go to another. */
    readonly returnsJobs: boolean;
  }

  /** Those of an inbox that keeps every rule. A mistake changes one. */
  const decisions: Decisions = {
    toStored: (webhook) => webhook,
    isDuplicated: () => true,
    runners: (workers) => workers.slice(0, 1),
    concurrency: 10,
    isFinal: (error) => error instanceof WebhookPayloadError,
    isDeadLetter: ({ state }) => state === 'dead',
    returnsJobs: true,
  };

  function createInbox(mistake: Partial<Decisions>): InboxSubject {
    const { toStored, isDuplicated, runners, concurrency, isFinal, isDeadLetter, returnsJobs } = {
      ...decisions,
      ...mistake,
    };
    const jobs: Job[] = [];
    let workers: readonly Worker[] = [];
    const runAll = () => {
      for (const job of jobs.filter(({ state }) => state === 'waiting')) {
        for (const worker of runners(workers)) if (worker.jobs.size < concurrency) void run(job, worker);
      }
    };
    const run = async (job: Job, worker: Worker) => {
      worker.jobs.add(job);
      job.state = 'running';
      job.runs += 1;
      try {
        await worker.process(job.webhook);
        job.state = 'done';
      } catch (error) {
        job.state = job.runs === 3 || isFinal(error) ? 'dead' : 'waiting';
      }
      worker.jobs.delete(job);
      runAll();
    };
    return {
      inbox: {
        store: async (webhook) => {
          const isKnown = jobs.some((job) => job.webhook.key === webhook.key && isDuplicated(job));
          if (!isKnown) jobs.push({ webhook: toStored(webhook), state: 'waiting', runs: 0 });
          runAll();
        },
      },
      work(process) {
        const worker: Worker = { process, jobs: new Set() };
        workers = [...workers, worker];
        runAll();
        return () => {
          workers = workers.filter((other) => other !== worker);
          if (returnsJobs) for (const job of worker.jobs) job.state = 'waiting';
        };
      },
      deadLetters: async () => jobs.filter(isDeadLetter).map(({ webhook }) => webhook),
    };
  }

  const mistakes: Readonly<Record<string, Partial<Decisions>>> = {
    'processes a webhook as it was stored': { toStored: ({ workspace: _, ...webhook }) => webhook },
    'keeps any text, also a NUL and half a surrogate pair': {
      toStored: (webhook) => JSON.parse(JSON.stringify(webhook).replaceAll('\\u0000', '')) as StoredWebhook,
    },
    'stores a conversation of 1.5 MB': {
      toStored: ({ payload, ...webhook }) => ({
        ...webhook,
        payload: { ...payload, text: String(payload.text).slice(0, 500_000) },
      }),
    },
    'processes one of many simultaneous duplicates': { isDuplicated: ({ state }) => state !== 'waiting' },
    'ignores a duplicate of a webhook that is being processed': {
      isDuplicated: ({ state }) => state !== 'running',
    },
    'ignores a duplicate of a processed webhook': { isDuplicated: ({ state }) => state !== 'done' },
    'one of two workers processes a webhook': { runners: (workers) => workers },
    'retries a failed webhook, and does not keep it after a success': {
      isDeadLetter: ({ runs }) => runs > 1,
    },
    'keeps a webhook that always fails, unchanged': { isDeadLetter: () => false },
    'keeps an invalid webhook after one run': { isFinal: () => false },
    'a hanging webhook delays no other of its type': { concurrency: 1 },
    'another worker processes what a killed worker left': { returnsJobs: false },
  };

  test.each(inboxConformance)('that keeps every rule passes: $name', async ({ run }) => {
    expect(await verdictOf(run(() => createInbox({})))).toBe('kept');
  });

  test.each(inboxConformance)('that breaks the rule fails: $name', async ({ name, run }) => {
    const mistake = mistakes[name];
    if (mistake === undefined) throw new Error('a rule without an inbox that breaks it');
    expect(await verdictOf(run(() => createInbox(mistake)))).toMatch(/^expected /);
  });
});
