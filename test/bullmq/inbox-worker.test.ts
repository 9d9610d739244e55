import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, type LogFields, WebhookError } from 'agent-platform-sdk';
import type { BullMQInbox, InboxHooks, InboxRun, InboxWorker } from 'agent-platform-sdk/bullmq';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Rest } from '../../src/bullmq/refusing-redis.js';
import { startWay } from '../redis/lagging.js';
import { deferred } from '../support/deferred.js';
import { collectGarbage, leastGrowth } from '../support/memory.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { minimal, post, secret } from '../webhooks/deliveries.js';
import {
  createInbox,
  eventually,
  everythingInRedis,
  notes,
  receiverWith,
  redis,
  stored,
  untilIdle,
  url,
} from './inbox-fixture.js';

test('a worker runs the handlers of a receiver, with the event and its context', async () => {
  const inbox = createInbox();
  const receiver = receiverWith({ secret: { acme: secret }, inbox });
  const handled = new Promise<unknown[]>((resolve) => {
    receiver.on('lead_captured', (event, context) => resolve([event, context]));
  });
  await receiver.handle(post('lead_captured'));
  inbox.work(receiver);
  const [event, context] = await handled;
  expect(event).toEqual({ type: 'lead_captured', payload: minimal.lead_captured, workspace: 'acme' });
  expect(context).toMatchObject({ deliveryId: expect.any(String), receivedAt: expect.any(Number) });
});

test('a worker runs handlers by type, without a secret', async () => {
  const inbox = createInbox();
  const handled = new Promise((resolve) => {
    inbox.work({ lead_captured: (event) => resolve(event.payload.agentId) });
  });
  await inbox.store(stored());
  expect(await handled).toBe('agent_1');
});

test('a handler that fails is run again, until it succeeds', async () => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks, attempts: 5 });
  let runs = 0;
  inbox.work({
    lead_captured: () => {
      runs += 1;
      if (runs < 3) throw new Error(`no ${runs}`);
    },
  });
  await inbox.store(stored());
  await eventually(() => expect(told).toEqual(['stored', 'retry', 'retry', 'handled']));
  expect(failures.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(failures[0]?.error).toMatchObject({ name: 'WebhookError', cause: new Error('no 1') });
});

test('the wait between two runs is the backoff', async () => {
  const inbox = createInbox({ backoff: { type: 'exponential', delay: 3_600_000 } });
  inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  await inbox.store(stored());
  await eventually(async () => expect((await inbox.health()).retrying).toBe(1));
});

test('an event whose attempts are used up is a dead letter, with its reason', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks, attempts: 2 });
  // With all that an event can have.
  const webhook = stored({
    version: 1,
    workspace: 'acme',
    unnamedWorkspace: 'another',
    envelope: { sent: 'now' },
    sequence: 7,
    traceContext: {
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'a=b',
    },
  });
  inbox.work({ lead_captured: () => Promise.reject(new TypeError('the CRM is away')) });
  await inbox.store(webhook);
  await eventually(() => expect(told).toEqual(['stored', 'retry', 'dead letter']));
  const [letter] = await inbox.deadLetters.list();
  expect(letter).toEqual({
    id: webhook.key,
    webhook,
    reason: '1 handler(s) of the webhook lead_captured of "acme" failed. TypeError: the CRM is away',
    attempts: 2,
    failedAt: expect.any(Number),
  });
});

test('an event that does not fit the specification is a dead letter at once, and not lost', async () => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks });
  const receiver = receiverWith({ inbox }).on('lead_captured', () => undefined);
  const body = JSON.stringify({ type: 'lead_captured', payload: { agentId: 1, workspaceSecret: secret } });
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  inbox.work(receiver);
  await eventually(() => expect(told).toEqual(['stored', 'dead letter']));
  const [letter] = await inbox.deadLetters.list();
  expect(letter).toMatchObject({ webhook: { payload: { agentId: 1 } }, attempts: 1 });
  expect(failures).toMatchObject([{ attempt: 1, error: { type: 'webhook_payload_error' } }]);
  expect(letter?.reason).toContain('payload.agentId: expected string, received number');
});

