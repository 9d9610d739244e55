import { setTimeout as sleep } from 'node:timers/promises';
import { type StoredWebhook, WebhookError, type WebhookEvent } from 'agent-platform-sdk';
import type { Job } from 'bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import { resolveInbox } from '../../src/bullmq/inbox-options.js';
import { NewestInRedis, nextAsking } from '../../src/bullmq/newest.js';
import { deferred } from '../support/deferred.js';
import { minimal } from '../webhooks/deliveries.js';
import {
  createInbox,
  eventually,
  everythingInRedis,
  notes,
  receiverWith,
  redis,
  stored,
} from './inbox-fixture.js';

const conversation = ({ type, payload }: WebhookEvent) =>
  type === 'conversation_updated' ? payload.convoId : undefined;

/** A snapshot of a conversation, told from the others by its session. */
function snapshot(sessionId: number, overrides: Partial<StoredWebhook> = {}): StoredWebhook {
  // With a value that this version does not know.
  const known = { ...minimal.conversation_updated, sessionId: String(sessionId), createdAt: sessionId };
  const payload = { ...known, region: 'apac' };
  return stored({ type: 'conversation_updated', payload, ...overrides });
}

/** Two workers that note which snapshots of what they handle. */
function twoWorkers(handle: (session: number) => Promise<void>) {
  const { hooks, told, skips } = notes();
  const handled: number[] = [];
  const inboxes = [createInbox({ hooks }), createInbox({ hooks })];
  let running = 0;
  let most = 0;
  const work = async (session: number) => {
    running += 1;
    most = Math.max(most, running);
    await handle(session);
    running -= 1;
    handled.push(session);
  };
  for (const inbox of inboxes) {
    inbox.work(
      { conversation_updated: ({ payload }) => work(Number(payload.sessionId)) },
      { newestOnly: conversation },
    );
  }
  const drained = async () => eventually(async () => expect((await inboxes[0]?.health())?.depth).toBe(0));
  return {
    store: async (webhook: StoredWebhook) => inboxes[0]?.store(webhook),
    handled,
    told,
    skips,
    drained,
    most: () => most,
  };
}

const numbers = Array.from({ length: 200 }, (_, index) => index + 1);

test.each<[string, (number: number) => StoredWebhook]>([
  ['by their createdAt', (number) => snapshot(number)],
  [
    'by the order of acceptance where that is the same',
    (number) => {
      const webhook = snapshot(number, { receivedAt: 1_760_000_000_000 });
      return { ...webhook, payload: { ...webhook.payload, createdAt: 1 } };
    },
  ],
])(
  'two workers end on the newest of 200 snapshots, %s, one at a time',
  async (_, make) => {
    const { store, handled, skips, drained, most } = twoWorkers(() => sleep(Math.random() * 5));
    await Promise.all(numbers.map((number) => store(make(number))));
    await drained();
    expect(handled.at(-1)).toBe(200);
    expect(handled).toEqual([...handled].sort((one, other) => one - other));
    await eventually(() => expect(handled.length + skips.length).toBe(200));
    expect(most()).toBe(1);
  },
  60_000,
);

test('a snapshot that comes late is skipped, and told', async () => {
  const { store, handled, told, skips, drained } = twoWorkers(async () => undefined);
  await store(snapshot(2));
  await eventually(() => expect(told).toContain('handled'));
  const late = snapshot(1, { workspace: undefined, receivedAt: Date.now() - 5_000 });
  await store(late);
  await drained();
  await eventually(() =>
    expect(skips).toEqual([{ key: late.key, type: late.type, waitedMs: expect.any(Number) }]),
  );
  expect(skips[0]?.waitedMs).toBeGreaterThanOrEqual(5_000);
  // Accepted by a machine whose clock is ahead.
  await store(snapshot(1, { workspace: undefined, receivedAt: Date.now() + 60_000 }));
  await eventually(() => expect(skips[1]?.waitedMs).toBe(0));
  expect(handled).toEqual([2]);
  // The same snapshot is not older than itself: its run may have ended before it was recorded.
  await store(snapshot(2));
  await store(snapshot(1, { workspace: 'another' }));
  await store(snapshot(1, { workspace: undefined, unnamedWorkspace: 'another' }));
  await drained();
  expect([...handled].sort((one, other) => one - other)).toEqual([1, 1, 2, 2]);
});

