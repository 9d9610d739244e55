import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually, hang, processing, record, stored } from '../inbox/fixture.js';
import { testWorkers } from '../inbox/workers.js';
import { startProxy } from '../redis/proxy.js';
import { deferred } from '../support/deferred.js';
import { startProcess } from '../support/example-process.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { DURABLE, startRedis } from '../support/redis-server.js';
import { createInbox, engine, port, redis, url, userWithout } from './inbox-fixture.js';

testWorkers(engine);

const queue = 'bull:agent-platform-webhooks';

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

test('an event that a failover lost while its run failed is stored anew', async () => {
  const inbox = createInbox({ backoff: 1 });
  const webhook = stored();
  const handled = deferred();
  let runs = 0;
  const worker = inbox.work({
    lead_captured: async () => {
      runs += 1;
      if (runs > 1) return handled.resolve();
      // The promoted replica has never got the event.
      await redis.del(`${queue}:${webhook.key}`, `${queue}:de:${webhook.key}`);
      await redis.lrem(`${queue}:active`, 0, webhook.key);
      throw new Error('The CRM is away.');
    },
  });
  const unrecorded = once(worker.bullmq, 'error');
  await inbox.store(webhook);
  await unrecorded;
  await inbox.store(webhook);
  await handled.promise;
  expect(runs).toBe(2);
});

test('a worker whose Redis was never there closes without it', async () => {
  const worker = createInbox({ connection: 'redis://127.0.0.1:1' }).work({});
  await expect(worker.close({ grace: 500 })).resolves.toBeUndefined();
});

test('a process whose Redis is gone ends once its inbox has closed', async () => {
  const server = await startRedis();
  const { lines, end } = startProcess('test/bullmq/closing-process.ts', { REDIS_URL: server.url });
  await eventually(() => expect(lines).toContain('working'));
  await server.stop();
  expect(await end()).toEqual([0, null]);
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
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const inbox = createInbox({ connection: server.url });
  const crashed = server.crash(300);
  const handled = deferred();
  inbox.work({ lead_captured: handled.resolve });
  await crashed;
  await inbox.store(stored());
  await expect(handled.promise).resolves.toBeDefined();
  await inbox.close();
});

test.each([
  ['options', false],
  ['a client', true],
])('with %s that set a short command timeout, a worker still waits for events', async (_, isClient) => {
  const { hostname: host, port } = new URL(url);
  const options = {
    host,
    port: Number(port),
    commandTimeout: 100,
    maxRetriesPerRequest: 2,
    lazyConnect: true,
  };
  const client = new Redis(options);
  onTestFinished(() => client.disconnect());
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: isClient ? client : options, logger });
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

test.each([
  ['scripts', ['-evalsha', '-eval']],
  ['waiting', ['-bzpopmin']],
])('a worker that Redis refuses %s pauses, logs one line, and resumes once allowed', async (_, forbidden) => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: await userWithout(...forbidden), logger });
  const handled = deferred();
  const { bullmq } = inbox.work({ lead_captured: handled.resolve });
  let errors = 0;
  bullmq.on('error', () => (errors += 1));
  await sleep(2_500);
  expect(errors).toBeLessThan(30);
  await userWithout();
  await createInbox().store(stored());
  await handled.promise;
  const failures = logger.lines.filter((line) => line.includes('Redis failed'));
  expect(failures).toEqual([expect.stringContaining('NOPERM')]);
});

test('the error for a user without the permission for INFO names it', async () => {
  const inbox = createInbox({ connection: await userWithout('-info') });
  await expect(inbox.store(stored())).rejects.toThrow(/NOPERM.*\+info/);
});

test('a worker that closes while it pauses is not resumed', async () => {
  const inbox = createInbox({ connection: await userWithout('-bzpopmin') });
  const worker = inbox.work({ lead_captured: () => undefined });
  const resumed: string[] = [];
  await new Promise<void>((resolve) => {
    worker.bullmq.on('paused', resolve).on('resumed', () => resumed.push('resumed'));
  });
  await worker.close({ grace: 0 });
  await sleep(1_500);
  expect(resumed).toEqual([]);
});

test('an event is stored at once although the reading of the memory before it has failed', async () => {
  const inbox = createInbox({ connection: await userWithout() });
  await inbox.store(stored());
  await userWithout('-info');
  // Until the first reading is old.
  await sleep(100);
  await expect(inbox.store(stored())).rejects.toThrow(/NOPERM/);
  await userWithout();
  await inbox.store(stored());
});

