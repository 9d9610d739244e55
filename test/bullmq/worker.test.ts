import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkOptions } from 'agent-platform-sdk/bullmq';
import { Queue } from 'bullmq';
import { expect, test, vi } from 'vitest';
import { eventually, hang, processing, record, stored } from '../inbox/fixture.js';
import { testWorkers } from '../inbox/workers.js';
import { startProxy } from '../redis/proxy.js';
import { openClient } from '../redis/servers.js';
import { deferred } from '../support/deferred.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { openRedis } from '../support/redis-server.js';
import { createInbox, engine, port, QUEUE, redis, url } from './inbox-fixture.js';

testWorkers(engine);

test.each([{ foreign: true }, null])(
  "another application's job %j is a dead letter, and stops no other",
  async (data) => {
    const inbox = createInbox();
    await new Queue('agent-platform-webhooks', { connection: redis }).add('foreign', data, { attempts: 3 });
    const handled = deferred();
    inbox.work({ lead_captured: handled.resolve });
    await inbox.store(stored());
    await handled.promise;
    await eventually(async () => expect(await inbox.deadLetters.list()).toMatchObject([{ attempts: 1 }]));
  },
);

test('attempts and backoff are those of the worker, whatever the receiver has stored', async () => {
  await createInbox({ attempts: 1, backoff: 3_600_000 }).store(stored());
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, attempts: 3, backoff: 1 });
  inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  await eventually(() => expect(calls).toEqual(['retry', 'retry', 'dead letter']));
});

test('a worker whose Redis was never there closes without it', async () => {
  const worker = createInbox({ connection: 'redis://127.0.0.1:1' }).work({});
  await expect(worker.close({ grace: 500 })).resolves.toBeUndefined();
});

test('an inbox whose Redis is gone leaves nothing when it has closed', async () => {
  const proxy = await startProxy(port);
  await leavesNothing(async () => {
    const inbox = createInbox({ connection: proxy.url });
    // After this time, BullMQ would look for stalled events.
    const worker = inbox.work({}, { lockDuration: 600_000 });
    await worker.bullmq.waitUntilReady();
    proxy.lead(1);
    proxy.cut();
    await inbox.close({ grace: 100 });
  });
});

test('a worker closes while Redis is away and an event in progress, which another worker then runs', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: proxy.url });
  const started = deferred();
  const handler = () => {
    started.resolve();
    return hang();
  };
  const worker = inbox.work({ lead_captured: handler }, { lockDuration: 500 });
  await inbox.store(stored());
  await started.promise;
  proxy.lead(1);
  proxy.cut();
  await worker.close({ grace: 0 });
  await inbox.close();
  const { made } = proxy;
  const { hooks, calls } = record();
  createInbox({ hooks }).work({ lead_captured: () => undefined }, { lockDuration: 500 });
  await eventually(() => expect(calls).toEqual(['handled']));
  // Nothing of the closed worker connects again.
  expect(proxy.made).toBe(made);
});

test('a worker that starts before Redis takes events', async () => {
  const server = await openRedis();
  const inbox = createInbox({ connection: server.url });
  const crashed = server.crash(300);
  const handled = deferred();
  inbox.work({ lead_captured: handled.resolve });
  await crashed;
  await inbox.store(stored());
  await expect(handled.promise).resolves.toBeDefined();
});

test.each([
  ['options', false],
  ['a client', true],
])('with %s that let no command wait, a worker still waits for events', async (_, isClient) => {
  const { hostname: host } = new URL(url);
  const waits = { commandTimeout: 100, maxRetriesPerRequest: 2, enableOfflineQueue: false };
  const options = { host, port, ...waits, lazyConnect: true };
  const logger = new RecordingLogger();
  const connection = isClient ? openClient(url, options) : options;
  const inbox = createInbox({ connection, application: 'crm', logger });
  const handled: string[] = [];
  inbox.work(processing(async ({ key }) => void handled.push(key)));
  const keys: string[] = [];
  for (let events = 0; events < 3; events += 1) {
    await sleep(300);
    const webhook = stored();
    keys.push(webhook.key);
    await createInbox().store(webhook);
  }
  await eventually(() => expect(handled).toEqual(keys));
  expect(logger.lines.join()).not.toContain('Redis failed');
});

