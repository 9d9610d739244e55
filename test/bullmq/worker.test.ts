import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigurationError, createWebhookHandlers, type LogFields, WebhookError } from 'agent-platform-sdk';
import type { HandlersByType } from 'agent-platform-sdk/bullmq';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { startProxy } from '../redis/proxy.js';
import { deferred } from '../support/deferred.js';
import { startProcess } from '../support/example-process.js';
import { collectGarbage } from '../support/memory.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { minimal, post, secret } from '../webhooks/deliveries.js';
import {
  createInbox,
  eventually,
  everythingInRedis,
  hang,
  port,
  processing,
  receiverWith,
  record,
  redis,
  stored,
  untilIdle,
  url,
  userWithout,
} from './inbox-fixture.js';

const queue = 'bull:agent-platform-webhooks';

test('a worker runs handlers by type, with the event and its context', async () => {
  const inbox = createInbox();
  await receiverWith({ secret: { acme: secret }, inbox }).handle(post('lead_captured'));
  const [event, context] = await new Promise<unknown[]>((resolve) => {
    inbox.work({ lead_captured: (event, context) => resolve([event, context]) });
  });
  expect(event).toEqual({ type: 'lead_captured', payload: minimal.lead_captured, workspace: 'acme' });
  expect(context).toMatchObject({
    deliveryId: expect.any(String),
    eventKey: expect.stringMatching(/^[0-9a-f]{64}$/),
    receivedAt: expect.any(Number),
    signal: expect.any(AbortSignal),
  });
});

test('a worker runs what createWebhookHandlers makes', async () => {
  const inbox = createInbox();
  const handled = deferred();
  inbox.work(createWebhookHandlers().onAny(handled.resolve));
  await inbox.store(stored());
  await expect(handled.promise).resolves.toBeDefined();
});

test.each<[what: string, work: unknown, options: object, message: RegExp]>([
  ['a receiver', receiverWith(), {}, /receiver.*by type/],
  ['nothing', undefined, {}, /work must be handlers by type/],
  ['an unknown type', { nothing: () => undefined }, {}, /nothing/],
  [
    'onError beside createWebhookHandlers',
    createWebhookHandlers(),
    { onError: () => 0 },
    /onError.*Register/,
  ],
  ['an unknown option', {}, { concurency: 1 }, /Did you mean `concurrency`/],
])('a worker refuses %s', (_, work, options, message) => {
  const inbox = createInbox();
  expect(() => inbox.work(work as HandlersByType, options)).toThrow(ConfigurationError);
  expect(() => inbox.work(work as HandlersByType, options)).toThrow(message);
});

test('a handler that fails runs again until it succeeds, and hooks and onError get what it threw', async () => {
  const { hooks, calls, failures, runs } = record();
  const inbox = createInbox({ hooks, attempts: 5 });
  const thrown: unknown[] = [];
  let count = 0;
  const handler = () => {
    count += 1;
    if (count < 3) throw new Error(`no ${count}`);
  };
  inbox.work({ lead_captured: handler }, { onError: (error) => thrown.push(error) });
  const webhook = stored({ workspace: 'acme', receivedAt: Date.now() - 5_000 });
  await inbox.store(webhook);
  await eventually(() => expect(calls).toEqual(['retry', 'retry', 'handled']));
  expect(failures).toMatchObject([
    { attempt: 1, error: new Error('no 1') },
    { attempt: 2, error: new Error('no 2') },
  ]);
  expect(thrown).toEqual([new Error('no 1'), new Error('no 2')]);
  expect(runs).toMatchObject([{ key: webhook.key, type: 'lead_captured', workspace: 'acme', attempt: 3 }]);
  expect(runs[0]?.waitedMs).toBeGreaterThanOrEqual(5_000);
});

test('an event without an attempt left is a dead letter, with its reason and no stack', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, attempts: 2 });
  const webhook = stored({ workspace: 'acme' });
  inbox.work({ lead_captured: () => Promise.reject(new TypeError('the CRM is away\u001b')) });
  await inbox.store(webhook);
  await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
  const [letter] = await inbox.deadLetters.list();
  expect(letter).toMatchObject({ id: webhook.key, webhook, attempts: 2, failedAt: expect.any(Number) });
  expect(letter?.reason).toMatch(/lead_captured.* failed\. TypeError: the CRM is away\\u001b$/);
  expect(await everythingInRedis()).not.toContain('    at ');
});

