import { type StoredWebhook, WebhookError } from 'agent-platform-sdk';
import { type InboxSubject, inboxConformance, type ProcessStored } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

/** One way in which an inbox can be wrong. */
type Mistake =
  | 'copies'
  | 'copies of what is being processed'
  | 'copies of what was processed'
  | 'no retry'
  | 'retries for ever'
  | 'retries what does not fit'
  | 'one at a time'
  | 'forgets what was begun'
  | `forgets the field ${string}`
  // As a text of JSON has it.
  | `loses ${string}`
  | 'mends half a surrogate pair'
  | 'knows webhooks by their delivery'
  | 'is not atomic'
  | 'takes nothing large'
  | 'gives some to two workers'
  | 'drops one of many'
  | 'forgets fields of dead letters'
  | 'drops dead letters'
  | 'keeps what it tries again'
  | 'keeps what it has tried again'
  | 'keeps what does not fit, and retries it'
  | 'processes again what was processed';

interface Job {
  readonly webhook: StoredWebhook;
  runs: number;
}

const ATTEMPTS = 3;

/** The least inbox that keeps the rules, in memory, or one with a mistake. */
function memoryInbox(mistake?: Mistake): InboxSubject {
  const known = new Set<string>();
  const waiting: Job[] = [];
  /** What a mistake does once another webhook is stored. */
  const later: (() => void)[] = [];
  const letters: StoredWebhook[] = [];
  const looks = new Set<() => void>();
  const lookAll = () => {
    for (const look of looks) look();
  };
  const store = async (webhook: StoredWebhook) => {
    const name = mistake === 'knows webhooks by their delivery' ? webhook.deliveryId : webhook.key;
    const isKnown = known.has(name);
    if (mistake === 'is not atomic') await Promise.resolve();
    if (mistake !== 'copies' && isKnown) return;
    known.add(name);
    const most = mistake === 'takes nothing large' ? 1_500_000 : 1_501_000;
    if (Buffer.byteLength(JSON.stringify(webhook)) > most) return;
    for (const act of later.splice(0)) act();
    const forgotten = mistake?.split('forgets the field ')[1];
    const lost = String(JSON.parse(`"${mistake?.split(/^loses /)[1] ?? ''}"`));
    const kept = JSON.stringify(webhook, (name, value: unknown) => {
      if (typeof value === 'string' && lost !== '') return value.replace(lost, '');
      if (typeof value === 'string' && mistake === 'mends half a surrogate pair') {
        return Buffer.from(value).toString();
      }
      return name === forgotten ? undefined : value;
    });
    if (mistake === 'drops one of many' && known.size === 40) return;
    waiting.push({ webhook: JSON.parse(kept) as StoredWebhook, runs: 0 });
    lookAll();
  };
  const bury = (webhook: StoredWebhook) =>
    void letters.push(mistake === 'forgets fields of dead letters' ? { ...webhook, payload: {} } : webhook);
  const failed = (job: Job, error: unknown) => {
    const isFinal =
      error instanceof WebhookError && !error.retryable && mistake !== 'retries what does not fit';
    const mayRetry = job.runs < ATTEMPTS || mistake === 'retries for ever';
    if (mistake === 'keeps what it tries again') bury(job.webhook);
    if (mistake === 'keeps what does not fit, and retries it' && isFinal && job.runs === 1) {
      bury(job.webhook);
      later.push(() => waiting.push(job));
      return;
    }
    if (mayRetry && !isFinal && mistake !== 'no retry') waiting.push(job);
    else if (mistake !== 'drops dead letters') bury(job.webhook);
  };
  const work = (process: ProcessStored) => {
    const running = new Set<Job>();
    let isStopped = false;
    const run = async (job: Job) => {
      if (mistake === 'gives some to two workers' && looks.size > 1 && known.size > 40 && job.runs === 0)
        waiting.push({ ...job, runs: 1 });
      job.runs += 1;
      running.add(job);
      // As a queue does, which gives out one job and then the next.
      await new Promise((resolve) => setTimeout(resolve, 1));
      if (mistake === 'copies of what is being processed') known.delete(job.webhook.key);
      try {
        await process(job.webhook);
        if (mistake === 'copies of what was processed') known.delete(job.webhook.key);
        if (mistake === 'keeps what it has tried again' && job.runs > 1) later.push(() => bury(job.webhook));
        if (mistake === 'processes again what was processed') later.push(() => waiting.push(job));
      } catch (error) {
        if (!isStopped) failed(job, error);
      }
      running.delete(job);
      lookAll();
    };
    const look = () => {
      const most = mistake === 'one at a time' ? 1 : 2;
      if (isStopped) return;
      while (running.size < most && waiting.length > 0) {
        const job = waiting.shift();
        if (job !== undefined) void run(job);
      }
    };
    looks.add(look);
    look();
    return () => {
      isStopped = true;
      looks.delete(look);
      if (mistake !== 'forgets what was begun') waiting.unshift(...running);
    };
  };
  return { inbox: { store }, work, deadLetters: async () => letters };
}