test.each([
  '{"sessionKey":"canary"}',
  '401 for sessionKey=canary',
  'headers: { authorization: Bearer canary-token }',
  'Authorization: "Basic canary+token=="',
  'Bearer canary12.canary~3/canary4',
  'Bearer canary-8',
  'no entry for authorization: canary-token',
  'the proxy refused bearer\t canary-token',
  'could not reach https://user:canary@crm.example/',
  'could not reach redis://:canary@cache.example/',
  'GET https://crm.example/leads?access_token=canary failed',
  'GET https://crm.example/leads?password=canary failed',
  'GET https://crm.example/leads?page=2&api_key=canary failed, sessionKey too',
  'GET https://crm.example/leads?client_secret=canary&x-signature=canary&page=2 failed',
])('what is secret in the error of a handler is masked in the dead letter: %s', async (message) => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work({ lead_captured: () => Promise.reject(new Error(message)) });
  await inbox.store(stored());
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  const [letter] = await inbox.deadLetters.list();
  expect(letter?.reason).toContain('[redacted]');
  expect(letter?.reason).not.toContain('canary');
  expect(await everythingInRedis()).not.toContain('canary');
});

test.each<[what: string, fail: (() => unknown)[], reason: string]>([
  [
    'of several handlers',
    [() => Promise.reject(new TypeError('one')), () => Promise.reject(new RangeError('other'))],
    '2 handler(s) of the webhook lead_captured failed. TypeError: one RangeError: other',
  ],
  [
    'of what is no error, by its type alone',
    [() => Promise.reject('canary')],
    '1 handler(s) of the webhook lead_captured failed. string',
  ],
  [
    'without characters that a terminal would obey',
    [() => Promise.reject(new Error('\u001b[2Jgone'))],
    '1 handler(s) of the webhook lead_captured failed. Error: \\u001b[2Jgone',
  ],
])('a dead letter keeps the reason %s, and no stack', async (_, fail, reason) => {
  const inbox = createInbox({ attempts: 1 });
  const receiver = receiverWith();
  for (const handler of fail) receiver.on('lead_captured', handler);
  inbox.work(receiver);
  await inbox.store(stored());
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  expect(await inbox.deadLetters.list()).toMatchObject([{ reason }]);
  const everything = await everythingInRedis();
  expect(everything).not.toContain('canary');
  expect(everything).not.toContain('    at ');
});

test.each<[what: string, error: Error, reason: string]>([
  [
    'the cause of a WebhookError',
    new WebhookError('no turn', { cause: new TypeError('NOPERM') }),
    'no turn TypeError: NOPERM',
  ],
  [
    'of another error what it says itself',
    new TypeError('no', { cause: new Error('canary') }),
    'TypeError: no',
  ],
  [
    'what stands beside a secret',
    new Error(
      'GET https://me:canary@crm.example/?page=2&api_key=canary&size=9 with bearer canary-token: 401, bearer invalid',
    ),
    'Error: GET https://me:[redacted]@crm.example/?page=2&api_key=[redacted]&size=9 with bearer [redacted]: 401, bearer invalid',
  ],
])('the reason that a processor gives keeps %s', async (_, error, reason) => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work({ process: () => Promise.reject(error) });
  await inbox.store(stored());
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  expect(await inbox.deadLetters.list()).toMatchObject([{ reason }]);
});

test("someone else's job in the queue is a dead letter, and stops nobody", async () => {
  const inbox = createInbox();
  const queue = new Queue('agent-platform-webhooks', { connection: redis });
  await queue.add('foreign', { foreign: true });
  const handled = deferred();
  inbox.work({ lead_captured: handled.resolve });
  await inbox.store(stored());
  await handled.promise;
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
});

test('a job without data is a dead letter like any other', async () => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks });
  const queue = new Queue('agent-platform-webhooks', { connection: redis });
  // No retry can help.
  await queue.add('foreign', null, { attempts: 3 });
  inbox.work({});
  await eventually(() => expect(told).toEqual(['dead letter']));
  expect(failures).toMatchObject([{ type: 'foreign', key: '1', attempt: 1 }]);
  expect((await inbox.health()).failures).toMatchObject({ deadLetters: 1, redisErrors: 0 });
});

test('concurrency says how many events are worked at once', async () => {
  const inbox = createInbox();
  const end = deferred();
  let [running, most] = [0, 0];
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await end.promise;
    running -= 1;
  };
  inbox.work({ lead_captured: work }, { concurrency: 3 });
  await Promise.all(Array.from({ length: 10 }, () => inbox.store(stored())));
  await eventually(() => expect(running).toBe(3));
  end.resolve();
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
  expect(most).toBe(3);
});

test('a worker has its name in Redis, by which a dashboard sees it', async () => {
  createInbox().work({});
  const queue = new Queue('agent-platform-webhooks', { connection: redis });
  await eventually(async () => expect(await queue.getWorkersCount()).toBe(1));
});