test('an event is handed back for as long as other events that were handed back make it, whatever else waits', async () => {
  const writes = redis.pipeline();
  for (let index = 0; index < 3_000; index += 1) {
    writes.zadd(`${queue}:delayed`, (Date.now() + 3_600_000) * 4_096, `retry-${index}`);
  }
  await writes.exec();
  createInbox().work({ lead_captured: () => undefined });
  const event = stored({ type: 'agent_deleted' });
  await createInbox().store(event);
  const wait = await eventually(async () => {
    const [set] = await redis.hmget(`${queue}:${event.key}`, 'wait');
    expect(set).not.toBeNull();
    return Number(set);
  });
  expect(wait).toBeLessThanOrEqual(204);
});

test('events that are gone are not counted as unhandled', async () => {
  const inbox = createInbox();
  inbox.work({ lead_captured: () => undefined });
  const [gone, left] = [stored({ type: 'agent_deleted' }), stored({ type: 'agent_deleted' })];
  await inbox.store(gone);
  await inbox.store(left);
  await eventually(async () => expect(await inbox.health()).toMatchObject({ unhandled: 2, retrying: 2 }));
  await (await inbox.queue.getJob(gone.key))?.remove();
  expect(await inbox.health()).toMatchObject({ unhandled: 1, depth: 1 });
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

test('a worker whose connections Redis refuses is a warning of the health in its process', async () => {
  const server = await startRedis();
  const admin = new Redis(server.url);
  onTestFinished(async () => {
    admin.disconnect();
    await server.stop();
  });
  const inbox = createInbox({ connection: server.url });
  expect((await inbox.health()).warnings).not.toHaveProperty('worker');
  await admin.config('SET', 'maxclients', 2);
  inbox.work({ lead_captured: () => undefined });
  // Redis closes them before it has read anything.
  const refused = { worker: expect.stringMatching(/takes no events: .*(EPIPE|ECONNRESET)/) };
  await eventually(async () => expect((await inbox.health()).warnings).toMatchObject(refused));
  await admin.config('SET', 'maxclients', 100);
  await eventually(async () => expect((await inbox.health()).warnings).not.toHaveProperty('worker'));
  await inbox.close({ grace: 0 });
});

/** Puts a job whose worker has died back, as another worker does that notices. */
const stall = async (key: string) => {
  await redis.del(`${queue}:${key}:lock`);
  await redis.hincrby(`${queue}:${key}`, 'stc', 1);
  await redis.lrem(`${queue}:active`, 0, key);
  await redis.rpush(`${queue}:wait`, key);
};
/** What an event may come to while its handlers still run, and whether a success and a failure then count. */
const MEANWHILE: [
  state: string,
  change: (key: string) => Promise<unknown>,
  success: boolean,
  failure: boolean,
][] = [
  ['has no lock', (key) => redis.del(`${queue}:${key}:lock`), true, true],
  ['waits again', stall, true, true],
  [
    'runs in another worker',
    (key) => redis.set(`${queue}:${key}:lock`, 'another worker', 'PX', 60_000),
    true,
    false,
  ],
  ['was handled elsewhere', (key) => stall(key).then(() => redis.del(`${queue}:${key}`)), false, false],
  ['is a dead letter', async () => engine.bury(), false, false],
  [
    'was replayed',
    async (key) => {
      await engine.bury();
      await createInbox().deadLetters.replay(key);
    },
    false,
    false,
  ],
];

/** Runs an event, lets something else become of it meanwhile, and ends the run. */
async function endLate(change: (key: string) => Promise<unknown>, end: () => void) {
  const { hooks, calls } = record();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger, backoff: 3_600_000 });
  const [started, ended] = [deferred(), deferred()];
  const worker = inbox.work(
    processing(async () => {
      started.resolve();
      await ended.promise;
      end();
    }),
    { concurrency: 1 },
  );
  const webhook = stored();
  await inbox.store(webhook);
  await started.promise;
  void worker.bullmq.pause(true);
  await change(webhook.key);
  const before = await inbox.health();
  ended.resolve();
  return { inbox, webhook, calls, logger, before };
}