test.each(inboxConformance)('an inbox in memory keeps the rule: $name', ({ run }) =>
  expect(run(() => memoryInbox())).resolves.toBeUndefined(),
);

test.each(inboxConformance)(
  'an inbox that refuses any one webhook breaks the rule: $name',
  async ({ run }) => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers();
    const refused = new Error('no room');
    let calls = 0;
    /** Refuses the webhook that is stored as the one of this number; takes all where there is none. */
    const refusing = (number?: number) => () => {
      calls = 0;
      const { inbox, ...subject } = memoryInbox();
      const store = async (webhook: StoredWebhook) => {
        calls += 1;
        if (calls === number) throw refused;
        return inbox.store(webhook);
      };
      return { ...subject, inbox: { store } };
    };
    const judge = async (number?: number) => {
      const [judged] = await Promise.all([
        Promise.allSettled([run(refusing(number))]),
        vi.advanceTimersByTimeAsync(30_000),
      ]);
      return judged;
    };
    expect(await judge()).toEqual([{ status: 'fulfilled' }]);
    const stored = calls;
    expect(stored).toBeGreaterThan(0);
    // Of very many that are stored in a row, some.
    for (const number of new Set([1, 2, 3, stored].filter((each) => each <= stored))) {
      expect(await judge(number)).toEqual([{ status: 'rejected', reason: refused }]);
    }
  },
);

test('the rules can be held against one inbox that is shared by all, again and again', async () => {
  const subject = memoryInbox();
  for (const { run } of [...inboxConformance, ...inboxConformance])
    await expect(run(() => subject)).resolves.toBeUndefined();
});

test('an inbox may number what it stores, and order its fields otherwise', async () => {
  const [rule] = inboxConformance.filter(({ name }) => name.includes('is processed as it was stored'));
  const numbered = () => {
    const { work, ...subject } = memoryInbox();
    return {
      ...subject,
      work: (process: ProcessStored) =>
        work(({ key, payload, ...stored }) => {
          const fields = Object.fromEntries(Object.entries(payload).reverse());
          return process({ ...stored, payload: fields, key, sequence: 7 });
        }),
    };
  };
  await expect(rule?.run(numbered)).resolves.toBeUndefined();
});