test('an event that does not fit the specification is a dead letter at once, and not lost', async () => {
  const { hooks, calls, failures } = record();
  const inbox = createInbox({ hooks });
  const body = JSON.stringify({ type: 'lead_captured', payload: { agentId: 1, workspaceSecret: secret } });
  expect((await receiverWith({ inbox }).handle({ method: 'POST', body })).status).toBe(200);
  inbox.work({ lead_captured: () => undefined });
  await eventually(() => expect(calls).toEqual(['dead letter']));
  expect(failures).toMatchObject([{ attempt: 1, error: { type: 'webhook_payload_error' } }]);
  expect((await inbox.deadLetters.list())[0]?.reason).toContain('payload.agentId: expected string');
});

test('several errors are one AggregateError, and a long reason is cut', async () => {
  const { hooks, failures } = record();
  const inbox = createInbox({ hooks, attempts: 1 });
  const handlers = createWebhookHandlers({ logLevel: 'off' })
    .on('lead_captured', () => Promise.reject(new TypeError('one')))
    .on('lead_captured', () => Promise.reject(new RangeError('other'.repeat(10_000))));
  inbox.work(handlers);
  await inbox.store(stored());
  await eventually(() => expect(failures).toHaveLength(1));
  const [{ error } = { error: undefined }] = failures;
  expect((error as AggregateError).errors).toMatchObject([{ name: 'TypeError' }, { name: 'RangeError' }]);
  const [letter] = await inbox.deadLetters.list();
  expect(letter?.reason).toMatch(/TypeError: one RangeError: otherother/);
  expect(letter?.reason).toHaveLength(1_000);
});

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

test('a worker runs as many events at once as its concurrency, 10 by default', async () => {
  const inbox = createInbox();
  let running = 0;
  const handler = () => {
    running += 1;
    return hang();
  };
  await Promise.all(Array.from({ length: 15 }, () => inbox.store(stored())));
  const worker = inbox.work({ lead_captured: handler });
  await eventually(() => expect(running).toBe(10));
  inbox.work({ lead_captured: handler }, { concurrency: 3 });
  await eventually(async () =>
    expect(await inbox.health()).toMatchObject({ active: 13, waiting: 2, workers: 2 }),
  );
  await worker.close({ grace: 0 });
});

test('each event is given to one of several workers', async () => {
  const inboxes = [createInbox(), createInbox(), createInbox()] as const;
  const handled: string[] = [];
  for (const inbox of inboxes) inbox.work(processing(async ({ key }) => void handled.push(key)));
  const webhooks = Array.from({ length: 200 }, () => stored());
  await Promise.all(webhooks.map((webhook) => inboxes[0].store(webhook)));
  await eventually(async () => expect((await inboxes[0].health()).depth).toBe(0));
  expect(handled.sort()).toEqual(webhooks.map(({ key }) => key).sort());
});

test('a handler that never settles is aborted, retried and finally a dead letter', async () => {
  const { hooks, calls, failures } = record();
  const inbox = createInbox({ hooks, attempts: 2 });
  const reasons: unknown[] = [];
  inbox.work(
    {
      lead_captured: (_, { signal }) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason));
        return hang();
      },
    },
    { handlerTimeout: 50, concurrency: 1 },
  );
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
  expect(failures.map(({ error }) => error)).toEqual(reasons);
  expect(reasons).toEqual([expect.any(WebhookError), expect.any(WebhookError)]);
  expect(await inbox.deadLetters.list()).toMatchObject([
    { attempts: 2, reason: expect.stringContaining('50 ms') },
  ]);
});

test('a worker without a handler leaves an event to one that has it, and warns once for each type', async () => {
  const logger = new RecordingLogger();
  const old = createInbox({ logger });
  for (let count = 0; count < 10; count += 1) await old.store(stored());
  const worker = old.work({ agent_deleted: () => undefined });
  await eventually(async () => expect(await old.health()).toMatchObject({ waiting: 0, retrying: 10 }));
  // As in a rolling deployment: first both take events, then only the new one.
  let handled = 0;
  createInbox().work({ lead_captured: () => (handled += 1) });
  await eventually(() => expect(handled).toBeGreaterThan(0));
  await worker.close();
  await eventually(() => expect(handled).toBe(10));
  expect(logger.lines.filter((line) => line.includes('no handler for lead_captured'))).toHaveLength(1);
});