test.each<[string, Partial<StoredWebhook>, Partial<StoredWebhook>, createdAt: number]>([
  ['by their createdAt', {}, {}, 1],
  ['by their reception', { receivedAt: 1, sequence: 2 }, { receivedAt: 2, sequence: 1 }, 2],
  ['by their order', { receivedAt: 1, sequence: 1 }, { receivedAt: 1, sequence: 2 }, 2],
])('a snapshot that ends after a newer one leaves that remembered, %s', async (_, old, young, createdAt) => {
  const options = { connection: redis, logLevel: 'off' } as const;
  const worker = { toKey: (name: string) => `test:${name}` };
  // Of a worker, only its keys are asked for.
  const newest = new NewestInRedis(conversation, worker as never, redis, resolveInbox(options));
  const jobOf = (id: string, created: number, more: Partial<StoredWebhook>) => {
    const data = snapshot(created, { receivedAt: 1, ...more });
    // Of a job, only these parts are looked at.
    return { id, data } as Job<StoredWebhook>;
  };
  const older = jobOf('older', createdAt, old);
  const newer = jobOf('newer', 2, young);
  expect(await newest.begin(older)).toBe('ours');
  // Its run has lost the lock.
  expect(await newest.begin(newer)).toBe('ours');
  const [hash = ''] = await redis.keys('test:newest:*');
  // As if it had been forgotten meanwhile.
  await redis.persist(hash);
  await newest.end(newer);
  expect(await redis.pttl(hash)).toBeGreaterThan(0);
  await newest.end(older);
  expect(await newest.begin(older)).toBe('older');
  expect(await newest.begin(newer)).toBe('ours');
});

test('a turn that Redis does not give is told with advice, and without the password', async () => {
  const client = { eval: () => Promise.reject(new Error('NOPERM canary may not run eval')) };
  const settings = resolveInbox({ connection: 'redis://:canary@127.0.0.1', logLevel: 'off' });
  // Of a worker, only its keys are asked for; of a client, only this.
  const newest = new NewestInRedis(conversation, { toKey: String } as never, client as never, settings);
  const turn = newest.begin({ id: 'one', data: snapshot(1) } as Job<StoredWebhook>);
  await expect(turn).rejects.toThrow(
    'The turn of a snapshot could not be found out: NOPERM [redacted] may not run eval. The user of Redis lacks',
  );
});

test('a snapshot that fails holds nobody up, and is skipped once a newer one was handled', async () => {
  const { store, handled, told, drained } = twoWorkers(async (session) => {
    if (session !== 2) throw new Error('no');
  });
  const inbox = createInbox({ attempts: 2 });
  const first = snapshot(1);
  // Nor does one that failed stand in the way of older ones.
  for (const failing of [first, snapshot(3)]) {
    await inbox.store(failing);
    await eventually(() => expect(told.at(-1)).toBe('dead letter'));
    told.length = 0;
  }
  await store(snapshot(2));
  await eventually(() => expect(told).toContain('handled'));
  await inbox.deadLetters.replay(first.key);
  await drained();
  await eventually(() => expect(told.at(-1)).toBe('skipped'));
  expect(handled).toEqual([2]);
});

test('the turn of a worker that died is free when its lock expires; other keys and types wait for nobody', async () => {
  const { store, handled, drained } = twoWorkers(async () => undefined);
  const holder = snapshot(1);
  await store(holder);
  await drained();
  const [hash = ''] = await redis.keys('*:newest:*');
  await redis.hset(hash, 'holder', 'a-dead-one');
  await redis.set('bull:agent-platform-webhooks:a-dead-one:lock', 'token', 'PX', 1_500);
  const other = snapshot(3);
  await store(snapshot(2));
  await store({ ...other, payload: { ...other.payload, convoId: 'another' } });
  await eventually(() => expect(handled).toEqual([1, 3]));
  await drained();
  expect(handled).toEqual([1, 3, 2]);
  expect(await redis.pttl(hash)).toBeGreaterThan(23 * 3_600_000);
});