test('a worker keeps nothing of the events that it has handled', async () => {
  let [stores, handled] = [0, 0];
  const inbox = createInbox({ logLevel: 'off', hooks: { onHandled: () => (handled += 1) } });
  inbox.work({ process: async () => undefined });
  const round = async () => {
    for (let count = 0; count < 200; count += 1) {
      stores += 1;
      await inbox.store(stored({ key: `${'x'.repeat(10_000)}${stores}` }));
    }
    await eventually(() => expect(handled).toBe(stores));
    await untilIdle(url);
    // Buffers that are let go of here are gone after the next time.
    collectGarbage();
  };
  // Their keys alone are 2 MB.
  expect(await leastGrowth(round)).toBeLessThan(1_000_000);
});

test('an event is given to one of several workers', async () => {
  const inboxes = [createInbox(), createInbox(), createInbox()];
  const handled: string[] = [];
  for (const inbox of inboxes) inbox.work({ process: async ({ key }) => void handled.push(key) });
  const webhooks = Array.from({ length: 200 }, () => stored());
  const [inbox = createInbox()] = inboxes;
  await Promise.all(webhooks.map((webhook) => inbox.store(webhook)));
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
  expect(handled.sort()).toEqual(webhooks.map(({ key }) => key).sort());
});

test.each<[string, (inbox: BullMQInbox, worker: InboxWorker) => Promise<void>]>([
  ['the inbox', (inbox) => inbox.close()],
  ['a worker, with the longest grace that is taken,', (_, worker) => worker.close({ grace: 2_147_483_647 })],
])('closing %s waits for the events in work', async (_, close) => {
  const inbox = createInbox();
  const [began, end] = [deferred(), deferred()];
  let isDone = false;
  const worker = inbox.work({
    lead_captured: async () => {
      began.resolve();
      await end.promise;
      // Redis is there for them.
      await inbox.deadLetters.count();
      isDone = true;
    },
  });
  await inbox.store(stored());
  await began.promise;
  const closed = close(inbox, worker);
  // Time in which a grace that has run over would end.
  setTimeout(end.resolve, 50);
  await closed;
  expect(isDone).toBe(true);
});

test('an inbox closes all its workers, and all their events go back', async () => {
  const inbox = createInbox();
  const signals: AbortSignal[] = [];
  const work = (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<never>(() => undefined);
  };
  for (let workers = 0; workers < 2; workers += 1) {
    inbox.work({ lead_captured: work }, { concurrency: 2 });
    await inbox.store(stored());
    await inbox.store(stored());
  }
  await eventually(() => expect(signals).toHaveLength(4));
  await inbox.close({ grace: 0 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true]);
  expect(await createInbox().health()).toMatchObject({ waiting: 4, active: 0 });
});

test('the first call of close decides about the grace', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const [began, end] = [deferred(), deferred()];
  const process = async () => {
    began.resolve();
    await end.promise;
  };
  const worker = inbox.work({ process });
  await inbox.store(stored());
  await began.promise;
  const closed = [worker.close(), worker.close({ grace: 0 })];
  // Time in which a grace that is none would end.
  for (let asked = 0; asked < 5; asked += 1) await inbox.health();
  end.resolve();
  await Promise.all(closed);
  expect(told).toEqual(['stored', 'handled']);
});

test('an event that fails while its worker closes is retried by another', async () => {
  const { hooks, told, failures } = notes();
  const inbox = createInbox({ hooks });
  const [began, end] = [deferred(), deferred()];
  const work = async () => {
    began.resolve();
    await end.promise;
    throw new Error('no');
  };
  const worker = inbox.work({ lead_captured: work });
  await inbox.store(stored());
  await began.promise;
  const closed = worker.close();
  end.resolve();
  await closed;
  expect(told).toEqual(['stored', 'retry']);
  expect(failures).toMatchObject([{ attempt: 1, error: { cause: new Error('no') } }]);
  const again = deferred();
  inbox.work({ lead_captured: again.resolve });
  await again.promise;
});