test('an event that no worker has a handler for is finally a dead letter, and can be replayed', async () => {
  const { hooks, calls, failures } = record();
  const inbox = createInbox({ hooks });
  const worker = inbox.work({}, { unhandledTimeout: 200 });
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual(['dead letter']));
  expect(failures).toMatchObject([{ attempt: 0, error: expect.any(WebhookError) }]);
  expect(await inbox.deadLetters.list()).toMatchObject([
    { attempts: 0, reason: expect.stringContaining('200 ms') },
  ]);
  await worker.close();
  inbox.work({ lead_captured: () => undefined });
  await inbox.deadLetters.replayAll();
  await eventually(() => expect(calls).toEqual(['dead letter', 'handled']));
});

/** Two workers, of which only the second has a handler for what is stored. */
function startTwoKinds(connection: string, handler: () => unknown, options: object = {}) {
  const { hooks, calls } = record();
  const inbox = createInbox({ connection, hooks, attempts: 8, ...options });
  inbox.work({ agent_deleted: () => undefined }, { unhandledTimeout: 500 });
  inbox.work({ lead_captured: handler }, { unhandledTimeout: 500, concurrency: 1 });
  return { inbox, calls };
}

test('two kinds of workers make no dead letter, although Redis is away for longer than unhandledTimeout', async () => {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const { inbox, calls } = startTwoKinds(server.url, () => sleep(10));
  const webhooks = Array.from({ length: 20 }, () => stored({ receivedAt: Date.now() - 86_400_000 }));
  for (const webhook of webhooks) await inbox.store(webhook);
  await eventually(async () => expect((await inbox.health()).retrying).toBeGreaterThan(0));
  server.freeze();
  await sleep(1_500);
  server.thaw();
  await eventually(() => expect(calls).toEqual(webhooks.map(() => 'handled')));
  await inbox.close();
});

test('two kinds of workers make no dead letter of an event that is retried for longer than unhandledTimeout', async () => {
  let runs = 0;
  const handler = () => (++runs < 6 ? Promise.reject(new Error('no')) : undefined);
  const { inbox, calls } = startTwoKinds(url, handler, { backoff: 150 });
  await inbox.store(stored());
  await eventually(() => expect(calls).toEqual([...Array.from({ length: 5 }, () => 'retry'), 'handled']));
});

test('an event whose handler has run once waits for as long as no worker has one', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks, backoff: 50 });
  const handler = () => Promise.reject(new Error('no'));
  const worker = inbox.work({ lead_captured: handler }, { unhandledTimeout: 1 });
  await inbox.store(stored());
  await eventually(() => expect(calls).toContain('retry'));
  await worker.close();
  // The announcement of the closed worker.
  await redis.del(...(await redis.keys('*:handles:*')));
  const { bullmq } = inbox.work({}, { unhandledTimeout: 1 });
  let returns = 0;
  bullmq.on('active', () => (returns += 1));
  await eventually(() => expect(returns).toBeGreaterThan(2));
  inbox.work({ lead_captured: () => undefined });
  await eventually(() => expect(calls.filter((call) => call !== 'retry')).toEqual(['handled']));
});

test('the time that an event waits for a handler starts when it is first given back, and again with a replay', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const { bullmq } = inbox.work({}, { unhandledTimeout: 300 });
  let returns = 0;
  bullmq.on('active', () => (returns += 1));
  await inbox.store(stored({ receivedAt: Date.now() - 86_400_000 }));
  await eventually(() => expect(calls).toEqual(['dead letter']));
  const before = returns;
  expect(before).toBeGreaterThan(2);
  await inbox.deadLetters.replayAll();
  await eventually(() => expect(calls).toEqual(['dead letter', 'dead letter']));
  expect(returns).toBe(2 * before);
});

test('an event of a type that this version does not know waits while a worker with onUnknown is connected', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  inbox.work({}, { unhandledTimeout: 1 });
  const handlers = createWebhookHandlers({ logLevel: 'off' }).onUnknown(() => undefined);
  inbox.work(handlers, { unhandledTimeout: 1, concurrency: 1 });
  await eventually(async () => expect(await redis.keys('*:handles:*')).toHaveLength(1));
  const webhooks = Array.from({ length: 20 }, () => stored({ type: 'lead_scored', payload: {} }));
  await Promise.all(webhooks.map((webhook) => inbox.store(webhook)));
  await eventually(() => expect(calls).toEqual(webhooks.map(() => 'handled')));
});