test('an event is handed back for as long as other events that were handed back make it, whatever else waits', async () => {
  const due = (Date.now() + 3_600_000) * 4_096;
  const others = Array.from({ length: 200 }, (_, index) => [due, `retry-${index}`]);
  await redis.zadd(`${QUEUE}:delayed`, ...others.flat());
  createInbox().work({ lead_captured: () => undefined });
  const event = stored({ type: 'agent_deleted' });
  await createInbox().store(event);
  const wait = await eventually(async () => {
    const set = await redis.hget(`${QUEUE}:${event.key}`, 'wait');
    expect(set).not.toBeNull();
    return Number(set);
  });
  expect(wait).toBeLessThanOrEqual(204);
});

test.each(['MOVED 5 127.0.0.1:1', 'TRYAGAIN a slot moves', 'NOPERM no', 'OOM it is full'])(
  'the end of a run that Redis refuses with %s is recorded once Redis takes it',
  async (refusal) => {
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks, attempts: 2 });
    let runs = 0;
    const { bullmq } = inbox.work({
      lead_captured: () => {
        runs += 1;
        if (runs < 3) throw new Error('no');
      },
    });
    const refuse = () => Promise.reject(Object.assign(new Error(refusal), { name: 'ReplyError' }));
    bullmq.on('active', (job) => {
      for (const end of ['moveToCompleted', 'moveToFailed'] as const) {
        vi.spyOn(job, end).mockImplementationOnce(refuse);
      }
    });
    const webhook = stored();
    await inbox.store(webhook);
    await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
    await inbox.deadLetters.replay(webhook.key);
    await eventually(() => expect(calls).toEqual(['retry', 'dead letter', 'handled']));
    expect(runs).toBe(3);
  },
);

const lockOf = (key: string) => `${QUEUE}:${key}:lock`;

/** Puts a job whose worker has died back, as another worker does that notices. */
const stall = async (key: string) => {
  await redis.del(lockOf(key));
  await redis.hincrby(`${QUEUE}:${key}`, 'stc', 1);
  await redis.lrem(`${QUEUE}:active`, 0, key);
  await redis.rpush(`${QUEUE}:wait`, key);
};

const replay = async (key: string) => {
  await engine.bury();
  await createInbox().deadLetters.replay(key);
};

const toOther = (key: string) => redis.set(lockOf(key), 'another', 'PX', 60_000);

type Row = [state: string, change: (key: string) => unknown, success: boolean, failure: boolean];

/** What an event may come to while its handlers still run, and whether a success and a failure then count. */
const MEANWHILE: Row[] = [
  ['has no lock', (key) => redis.del(lockOf(key)), true, true],
  ['waits again', stall, true, true],
  ['runs in another worker', toOther, true, false],
  ['was handled elsewhere', (key) => stall(key).then(() => redis.del(`${QUEUE}:${key}`)), false, false],
  ['is a dead letter', () => engine.bury(), false, false],
  ['was replayed', replay, false, false],
];

/** Runs an event until a test calls `end`. */
async function startRun(options: WorkOptions, work: (run: number) => void = () => undefined) {
  const { hooks, calls } = record();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger, backoff: 3_600_000 });
  const started = deferred();
  const ends = [deferred(), deferred()];
  const signals: AbortSignal[] = [];
  const handler = async (_: unknown, { signal }: { signal: AbortSignal }) => {
    const run = signals.push(signal);
    started.resolve();
    await ends[run - 1]?.promise;
    work(run);
  };
  const { bullmq } = inbox.work({ lead_captured: handler }, options);
  const webhook = stored();
  await inbox.store(webhook);
  await started.promise;
  const end = () => ends.forEach(({ resolve }) => resolve());
  return { inbox, bullmq, webhook, signals, calls, logger, ends, end };
}