test('a worker closes while Redis is away and an event is in work, and another runs that', async () => {
  const way = await startWay(Number(new URL(url).port));
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}` });
  const began = deferred();
  let reason: unknown;
  const work = (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise(() => {
      signal.addEventListener('abort', () => (reason = signal.reason));
      began.resolve();
    });
  const worker = inbox.work({ lead_captured: work }, { lockDuration: 500 });
  await inbox.store(stored());
  await began.promise;
  way.lead(1);
  way.cut();
  await worker.close({ grace: 0 });
  await inbox.close();
  expect(String(reason)).toContain('worker closed');
  const { hooks, told } = notes();
  createInbox({ hooks }).work({ lead_captured: () => undefined }, { lockDuration: 500 });
  await eventually(() => expect(told).toContain('handled'));
});

test('after the grace, an event in work goes back to the queue, and its handler is told', async () => {
  const [one, other] = [createInbox(), createInbox()];
  const began = deferred();
  let reason: unknown;
  const worker = one.work({
    lead_captured: (_, { signal }) =>
      new Promise(() => {
        signal.addEventListener('abort', () => (reason = signal.reason));
        began.resolve();
      }),
  });
  const webhook = stored();
  await one.store(webhook);
  await began.promise;
  await worker.close({ grace: 20 });
  expect(reason).toMatchObject({ name: 'WebhookError' });
  expect(await other.health()).toMatchObject({ waiting: 1, active: 0, deadLetters: 0 });
  const again = deferred();
  other.work({ lead_captured: again.resolve });
  await again.promise;
});

test('an event that reaches a worker after the grace goes back to the queue too', async () => {
  const [one, other] = [createInbox(), createInbox()];
  await one.store(stored());
  await one.store(stored());
  const closing = deferred();
  let closed: Promise<void> | undefined;
  const worker = one.work(
    {
      process: async () => {
        if (closed !== undefined) return new Promise(() => undefined);
        // Redis answers the end of this run, with the next event, when the grace is over.
        await redis.client('PAUSE', 1_000);
        setImmediate(() => {
          closed = worker.close({ grace: 0 });
          closing.resolve();
        });
      },
    },
    { concurrency: 1 },
  );
  await closing.promise;
  await closed;
  expect(await other.health()).toMatchObject({ waiting: 1, active: 0 });
});

test('after close, nothing can be worked', async () => {
  const inbox = createInbox();
  const closed = inbox.close();
  expect(() => inbox.work({})).toThrow(WebhookError);
  await closed;
  expect(() => inbox.work({})).toThrow(/closed/);
});

test('closing ends without Redis too', async () => {
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1' });
  const worker = inbox.work({});
  await worker.close({ grace: 0 });
  expect(await inbox.health()).toMatchObject({ ready: false });
});

test('a worker tells that Redis is back, though no event comes', async () => {
  const server = await startRedis();
  const logger = new RecordingLogger();
  try {
    const inbox = createInbox({ connection: server.url, logger, queueName: 'webhooks' });
    inbox.work({});
    await server.crash(500);
    await eventually(() => expect(logger.lines.at(-1)).toContain('Redis is back'));
    expect(logger.lines[0]).toContain('Redis failed');
    await inbox.close();
  } finally {
    await server.stop();
  }
});

test('a worker whose Redis has gone waits for no Redis as it closes', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const { hooks, told } = notes();
  const inbox = createInbox({ connection: server.url, hooks });
  const worker = inbox.work({ lead_captured: () => undefined });
  await inbox.store(stored());
  await eventually(() => expect(told).toEqual(['stored', 'handled']));
  await untilIdle(server.url);
  await server.stop();
  // Its clients wait to connect again.
  await sleep(300);
  await expect(worker.close({ grace: 2_147_483_647 })).resolves.toBeUndefined();
});

test('a worker with an event in work, whose Redis answers no more, waits for it once as it closes', async () => {
  const way = await startWay(Number(new URL(url).port));
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}` });
  const began = deferred();
  const process = () => {
    began.resolve();
    return new Promise<never>(() => undefined);
  };
  const worker = inbox.work({ process });
  await inbox.store(stored());
  await began.promise;
  way.hold();
  const setTimeout = vi.spyOn(globalThis, 'setTimeout');
  await worker.close({ grace: 0 });
  const waits = setTimeout.mock.calls.map(([, ms]) => ms);
  setTimeout.mockRestore();
  way.release();
  expect(waits.filter((ms) => ms === 3_000)).toHaveLength(1);
});

test('a worker that was closed keeps no process alive, however long its grace', async () => {
  // Those that do.
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  for (let count = 0; count < 10; count += 1) await createInbox().work({}).close();
  expect(timers() - before).toBeLessThan(10);
});