test('webhook_test without a handler is completed with a line at info, and no hook is called', async () => {
  const { hooks, calls } = record();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger });
  inbox.work({});
  await inbox.store(stored({ type: 'webhook_test', payload: minimal.webhook_test }));
  await eventually(() =>
    expect(logger.lines.join()).toMatch(/info .*webhook_test .* has no handler, and was completed/),
  );
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
  expect(calls).toEqual([]);
});

test('an event whose runs all lose their lock is a dead letter with that reason, and can be replayed', async () => {
  const { hooks, calls, failures } = record();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger });
  let runs = 0;
  const handlers = processing(async () => {
    runs += 1;
    await redis.del(...(await redis.keys('*:lock')));
  });
  inbox.work(handlers, { lockDuration: 100, maxStalls: 2 });
  await inbox.store(stored());
  await eventually(() => expect(calls).toContain('dead letter'));
  expect(runs).toBe(3);
  expect(failures).toMatchObject([{ attempt: 3, error: expect.any(WebhookError) }]);
  expect(await inbox.deadLetters.list()).toMatchObject([
    { attempts: 3, reason: expect.stringContaining('Stalled 3') },
  ]);
  expect(logger.lines.join()).toContain('the end of a run was not recorded: Missing lock');
  expect(logger.lines.join()).not.toContain('Redis failed');
  // After the replay, one lost lock is not too many.
  await inbox.deadLetters.replayAll();
  await eventually(() => expect(runs).toBe(6));
});

test('a run that lost its lock is aborted, and the event runs again', async () => {
  const { hooks, calls } = record();
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks, logger });
  const signals: AbortSignal[] = [];
  const handler = async (_: unknown, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    if (signals.length > 1) return;
    await redis.del(...(await redis.keys('*:lock')));
    await hang();
  };
  const worker = inbox.work({ lead_captured: handler }, { lockDuration: 400, concurrency: 2 });
  const stalled: string[] = [];
  worker.bullmq.on('stalled', (key) => stalled.push(key));
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(() => expect(calls).toEqual(['handled']));
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(signals[0]?.reason).toMatchObject({
    name: 'WebhookError',
    message: expect.stringContaining('lock'),
  });
  expect(stalled).toEqual([webhook.key]);
  expect(logger.lines.join()).toContain(`the lock of ${webhook.key} was lost`);
  // BullMQ emits an error for the lock too.
  expect(logger.lines.join()).not.toContain('Redis failed');
  expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
});

test('closing waits for the events in progress', async () => {
  const { hooks, calls } = record();
  const inbox = createInbox({ hooks });
  const [started, end] = [deferred(), deferred()];
  inbox.work({
    lead_captured: () => {
      started.resolve();
      return end.promise;
    },
  });
  await inbox.store(stored());
  await started.promise;
  const closed = inbox.close({ grace: 2_147_480_000 });
  setTimeout(end.resolve, 50);
  await closed;
  expect(calls).toEqual(['handled']);
});