test.each<[Mistake, string]>([
  ['copies', 'of many copies at one moment'],
  ['copies of what is being processed', 'a copy of what is being processed'],
  ['copies of what was processed', 'a copy of what was processed'],
  ['no retry', 'what fails is processed again'],
  ['retries for ever', 'what fails again and again'],
  ['retries what does not fit', 'what does not fit'],
  ['one at a time', 'holds up no other'],
  ['forgets what was begun', 'when it was stopped'],
  ...['version', 'type', 'message', 'createdAt', 'receivedAt', 'workspace', 'sent', 'traceparent'].map(
    (field): [Mistake, string] => [`forgets the field ${field}`, 'is processed as it was stored'],
  ),
  ['loses \\u0000', 'any text is kept'],
  ['loses \\ud83d\\ude00', 'any text is kept'],
  ['loses \\u2028', 'any text is kept'],
  ['loses \\"', 'any text is kept'],
  ['loses \\\\', 'any text is kept'],
  ['mends half a surrogate pair', 'any text is kept'],
  ['is not atomic', 'of many copies at one moment'],
  ['knows webhooks by their delivery', 'of many copies at one moment'],
  ['knows webhooks by their delivery', 'a copy of what is being processed'],
  ['knows webhooks by their delivery', 'a copy of what was processed'],
  ['takes nothing large', 'a megabyte and a half'],
  ['gives some to two workers', 'of two workers'],
  ['drops one of many', 'of two workers'],
  ['forgets fields of dead letters', 'what fails again and again'],
  ['drops dead letters', 'what fails again and again'],
  ['keeps what it tries again', 'not kept once it has succeeded'],
  ['keeps what it has tried again', 'not kept once it has succeeded'],
  ['keeps what does not fit, and retries it', 'what does not fit'],
  ['processes again what was processed', 'of two workers'],
])('an inbox with the mistake "%s" breaks a rule', async (mistake, name) => {
  onTestFinished(() => void vi.useRealTimers());
  vi.useFakeTimers();
  const concerned = inboxConformance.filter((rule) => rule.name.includes(name));
  const judged = Promise.allSettled(concerned.map(({ run }) => run(() => memoryInbox(mistake))));
  await vi.advanceTimersByTimeAsync(30_000);
  expect((await judged).map(({ status }) => status)).toContain('rejected');
});

test.each<[rule: string, mistake: Mistake | undefined, told: string | undefined, atOnce: number]>([
  ['of two workers', undefined, undefined, 2],
  ['when it was stopped', undefined, undefined, 1],
  ['what fails is processed again', 'no retry', 'expected that it is processed again, within 20 seconds', 1],
  ['a copy of what was processed', 'copies of what was processed', 'expected 1, got 2', 1],
])(
  'when the rule "%s" ends under %s, each worker has stopped, and is told: %s',
  async (name, mistake, told, atOnce) => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers();
    let working = 0;
    let most = 0;
    const create = () => {
      const subject = memoryInbox(mistake);
      const work: InboxSubject['work'] = async (process) => {
        const stop = await subject.work(process);
        working += 1;
        most = Math.max(most, working);
        return async () => {
          stop();
          await new Promise((resolve) => setTimeout(resolve, 10));
          working -= 1;
        };
      };
      return { ...subject, work };
    };
    const [rule] = inboxConformance.filter((each) => each.name.includes(name));
    const ended = rule?.run(create).then(
      () => [working, undefined],
      (error: unknown) => [working, (error as Error).message],
    );
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await ended).toEqual([0, told]);
    expect(most).toBe(atOnce);
  },
);

test('the rules can be held against a subject that is of a class', async () => {
  class Subject implements InboxSubject {
    readonly inner = memoryInbox();
    readonly inbox = this.inner.inbox;
    work(process: ProcessStored) {
      return this.inner.work(process);
    }
    deadLetters() {
      return this.inner.deadLetters();
    }
  }
  const concerned = inboxConformance.filter(({ name }) => name.startsWith('what fails'));
  expect(concerned).toHaveLength(2);
  for (const { run } of concerned) await expect(run(async () => new Subject())).resolves.toBeUndefined();
});

test('what is stored has a key as the receiver makes them, and an id of its own', async () => {
  const [rule] = inboxConformance.filter(({ name }) => name.includes('of two workers'));
  const subject = memoryInbox();
  // As of a class.
  const inbox = {
    keys: [] as string[],
    ids: new Set<string>(),
    store(webhook: StoredWebhook) {
      this.keys.push(webhook.key);
      this.ids.add(webhook.deliveryId);
      return subject.inbox.store(webhook);
    },
  };
  await rule?.run(() => ({ ...subject, inbox }));
  for (const key of inbox.keys) expect(key).toMatch(/^[\da-f]{64}$/);
  expect(inbox.ids.size).toBe(inbox.keys.length);
});