test('a worker that begins before Redis does takes up the work', async () => {
  const server = await startRedis();
  try {
    const inbox = createInbox({ connection: server.url });
    const crashed = server.crash(300);
    const handled = deferred();
    inbox.work({ lead_captured: handled.resolve });
    await crashed;
    await inbox.store(stored());
    await handled.promise;
    await eventually(async () => expect((await inbox.health()).depth).toBe(0));
    await inbox.close();
  } finally {
    await server.stop();
  }
});

test('the event of a run that lost its lock is run again, and the first handler is told', async () => {
  const { hooks, told } = notes();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger });
  const aborted = deferred();
  let [runs, reason] = [0, ''];
  const work = async (_: unknown, { signal }: { signal: AbortSignal }) => {
    runs += 1;
    if (runs > 1) return;
    signal.addEventListener('abort', () => {
      reason = String(signal.reason);
      aborted.resolve();
    });
    await redis.del(...(await redis.keys('*:lock')));
    await aborted.promise;
  };
  const worker = inbox.work({ lead_captured: work }, { lockDuration: 200, concurrency: 2 });
  await inbox.store(stored());
  await eventually(() => expect(told).toContain('handled'));
  expect(runs).toBe(2);
  expect(reason).toBe(
    'WebhookError: The event was given to another worker, because this one did not renew its lock in time.',
  );
  expect(told).toEqual(expect.arrayContaining(['lock lost', 'stalled']));
  expect(await inbox.health()).toMatchObject({
    depth: 0,
    deadLetters: 0,
    failures: { stalled: 1, lostLocks: 1, redisErrors: 0 },
  });
  await worker.close();
  // The second run has recorded it; the first does not try to.
  expect(logger.lines.join('\n')).not.toContain('not recorded');
});

test('a run whose event the same worker begins anew is told that it has lost it', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const end = deferred();
  const signals: AbortSignal[] = [];
  const work = async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
    signals.push(signal);
    if (signals.length === 1) await end.promise;
  };
  inbox.work({ lead_captured: work }, { concurrency: 2 });
  const { key } = stored();
  await inbox.store(stored({ key }));
  await eventually(() => expect(signals).toHaveLength(1));
  const queue = 'bull:agent-platform-webhooks';
  // As another worker does that finds it without a lock.
  const steps = redis.multi().del(`${queue}:${key}:lock`).lrem(`${queue}:active`, 0, key);
  await steps.rpush(`${queue}:wait`, key).zadd(`${queue}:marker`, 0, '0').exec();
  await eventually(() => expect(told).toEqual(['stored', 'lock lost', 'handled']));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  end.resolve();
});

test('the loss of a lock is told once, however often it is noticed, and the run keeps its place until it ends', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const [began, end] = [deferred(), deferred()];
  let runs = 0;
  const process = async () => {
    runs += 1;
    began.resolve();
    await end.promise;
  };
  inbox.work({ process }, { lockDuration: 100, concurrency: 1 });
  await inbox.store(stored());
  await began.promise;
  await redis.del(...(await redis.keys('*:lock')));
  await eventually(() => expect(told).toContain('lock lost'));
  // It is noticed at every renewal.
  await sleep(500);
  expect(told.filter((what) => what === 'lock lost')).toHaveLength(1);
  expect(runs).toBe(1);
  end.resolve();
});

test('of several locks that are lost at once, each is told', async () => {
  const lost = new Set<string | undefined>();
  const inbox = createInbox({ hooks: { onLockLost: ({ key }) => lost.add(key) } });
  const end = deferred();
  const webhooks = [stored(), stored(), stored()];
  let begun = 0;
  const process = async () => {
    begun += 1;
    await end.promise;
  };
  // None of them can be run again meanwhile.
  inbox.work({ process }, { lockDuration: 1_000, concurrency: 3 });
  await Promise.all(webhooks.map((webhook) => inbox.store(webhook)));
  await eventually(() => expect(begun).toBe(3));
  await redis.del(...(await redis.keys('*:lock')));
  await eventually(() => expect(lost).toEqual(new Set(webhooks.map(({ key }) => key))));
  end.resolve();
});

test('a worker sets what it needs, whatever a connection is told', async () => {
  const { hostname: host, port } = new URL(url);
  const inbox = createInbox({ connection: { host, port: Number(port), maxRetriesPerRequest: 2 } });
  inbox.work({ lead_captured: () => undefined });
  await inbox.store(stored());
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
});