test('an event that waits for its turn holds up no other, one at a time', async () => {
  const inbox = createInbox();
  const handled: number[] = [];
  const work = {
    conversation_updated: ({ payload }: { payload: { sessionId?: string | undefined } }) =>
      void handled.push(Number(payload.sessionId)),
  };
  inbox.work(work, { newestOnly: conversation, concurrency: 1 });
  await inbox.store(snapshot(1));
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
  const [hash = ''] = await redis.keys('*:newest:*');
  await redis.hset(hash, 'holder', 'a-live-one');
  await redis.set('bull:agent-platform-webhooks:a-live-one:lock', 'token', 'PX', 60_000);
  const other = snapshot(3);
  await inbox.store(snapshot(2));
  await inbox.store({ ...other, payload: { ...other.payload, convoId: 'another' } });
  await eventually(() => expect(handled).toEqual([1, 3]));
});

test.each([
  [60_000, 23],
  [48 * 3_600_000 + 0.5, 47],
])(
  'with a retention of %d ms, the last snapshot is remembered for more than %d hours',
  async (retention, hours) => {
    const { hooks, told } = notes();
    const inbox = createInbox({ hooks, retention });
    inbox.work({ conversation_updated: () => undefined }, { newestOnly: conversation });
    await inbox.store(snapshot(1));
    await eventually(() => expect(told).toContain('handled'));
    const [hash = ''] = await redis.keys('*:newest:*');
    // Names of workspaces and of what they have are nowhere in it.
    expect(hash).toMatch(/^bull:agent-platform-webhooks:newest:[0-9a-f]{64}$/);
    expect(await redis.pttl(hash)).toBeGreaterThan(hours * 3_600_000);
  },
);

test.each([
  // Begun more often than BullMQ has counted.
  [-1, 50],
  [0, 50],
  [1, 100],
  [5, 1_600],
  [20, 5_000],
])(
  'a turn that was taken %d times is asked for again after %d ms, of which up to a half is random',
  (taken, longest) => {
    // Of a job, only its counts are looked at.
    const job = { attemptsMade: 3, stalledCounter: 0, attemptsStarted: taken + 4 } as Job;
    const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(1);
    onTestFinished(() => random.mockRestore());
    expect([nextAsking(job), nextAsking(job)]).toEqual([longest / 2, longest]);
  },
);

test('newestOnly is asked only about events that are known and valid, by a worker too', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const asked: string[] = [];
  const receiver = receiverWith()
    .onAny(() => undefined)
    .onUnknown(() => undefined);
  inbox.work(receiver, { newestOnly: ({ type }) => void asked.push(type) });
  await inbox.store(stored({ payload: { agentId: 7 } }));
  await eventually(() => expect(told).toContain('dead letter'));
  for (const type of ['lead_scored', 'lead_captured']) await inbox.store(stored({ type }));
  await eventually(() => expect(told.filter((what) => what === 'handled')).toHaveLength(2));
  expect(new Set(asked)).toEqual(new Set(['lead_captured']));
  expect(asked).toHaveLength(2);
});

test('what is no snapshot is handled as ever, and a function that fails is a failure of the run', async () => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks, attempts: 1 });
  const began = deferred();
  const newestOnly = ({ type }: WebhookEvent) => {
    if (type === 'agent_updated') throw new Error('sessionKey=canary');
    return type === 'lead_captured' ? undefined : (1 as never);
  };
  const ignore = () => undefined;
  const handlers = { lead_captured: began.resolve, agent_deleted: ignore, agent_updated: ignore };
  inbox.work(handlers, { newestOnly });
  await inbox.store(stored());
  await began.promise;
  for (const type of ['agent_deleted', 'agent_updated'] as const) {
    await inbox.store(stored({ type, payload: minimal[type] }));
    await eventually(() => expect(told.at(-1)).toBe('dead letter'));
    told.length = 0;
  }
  expect(failures[0]?.error).toBeInstanceOf(WebhookError);
  expect(await everythingInRedis()).not.toContain('canary');
});