test('after the grace, events go back to the front of the queue, at no cost of an attempt', async () => {
  const { hooks, calls, runs } = record();
  const inbox = createInbox({ hooks, attempts: 1 });
  const webhooks = [stored(), stored(), stored()];
  const reasons: unknown[] = [];
  const handler = (_: unknown, { signal }: { signal: AbortSignal }) => {
    signal.addEventListener('abort', () => reasons.push(signal.reason));
    return hang();
  };
  const worker = inbox.work({ lead_captured: handler }, { concurrency: 2 });
  for (const webhook of webhooks) await inbox.store(webhook);
  await eventually(async () => expect(await inbox.health()).toMatchObject({ active: 2, waiting: 1 }));
  await Promise.all([worker.close({ grace: 20 }), worker.close()]);
  expect(reasons).toEqual([expect.any(WebhookError), expect.any(WebhookError)]);
  expect(await inbox.health()).toMatchObject({ waiting: 3, active: 0, deadLetters: 0, workers: 0 });
  inbox.work({ lead_captured: () => undefined }, { concurrency: 1 });
  await eventually(() => expect(calls).toEqual(['handled', 'handled', 'handled']));
  expect(runs.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  expect(runs.at(-1)?.key).toBe(webhooks[2]?.key);
});

test('an inbox does not keep a closed worker in memory', async () => {
  const inbox = createInbox();
  const closed = async () => {
    const worker = inbox.work({});
    // BullMQ 5 keeps one that closes before it is ready.
    await worker.bullmq.waitUntilReady();
    await worker.close();
    return new WeakRef(worker);
  };
  const worker = await closed();
  await eventually(() => {
    collectGarbage();
    // A failed assertion would hold the worker itself.
    expect(worker.deref() === undefined).toBe(true);
  });
  expect(await inbox.health()).toMatchObject({ ready: true });
});

test.each([
  ['was never there', async () => 'redis://127.0.0.1:1', async () => undefined],
  [
    'is gone',
    async () => {
      const server = await startRedis();
      gone = () => server.stop();
      return server.url;
    },
    async () => {
      await gone();
      // Its clients wait to connect again.
      await sleep(300);
    },
  ],
])('a worker whose Redis %s closes without it', async (_, start, leave) => {
  const connection = await start();
  const worker = createInbox({ connection }).work({});
  if (!connection.endsWith(':1')) await untilIdle(connection);
  await leave();
  await expect(worker.close({ grace: 500 })).resolves.toBeUndefined();
});

let gone: () => Promise<void>;

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

test('log lines of the inbox have fields, and contain nothing of a payload', async () => {
  const lines: (LogFields & { readonly level: string })[] = [];
  const texts: string[] = [];
  const take = (level: string) => (line: string, fields?: LogFields) => {
    texts.push(line);
    if (fields?.key) lines.push({ level, ...fields });
  };
  const logger = { error: take('error'), warn: take('warn'), info: take('info'), debug: take('debug') };
  const inbox = createInbox({ logger, attempts: 2 });
  let runs = 0;
  inbox.work({
    lead_captured: () => {
      runs += 1;
      if (runs !== 2) throw new Error('down');
    },
  });
  const [handled, dead] = [
    stored({ workspace: 'acme' }),
    stored({ payload: { ...minimal.lead_captured, leadName: 'canary' } }),
  ];
  await inbox.store(handled);
  await eventually(() => expect(runs).toBe(2));
  await inbox.store(dead);
  await eventually(async () => expect((await inbox.health()).deadLetters + runs).toBeGreaterThan(2));
  const about = { key: handled.key, type: 'lead_captured', workspace: 'acme' };
  await eventually(() =>
    expect(lines.filter(({ key }) => key === handled.key)).toMatchObject([
      { level: 'warn', ...about, attempt: 1, outcome: 'retried' },
      { level: 'info', ...about, attempt: 2, outcome: 'handled' },
    ]),
  );
  expect(texts.join()).not.toContain('canary');
});

test('a hook that rejects is logged, and has no other effect', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ hooks: { onHandled: () => Promise.reject(new Error('canary')) }, logger });
  inbox.work({ lead_captured: () => undefined });
  await inbox.store(stored());
  await eventually(() => expect(logger.lines.join()).toContain('the hook onHandled failed'));
  expect((await inbox.health()).depth).toBe(0);
});

test('a closed worker keeps no timers', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  for (let count = 0; count < 10; count += 1) await createInbox().work({}).close();
  expect(timers() - before).toBeLessThan(10);
});

test('by default, locks last 30 seconds, and the first retry waits up to a second, half of it random', async () => {
  const inbox = createInbox({ backoff: undefined });
  let runs = 0;
  const worker = inbox.work({
    lead_captured: () => (++runs === 1 ? Promise.reject(new Error('no')) : hang()),
  });
  const webhook = stored();
  await inbox.store(webhook);
  await eventually(async () => expect((await inbox.health()).retrying).toBe(1));
  const delay = Number(await redis.hget(`${queue}:${webhook.key}`, 'delay'));
  expect(delay).toBeGreaterThanOrEqual(500);
  expect(delay).toBeLessThanOrEqual(1_000);
  await eventually(() => expect(runs).toBe(2));
  const left = await redis.pttl(`${queue}:${webhook.key}:lock`);
  expect(left).toBeGreaterThan(10_000);
  expect(left).toBeLessThanOrEqual(30_000);
  await worker.close({ grace: 0 });
});
