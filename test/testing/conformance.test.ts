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
  /** Changes a store that keeps every rule. The owners of a rule are a, b and c, in their order. */
  type Mistake = (store: DedupeStore) => Partial<DedupeStore>;

  const renewsForever: Mistake = ({ claim }) => {
    const owners = new Set<string>();
    return {
      claim(key, owner, leaseMs) {
        if (owners.has(owner)) return 'new';
        owners.add(owner);
        return claim(key, owner, leaseMs);
      },
    };
  };
  const letsAnyoneRelease = (holder: string): Mistake => {
    return ({ release }) => ({ release: (key) => release(key, holder) });
  };
  const letsAnyoneComplete = (holder: string): Mistake => {
    return ({ complete }) => ({ complete: (key, _, ttlMs) => complete(key, holder, ttlMs) });
  };

  const mistakes: Readonly<Record<string, readonly Mistake[]>> = {
    'a free event is new': [() => ({ claim: () => 'pending' })],
    'an event that another owner holds is pending': [() => ({ claim: () => 'new' })],
    'one of many simultaneous claims is new': [
      ({ claim }) => {
        let isFree = true;
        return {
          async claim(...claimed) {
            const wasFree = isFree;
            await Promise.resolve();
            isFree = false;
            const result = claim(...claimed);
            return wasFree ? 'new' : result;
          },
        };
      },
    ],
    'keys are independent': [
      ({ claim, complete }) => ({
        claim: (_, ...others) => claim('one', ...others),
        complete: (_, ...others) => complete('one', ...others),
      }),
    ],
    'a completed event is done until it expires, then new': [
      ({ complete }) => ({ complete: (key, owner) => complete(key, owner, Number.POSITIVE_INFINITY) }),
    ],
    'a completed event outlives the lease of its claim': [() => ({ complete: () => undefined })],
    'a released event is new': [() => ({ release: () => undefined })],
    'only the owner releases or completes a claim': [letsAnyoneRelease('a'), letsAnyoneComplete('a')],
    'an expired claim is free': [
      ({ claim }) => ({ claim: (key, owner) => claim(key, owner, Number.POSITIVE_INFINITY) }),
    ],
    'the owner renews a claim': [renewsForever],
    'an owner that lost its claim does not renew, release or complete the new one': [
      renewsForever,
      letsAnyoneRelease('b'),
      letsAnyoneComplete('b'),
    ],
    'an owner with an expired lease completes if nobody else has claimed': [
      () => ({ complete: () => undefined }),
    ],
    'releasing a free event changes nothing': [
      ({ claim }) => ({ release: (key, owner) => void claim(key, owner, 60_000) }),
    ],
  };

  test.each(dedupeStoreConformance)('that breaks the rule fails: $name', async ({ name, run }) => {
    expect(mistakes).toHaveProperty([name]);
    for (const mistake of mistakes[name] ?? []) {
      const store = createMemoryDedupe();
      expect(await verdictOf(run(() => ({ store: { ...store, ...mistake(store) } })))).toMatch(/^expected /);
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

  /** Those of an inbox that keeps every rule. A mistake changes one. */
  const decisions = {
    toStored: (webhook: StoredWebhook) => webhook,
    /** Whether another webhook with the key of this one is a duplicate. */
    isDuplicated: (_: Job) => true,
    /** The workers that run the next webhook. */
    runners: (workers: readonly Worker[]): readonly Worker[] => workers.slice(0, 1),
    concurrency: 10,
    isFinal: (error: unknown): boolean => error instanceof WebhookPayloadError,
    isDeadLetter: ({ state }: Job) => state === 'dead',
    /** Whether a killed worker's jobs go to another. */
    returnsJobs: true,
  };
  type Decisions = typeof decisions;

  function createInbox(mistake: Partial<Decisions>): InboxSubject {
    const decided = { ...decisions, ...mistake };
    const jobs: Job[] = [];
    let workers: readonly Worker[] = [];
    const runAll = () => {
      for (const job of jobs.filter(({ state }) => state === 'waiting')) {
        for (const worker of decided.runners(workers)) {
          if (worker.jobs.size < decided.concurrency) void run(job, worker);
        }
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
        job.state = job.runs === 3 || decided.isFinal(error) ? 'dead' : 'waiting';
      }
      worker.jobs.delete(job);
      runAll();
    };
    return {
      inbox: {
        store: async (webhook) => {
          const isKnown = jobs.some((job) => job.webhook.key === webhook.key && decided.isDuplicated(job));
          if (!isKnown) jobs.push({ webhook: decided.toStored(webhook), state: 'waiting', runs: 0 });
          runAll();
        },
      },
      work(process) {
        const worker: Worker = { process, jobs: new Set() };
        workers = [...workers, worker];
        runAll();
        return () => {
          workers = workers.filter((other) => other !== worker);
          if (decided.returnsJobs) for (const job of worker.jobs) job.state = 'waiting';
        };
      },
      deadLetters: async () => jobs.filter(decided.isDeadLetter).map(({ webhook }) => webhook),
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
    expect(mistakes).toHaveProperty([name]);
    expect(await verdictOf(run(() => createInbox(mistakes[name] ?? {})))).toMatch(/^expected /);
  });
});