const ENDS = MEANWHILE.flatMap(([state, change, success, failure]) => [
  ['success', state, change, success] as const,
  ['failure', state, change, failure] as const,
]);

test.each(ENDS)('a %s of an event that meanwhile %s', async (end, _, change, counts) => {
  const run = await startRun({ concurrency: 1 }, () => {
    if (end === 'failure') throw new Error('no');
  });
  const { inbox, bullmq, webhook, calls, logger } = run;
  void bullmq.pause(true);
  await change(webhook.key);
  const { oldestMs: _age, ...before } = await inbox.health();
  run.end();
  const recorded = end === 'success' ? 'handled' : 'retry';
  if (counts) await eventually(() => expect(calls).toEqual([recorded]));
  else await eventually(() => expect(logger.lines.join()).toContain('the end of a run was not recorded'));
  const ended = end === 'success' ? { depth: 0 } : { waiting: 0, active: 0, retrying: 1 };
  const left = counts ? { ...ended, deadLetters: 0 } : before;
  expect(await inbox.health()).toMatchObject(left);
  expect(calls).toEqual(counts ? [recorded] : []);
  if (counts && end === 'failure') expect(await redis.hget(`${QUEUE}:${webhook.key}`, 'atm')).toBe('1');
  if (end === 'failure') return;
  // The window of duplicates goes on.
  await inbox.store(webhook);
  expect(await inbox.health()).toMatchObject(left);
});

test.each([
  ['has only expired', 'goes on', (key: string) => redis.del(lockOf(key)), false],
  ['another worker has', 'is aborted', toOther, true],
] as const)('a run whose lock %s %s, and its success counts', async (_, __, change, isAborted) => {
  const { bullmq, webhook, signals, calls, end } = await startRun({ lockDuration: 400 });
  const failed = once(bullmq, 'lockRenewalFailed');
  await change(webhook.key);
  await failed;
  await sleep(50);
  expect(signals.map(({ aborted }) => aborted)).toEqual([isAborted]);
  end();
  await eventually(() => expect(calls).toEqual(['handled']));
});

test('the late failure of a run leaves the next run of its event the lock', async () => {
  const fail = (run: number) => {
    if (run === 1) throw new Error('late');
  };
  const run = await startRun({ lockDuration: 400, concurrency: 2 }, fail);
  const { bullmq, webhook, signals, calls, logger, ends } = run;
  const lost = once(bullmq, 'lockRenewalFailed');
  await toOther(webhook.key);
  await lost;
  await stall(webhook.key);
  await eventually(() => expect(signals).toHaveLength(2));
  ends[0]?.resolve();
  await eventually(() => expect(logger.lines.join()).toContain('Error: late'));
  await sleep(50);
  const failed = once(bullmq, 'lockRenewalFailed');
  await redis.del(lockOf(webhook.key));
  await failed;
  await eventually(async () => expect(await redis.exists(lockOf(webhook.key))).toBe(1));
  ends[1]?.resolve();
  await eventually(() => expect(calls).toEqual(['handled']));
});

test('a worker that takes an event again whose run goes on gives it back to that run, with its lock', async () => {
  const { bullmq, webhook, signals, calls, end } = await startRun({ lockDuration: 1_000 });
  await stall(webhook.key);
  // With this, the worker takes it at once. Otherwise it would first notice that it cannot renew the lock.
  await redis.zadd(`${QUEUE}:marker`, 0, '0');
  await sleep(200);
  let renewals = 0;
  bullmq.on('locksRenewed', () => (renewals += 1));
  await eventually(() => expect(renewals).toBeGreaterThan(1));
  end();
  await eventually(() => expect(calls).toEqual(['handled']));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});