test('a worker that BullMQ refuses leaves no connection', async () => {
  const inbox = createInbox({ connection: `${url}?maxRetriesPerRequest=2&connectionName=refused` });
  expect(() => inbox.work({})).toThrow('maxRetriesPerRequest');
  await sleep(500);
  expect(await redis.client('LIST')).not.toContain('name=refused');
});

test.each([
  ['options', false],
  ['a client', true],
])('with %s that give a command little time, a worker waits for events all the same', async (_, isClient) => {
  const { hostname: host, port } = new URL(url);
  const options = { host, port: Number(port), commandTimeout: 100, lazyConnect: true };
  const client = new Redis(options);
  onTestFinished(() => client.disconnect());
  const connection = isClient ? client : options;
  const errors: Error[] = [];
  const inbox = createInbox({ connection, hooks: { onRedisError: (error) => errors.push(error) } });
  const handled: string[] = [];
  inbox.work({ process: async ({ key }) => void handled.push(key) });
  const keys: string[] = [];
  for (let events = 0; events < 3; events += 1) {
    await sleep(300);
    const webhook = stored();
    keys.push(webhook.key);
    await createInbox().store(webhook);
  }
  await eventually(() => expect(handled).toEqual(keys));
  expect(errors).toEqual([]);
});

test('a run that was overtaken in its own worker leaves the locks of later runs alone', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  const [first, third] = [run(), run()];
  let begun = 0;
  const work = async () => {
    begun += 1;
    if (begun === 2) throw new Error('no');
    const now = begun === 1 ? first : third;
    now.began.resolve();
    await now.end.promise;
  };
  const worker = inbox.work({ lead_captured: work }, { lockDuration: 1_000, concurrency: 3 });
  const webhook = stored();
  const lock = `bull:agent-platform-webhooks:${webhook.key}:lock`;
  await inbox.store(webhook);
  await first.began.promise;
  await redis.del(lock);
  await third.began.promise;
  const token = await redis.get(lock);
  first.end.resolve();
  await renewed(lock);
  await renewed(lock);
  expect([begun, await redis.get(lock)]).toEqual([3, token]);
  third.end.resolve();
  await eventually(() => expect(told).toContain('handled'));
  await eventually(async () => expect((await inbox.health()).depth).toBe(0));
  expect(told.sort()).toEqual(['handled', 'lock lost', 'retry', 'stalled', 'stored']);
  // Nor does it wait for any of them.
  await worker.close({ grace: 2_147_483_647 });
});

test('a stalled event that a worker finds just before it closes is told', async () => {
  const way = await startWay(Number(new URL(url).port));
  const { hooks, told } = notes();
  const inbox = createInbox({ connection: `redis://127.0.0.1:${way.port}`, hooks });
  const worker = inbox.work({ lead_captured: () => undefined }, { lockDuration: 500 });
  await createInbox().store(stored());
  await eventually(() => expect(told).toContain('handled'));
  await untilIdle(url);
  way.hold();
  const [waiting, active] = ['bull:agent-platform-webhooks:wait', 'bull:agent-platform-webhooks:active'];
  const { key } = stored();
  // As a worker that was killed within a run of it leaves it.
  await redis.lpush(active, key);
  await redis.sadd('bull:agent-platform-webhooks:stalled', key);
  const isFound = async () => {
    await sleep(1_000);
    return (await redis.lrange(waiting, 0, -1)).includes(key);
  };
  // The worker may have been looking when its answers were held up, and looks again only after an answer.
  while (!(await isFound())) {
    way.release();
    await sleep(100);
    way.hold();
  }
  const { quit } = Redis.prototype;
  const quits = vi
    .spyOn(Redis.prototype, 'quit')
    // BullMQ's own, of the client that waits for events. The other one is still owed an answer.
    .mockImplementationOnce(async function (this: Redis) {
      this.disconnect();
      return 'OK';
    })
    .mockImplementation(function (this: Redis) {
      way.release();
      return quit.call(this);
    });
  onTestFinished(() => quits.mockRestore());
  await worker.close({ grace: 0 });
  await eventually(() => expect(told).toContain('stalled'));
});

const run = () => ({ began: deferred(), end: deferred() });

/** Resolves when a lock is given more time; rejects when it is gone. */
async function renewed(lock: string): Promise<void> {
  for (let left = Number.POSITIVE_INFINITY; ; ) {
    const now = await redis.pttl(lock);
    expect(now).toBeGreaterThan(0);
    if (now > left) return;
    left = now;
  }
}