test.each(MEANWHILE)('a success of an event that meanwhile %s', async (_, change, counts) => {
  const { inbox, webhook, calls, logger, before } = await endLate(change, () => undefined);
  if (counts) await eventually(() => expect(calls).toEqual(['handled']));
  else await eventually(() => expect(logger.lines.join()).toContain('the end of a run was not recorded'));
  const left = counts ? { depth: 0, deadLetters: 0 } : before;
  const { oldestMs: _age, ...counted } = left as typeof before;
  expect(await inbox.health()).toMatchObject(counted);
  expect(calls).toEqual(counts ? ['handled'] : []);
  // The window of duplicates goes on.
  await inbox.store(webhook);
  expect(await inbox.health()).toMatchObject(counted);
});

test.each(MEANWHILE)('a failure of an event that meanwhile %s', async (_, change, __, counts) => {
  const { inbox, webhook, calls, logger, before } = await endLate(change, () => {
    throw new Error('no');
  });
  if (counts) await eventually(() => expect(calls).toEqual(['retry']));
  else await eventually(() => expect(logger.lines.join()).toContain('the end of a run was not recorded'));
  const { waiting, active, retrying, deadLetters } = before;
  const left = counts ? { waiting: 0, active: 0, retrying: 1 } : { waiting, active, retrying };
  expect(await inbox.health()).toMatchObject({ ...left, deadLetters });
  expect(calls).toEqual(counts ? ['retry'] : []);
  if (counts) expect(await redis.hget(`${queue}:${webhook.key}`, 'atm')).toBe('1');
});

test('a lock that has only expired aborts nobody, and the success counts', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const [started, end] = [deferred(), deferred()];
  const signals: AbortSignal[] = [];
  const worker = inbox.work(
    {
      lead_captured: async (_, { signal }) => {
        signals.push(signal);
        started.resolve();
        await end.promise;
      },
    },
    { lockDuration: 400 },
  );
  const failed = once(worker.bullmq, 'lockRenewalFailed');
  const webhook = stored();
  await inbox.store(webhook);
  await started.promise;
  await redis.del(`${queue}:${webhook.key}:lock`);
  await failed;
  await sleep(50);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  end.resolve();
  await eventually(() => expect(calls).toEqual(['handled']));
});

test('a worker that takes an event again whose run goes on gives it back to that run, with its lock', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const [started, end] = [deferred(), deferred()];
  const signals: AbortSignal[] = [];
  inbox.work(
    {
      lead_captured: (_, { signal }) => {
        signals.push(signal);
        started.resolve();
        return end.promise;
      },
    },
    { lockDuration: 500 },
  );
  const webhook = stored();
  await inbox.store(webhook);
  await started.promise;
  await stall(webhook.key);
  await eventually(async () => expect(await redis.exists(`${queue}:${webhook.key}:lock`)).toBe(1));
  await sleep(1_500);
  expect(await redis.exists(`${queue}:${webhook.key}:lock`)).toBe(1);
  end.resolve();
  await eventually(() => expect(calls).toEqual(['handled']));
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('after Redis was away for three times lockDuration, 50 runs end as if nothing had been', async () => {
  const server = await startRedis([...DURABLE]);
  onTestFinished(() => server.stop());
  const { hooks, calls, failures } = record();
  const inbox = createInbox({ connection: server.url, hooks, backoff: 1 });
  const runs = new Map<string, AbortSignal[]>();
  const [started, end] = [deferred(), deferred()];
  inbox.work(
    {
      lead_captured: async (_, { signal, eventKey }) => {
        const ofOne = runs.get(eventKey) ?? [];
        runs.set(eventKey, [...ofOne, signal]);
        if (runs.size === 50) started.resolve();
        if (ofOne.length > 0) return;
        await end.promise;
        if (Number.parseInt(eventKey, 16) % 2 === 0) throw new Error('no');
      },
    },
    { concurrency: 50, lockDuration: 1_000 },
  );
  await Promise.all(Array.from({ length: 50 }, () => inbox.store(stored())));
  await started.promise;
  await server.crash(3_000);
  // The worker notices that its locks have expired.
  await sleep(500);
  end.resolve();
  await eventually(() => expect(calls.filter((call) => call === 'handled')).toHaveLength(50));
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
  expect(failures).toHaveLength(25);
  expect([...runs.values()].flat().filter(({ aborted }) => aborted)).toEqual([]);
  await inbox.close({ grace: 0 });
});