test.each([
  ['succeeds', () => undefined],
  ['fails', () => Promise.reject(new Error('no'))],
])(
  'the event of a run that %s when its lock is gone is run again, and Redis has not failed',
  async (_, end) => {
    const logger = new RecordingLogger();
    const { hooks, told } = notes();
    const rested = vi.spyOn(Rest.prototype, 'begin');
    onTestFinished(() => rested.mockRestore());
    const inbox = createInbox({ hooks, logger });
    let runs = 0;
    const work = async () => {
      runs += 1;
      if (runs > 1) return;
      await redis.del(...(await redis.keys('*:lock')));
      await end();
    };
    await inbox.store(stored());
    inbox.work({ process: work }, { lockDuration: 1_000 });
    await eventually(() => expect(told).toEqual(expect.arrayContaining(['stalled', 'handled'])));
    expect((await inbox.health()).failures).toMatchObject({ redisErrors: 0, retried: 0, deadLetters: 0 });
    expect(logger.lines).toContainEqual(
      expect.stringMatching(/^warn .*the end of a run was not recorded: Missing lock for job/),
    );
    // Only where Redis refuses a command does a worker rest.
    expect(rested).not.toHaveBeenCalled();
  },
);

test('hooks tell how long an event waited and ran, and whose it was', async () => {
  const { hooks, runs } = notes();
  const inbox = createInbox({ hooks });
  const webhook = stored({ receivedAt: Date.now() - 5_000, workspace: 'acme' });
  inbox.work({ lead_captured: () => sleep(300) });
  await inbox.store(webhook);
  await eventually(() => expect(runs).toHaveLength(2));
  const age = Date.now() - webhook.receivedAt;
  const about = { key: webhook.key, type: 'lead_captured', workspace: 'acme' };
  expect(runs[0]).toEqual({ ...about, duplicate: false, durationMs: expect.any(Number) });
  expect(runs[1]).toMatchObject({ ...about, attempt: 1, durationMs: expect.any(Number) });
  const { waitedMs, durationMs: ranMs } = runs[1] as InboxRun;
  expect(waitedMs).toBeGreaterThanOrEqual(5_000);
  // The wait ends where the run begins.
  expect(waitedMs + ranMs).toBeLessThanOrEqual(age);
  // Each is of a time of its own, and not since the receipt.
  expect(ranMs).toBeGreaterThan(290);
  for (const { durationMs } of runs) {
    expect(durationMs).toBeGreaterThan(0);
    expect(durationMs).toBeLessThan(5_000);
  }
});

// The receiver in the worker logs the error of a handler itself; that line has no key.
test('the lines of the inbox carry their facts as fields', async () => {
  const lines: (LogFields & { readonly level: string })[] = [];
  const line = (level: string) => (_: string, fields?: LogFields) =>
    void (fields?.key && lines.push({ level, ...fields }));
  const logger = { error: line('error'), warn: line('warn'), info: line('info'), debug: line('debug') };
  const inbox = createInbox({ logger, attempts: 2 });
  let runs = 0;
  const fail = () => Promise.reject(new Error('down'));
  inbox.work({ lead_captured: () => (++runs === 2 ? undefined : fail()), bug_reported: fail });
  const [handled, dead] = [
    stored({ workspace: 'acme' }),
    stored({ type: 'bug_reported', payload: minimal.bug_reported }),
  ];
  await inbox.store(handled);
  await eventually(() => expect(runs).toBe(2));
  await inbox.store(dead);
  const about = {
    key: handled.key,
    type: 'lead_captured',
    workspace: 'acme',
    durationMs: expect.any(Number),
  };
  const other = { key: dead.key, type: 'bug_reported', durationMs: expect.any(Number) };
  await eventually(() =>
    expect(lines).toEqual([
      { level: 'warn', ...about, attempt: 1, outcome: 'retried' },
      { level: 'info', ...about, attempt: 2, outcome: 'handled' },
      { level: 'warn', ...other, attempt: 1, outcome: 'retried' },
      { level: 'error', ...other, attempt: 2, outcome: 'dead_letter' },
    ]),
  );
});

test('a hook that throws or rejects changes nothing, and is logged', async () => {
  const logger = new RecordingLogger();
  const hooks: InboxHooks = {
    onStored: () => {
      throw new Error('canary');
    },
    onHandled: () => Promise.reject(new Error('canary')),
  };
  const inbox = createInbox({ hooks, logger });
  inbox.work({ lead_captured: () => undefined });
  await inbox.store(stored());
  await eventually(() => {
    const failed = logger.lines.filter((line) => line.includes('the hook'));
    expect(failed.map((line) => /hook (\w+) failed/.exec(line)?.[1])).toEqual(['onStored', 'onHandled']);
  });
  expect(logger.lines.join()).not.toContain('canary');
});

test('no log line holds anything of a payload', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger, attempts: 2 });
  const webhook = stored({ payload: { ...minimal.lead_captured, leadName: 'canary' } });
  inbox.work({ lead_captured: ({ payload }) => Promise.reject(new Error(payload.leadName)) });
  await inbox.store(webhook);
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  expect(logger.lines.join()).toContain(webhook.key);
  // The receiver of handlers logs where the inbox does.
  expect(logger.lines.join()).toContain('failed at handler with Error');
  expect(logger.lines.join()).not.toContain('canary');
});

test('the log level of an inbox is that of the handlers that it is given', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ logger, logLevel: 'off', attempts: 1 });
  inbox.work({ lead_captured: () => Promise.reject(new Error('no')) });
  await inbox.store(stored());
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  expect(logger.lines).toEqual([]);
});

test('a receiver with handlers of its own needs no inbox to work', async () => {
  const inbox = createInbox();
  const handled = deferred();
  inbox.work(receiverWith().on('lead_captured', handled.resolve));
  await inbox.store(stored());
  await handled.promise;
  expect(() => inbox.work({ nothing: () => undefined } as object)).toThrow(ConfigurationError);
});

test('the time of a handler ends with it: its signal is left alone', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks });
  let signal: AbortSignal | undefined;
  const work = (_: unknown, context: { readonly signal: AbortSignal }) => {
    signal = context.signal;
  };
  inbox.work({ lead_captured: work }, { handlerTimeout: 100 });
  await inbox.store(stored());
  await eventually(() => expect(told).toContain('handled'));
  await sleep(150);
  expect(signal?.aborted).toBe(false);
});

test('a signal that is first looked at when the time is over is aborted', async () => {
  const { hooks, told } = notes();
  const inbox = createInbox({ hooks, attempts: 1 });
  const end = deferred();
  const late = new Promise((resolve) => {
    const work = async (_: unknown, context: { readonly signal: AbortSignal }) => {
      await end.promise;
      resolve(context.signal);
    };
    inbox.work({ lead_captured: work }, { handlerTimeout: 50 });
  });
  await inbox.store(stored());
  await eventually(() => expect(told).toContain('dead letter'));
  end.resolve();
  const reason = expect.objectContaining({ message: expect.stringContaining('handlerTimeout') }) as Error;
  expect(await late).toMatchObject({ aborted: true, reason });
});

test('of a long message of an error, a dead letter keeps the beginning', async () => {
  const inbox = createInbox({ attempts: 1 });
  inbox.work({ lead_captured: () => Promise.reject(new Error('no '.repeat(10_000))) });
  await inbox.store(stored());
  await eventually(async () => expect(await inbox.deadLetters.count()).toBe(1));
  const [letter] = await inbox.deadLetters.list();
  expect(letter?.reason).toMatch(/failed.*Error: no no/);
  expect(letter?.reason).toHaveLength(1_000);
});

test.each<[string, (inbox: BullMQInbox, worker: InboxWorker) => Promise<void>]>([
  ['a worker', (_, worker) => worker.close({ grace: 0 })],
  ['an inbox', (inbox) => inbox.close({ grace: 0 })],
])('where %s is closed without a grace, a handler is told at once', async (_, close) => {
  const inbox = createInbox();
  const began = deferred();
  let signal: AbortSignal | undefined;
  const work = (_: unknown, context: { readonly signal: AbortSignal }) => {
    signal = context.signal;
    began.resolve();
    return new Promise<never>(() => undefined);
  };
  const worker = inbox.work({ lead_captured: work });
  await inbox.store(stored());
  await began.promise;
  const closed = close(inbox, worker);
  // The grace that is given by default is longer.
  await eventually(() => expect(signal?.aborted).toBe(true));
  await closed;
});

test('a worker that was closed before Redis came connects no more', async () => {
  const way = await startWay(1);
  const worker = createInbox({ connection: `redis://127.0.0.1:${way.port}` }).work({});
  await eventually(() => expect(way.made).toBeGreaterThan(0));
  await worker.close({ grace: 0 });
  // Those that were under way have come by then.
  await sleep(100);
  const made = way.made;
  // The longest time between two attempts is two seconds.
  await sleep(2_500);
  expect(way.made).toBe(made);
});
