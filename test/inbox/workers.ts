import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConfigurationError,
  createWebhookHandlers,
  type Drift,
  type LogFields,
  WebhookError,
} from 'agent-platform-sdk';
import type { HandlersByType, InboxOptions } from 'agent-platform-sdk/sqlite';
import { expect, test, vi } from 'vitest';
import { deferred } from '../support/deferred.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal, post, secret } from '../webhooks/deliveries.js';
import {
  type Engine,
  eventually,
  hang,
  type Inbox,
  processing,
  receiverWith,
  record,
  stored,
} from './fixture.js';

/** How the workers of every inbox behave. */
export function testWorkers({ createInbox, loseLocks, readEverything }: Engine): void {
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
    ['an option', { concurrency: 5 }, {}, /concurrency is not a handler. Options are the second argument/],
    [
      'a method',
      { onAny: () => undefined },
      {},
      /onAny is not a handler.*onAny belongs to createWebhookHandlers\(\)/,
    ],
    ['an unknown type', { nothing: () => undefined }, {}, /nothing/],
    [
      'onError beside createWebhookHandlers',
      createWebhookHandlers(),
      { onError: () => 0 },
      /onError.*Call `onError` of your `WebhookHandlers`/,
    ],
    ['attempts, which belong to the inbox', {}, { attempts: 3 }, /attempts belongs to the inbox: pass it to/],
    ['a backoff, which belongs to the inbox', {}, { backoff: 5 }, /backoff belongs to the inbox: pass it to/],
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

  const giveUp = () => {
    throw new WebhookError('the CRM says 422', { retryable: false, cause: new Error('bad lead') });
  };

  test.each<[what: string, work: Parameters<Inbox['work']>[0]]>([
    ['a handler', { lead_captured: giveUp }],
    ['a function in the place of process', processing(async () => giveUp())],
  ])('%s can give an event up: a dead letter at once, with its reason', async (_, work) => {
    const { hooks, calls, failures } = record();
    const inbox = createInbox({ hooks });
    inbox.work(work);
    await inbox.store(stored());
    await eventually(() => expect(calls).toEqual(['dead letter']));
    expect(failures).toMatchObject([{ attempt: 1, error: { message: 'the CRM says 422' } }]);
    expect(await inbox.deadLetters.list()).toMatchObject([{ attempts: 1, reason: 'the CRM says 422' }]);
  });

  const final = () => Promise.reject(new WebhookError('final', { retryable: false }));
  const soon = (retryAfter: number) => () => Promise.reject(new WebhookError('later', { retryAfter }));

  test.each<[what: string, handlers: (() => unknown)[], runs: string[]]>([
    ['all say that it is final', [final, final], ['dead letter']],
    ['one succeeds, and one says that it is final', [() => undefined, final], ['dead letter']],
    ['one fails otherwise', [final, () => Promise.reject(new Error('away'))], ['retry', 'dead letter']],
    ['one wants to run again', [final, soon(1)], ['retry', 'dead letter']],
    [
      'the error is of another library',
      [() => Promise.reject(Object.assign(new Error('no'), { retryable: false, retryAfter: 60_000 }))],
      ['retry', 'dead letter'],
    ],
  ])('several handlers: if %s', async (_, all, runs) => {
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks, attempts: 2 });
    const handlers = createWebhookHandlers({ logLevel: 'off' });
    for (const one of all) handlers.on('lead_captured', one);
    inbox.work(handlers);
    await inbox.store(stored());
    await eventually(() => expect(calls).toEqual(runs));
  });

  test('a handler of another copy of the package can give an event up too', async () => {
    vi.resetModules();
    const other = await import('agent-platform-sdk');
    expect(other.WebhookError).not.toBe(WebhookError);
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks });
    inbox.work(
      other.createWebhookHandlers().on('lead_captured', () => {
        throw new other.WebhookError('final', { retryable: false });
      }),
    );
    await inbox.store(stored());
    await eventually(() => expect(calls).toEqual(['dead letter']));
  });

  test('a handler sets the delay of a retry: the longest of several, up to maxDelay', async () => {
    const { hooks, calls } = record();
    const logger = new RecordingLogger();
    const backoff = { type: 'fixed', delay: 1, maxDelay: 60_000 } as const;
    const waiting = createInbox({ hooks, backoff, logger });
    waiting.work(
      createWebhookHandlers({ logLevel: 'off' })
        .on('lead_captured', soon(30))
        .on('lead_captured', soon(3_600_000))
        .on('lead_captured', () => Promise.reject(new Error('away'))),
    );
    await waiting.store(stored());
    await eventually(async () => expect(await waiting.health()).toMatchObject({ retrying: 1 }));
    await sleep(300);
    expect([calls, await waiting.health()]).toMatchObject([['retry'], { retrying: 1 }]);
    await waiting.close();
  });

  test('a delay above maxDelay is cut, and one that looks like seconds is warned of once', async () => {
    const { hooks, calls } = record();
    const logger = new RecordingLogger();
    const backoff = { type: 'fixed', delay: 20_000_000, maxDelay: 20_000_000, jitter: 0 } as const;
    const patient = createInbox({ hooks, backoff, logger, attempts: 3 });
    patient.work({ lead_captured: soon(30) });
    await patient.store(stored());
    await eventually(() => expect(calls).toEqual(['retry', 'retry', 'dead letter']));
    expect(logger.lines.filter((line) => line.includes('milliseconds'))).toEqual([
      expect.stringContaining("inbox: a handler's retryAfter is 30 milliseconds, which is short."),
    ]);
    calls.length = 0;
    const quick = createInbox({ hooks, backoff: { type: 'fixed', delay: 1, maxDelay: 5 }, attempts: 2 });
    quick.work({ agent_deleted: soon(3_600_000) });
    await quick.store(stored({ type: 'agent_deleted', payload: minimal.agent_deleted }));
    await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
  });

  test('an event without an attempt left is a dead letter, with its reason and no stack', async () => {
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks, attempts: 2 });
    const webhook = stored({ workspace: 'acme' });
    inbox.work({ lead_captured: () => Promise.reject(new TypeError('the CRM\n  is away\u001b')) });
    await inbox.store(webhook);
    await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
    const [letter] = await inbox.deadLetters.list();
    expect(letter).toMatchObject({ id: webhook.key, webhook, attempts: 2, failedAt: expect.any(Number) });
    expect(letter?.reason).toBe('the CRM is away\\u001b');
    expect(await readEverything()).not.toContain('    at ');
  });

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['42', 42],
    ['no', 'no'],
    ['no list', Object.assign(new AggregateError([], 'no list'), { errors: 42 })],
    ['an empty list', new AggregateError([], 'an empty list')],
  ])('the reason of a dead letter is %s if that is what was thrown', async (reason, thrown) => {
    const inbox = createInbox({ attempts: 1 });
    // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- As a library may do.
    inbox.work({ lead_captured: () => Promise.reject(thrown) });
    await inbox.store(stored());
    await eventually(async () => expect(await inbox.deadLetters.list()).toMatchObject([{ reason }]));
  });

  test('an invalid event is a dead letter at once, or goes to onInvalid', async () => {
    const { hooks, calls, failures } = record();
    const inbox = createInbox({ hooks });
    const body = JSON.stringify({
      type: 'agent_deleted',
      payload: { agentId: null, workspaceSecret: secret },
    });
    expect((await receiverWith({ inbox }).handle({ method: 'POST', body })).status).toBe(200);
    const handlers = createWebhookHandlers({ logLevel: 'off' }).onAny(() => expect.unreachable());
    inbox.work(handlers);
    await eventually(() => expect(calls).toEqual(['dead letter']));
    expect(failures).toMatchObject([{ attempt: 1, error: { type: 'webhook_payload_error' } }]);
    const [dead] = await inbox.deadLetters.list();
    expect(dead?.reason).toContain('payload.agentId: expected string');
    const invalid: unknown[] = [];
    handlers.onInvalid(({ payload }) => invalid.push(payload));
    await inbox.deadLetters.replay(dead?.id ?? '');
    await eventually(() => expect(calls).toEqual(['dead letter', 'handled']));
    expect(invalid).toEqual([{ agentId: null }]);
  });

  test('the drift of a stored event is in the context of its handler', async () => {
    const inbox = createInbox();
    const onDrift: unknown[] = [];
    const drift = await new Promise((resolve) => {
      const options = { logLevel: 'off' as const, onDrift: ({ issues }: Drift) => onDrift.push(issues) };
      inbox.work(createWebhookHandlers(options).onAny((_, context) => resolve(context.drift)));
      void inbox.store(stored({ payload: { ...minimal.lead_captured, channel: null } }));
    });
    expect(drift).toMatchObject([{ path: ['payload', 'channel'], code: 'invalid_value' }]);
    expect(onDrift).toEqual([drift]);
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
    expect(letter?.reason).toMatch(/^one; otherother/);
    expect(letter?.reason).toHaveLength(1_000);
  });

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

  test.each<[string, () => unknown]>([
    ['a symbol as its message', () => Object.assign(new Error(), { message: Symbol('no') })],
    ['no prototype', () => Object.create(null)],
    ['a list of such objects', () => [Object.create(null)]],
    [
      'a message that cannot become a text',
      () => Object.assign(new Error(), { message: Object.create(null) }),
    ],
  ])('what a handler throws with %s is a failure like any other', async (_, thrown) => {
    const { hooks, calls } = record();
    const inbox = createInbox({ hooks, attempts: 2 });
    inbox.work({ lead_captured: () => Promise.reject(thrown()) });
    await inbox.store(stored());
    await eventually(() => expect(calls).toEqual(['retry', 'dead letter']));
  });

  test('webhook_test without a handler is completed with a line at info, and no hook is called', async () => {
    const { hooks, calls } = record();
    const logger = new RecordingLogger();
    const inbox = createInbox({ hooks, logger });
    inbox.work({});
    await inbox.store(stored({ type: 'webhook_test', payload: minimal.webhook_test }));
    await eventually(() =>
      expect(logger.lines.join()).toMatch(/info .*webhook_test .* is a test event, which needs no handler/),
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
      await loseLocks();
      await hang();
    });
    inbox.work(handlers, { lockDuration: 100, maxStalls: 2 });
    await inbox.store(stored());
    await eventually(() => expect(calls).toContain('dead letter'));
    expect(runs).toBe(3);
    expect(failures).toMatchObject([{ attempt: 3, error: expect.any(WebhookError) }]);
    expect(await inbox.deadLetters.list()).toMatchObject([
      { attempts: 3, reason: expect.stringContaining('Stalled 3') },
    ]);
    expect(logger.lines.join()).not.toMatch(/(Redis|the file) failed/);
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
      await loseLocks();
      await hang();
    };
    inbox.work({ lead_captured: handler }, { lockDuration: 400, concurrency: 2 });
    const webhook = stored();
    await inbox.store(webhook);
    await eventually(() => expect(calls).toEqual(['handled']));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(signals[0]?.reason).toMatchObject({
      name: 'WebhookError',
      message: expect.stringContaining('lock'),
    });
    expect(logger.lines.join()).toContain(`the lock of ${webhook.key} expired`);
    expect(logger.lines.join()).toContain(`the lock of ${webhook.key} was lost`);
    expect(logger.lines.join()).not.toMatch(/(Redis|the file) failed/);
    expect(await inbox.health()).toMatchObject({ depth: 0, deadLetters: 0 });
  });

  test('handlers by type log to the logger of the inbox', async () => {
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger, attempts: 1 });
    inbox.work({ lead_captured: () => Promise.reject(new Error('the CRM is down')) });
    await inbox.store(stored());
    await eventually(() =>
      expect(logger.lines.join()).toMatch(/error .*webhook lead_captured: failed at handler/),
    );
  });

  test('all methods work without their object', async () => {
    const { store, work, health, idle, close, deadLetters } = createInbox({ attempts: 1 });
    const { list, get, replay, replayAll, remove } = deadLetters;
    const { close: closeWorker } = work({ lead_captured: () => Promise.reject(new Error('no')) });
    const webhook = stored();
    await store(webhook);
    await idle();
    await closeWorker();
    expect(await list()).toEqual([await get(webhook.key)]);
    expect(await replay(webhook.key)).toBe(true);
    expect([await remove(webhook.key), await replayAll()]).toEqual([false, 0]);
    expect(await health()).toMatchObject({ depth: 1 });
    await close();
  });

  test.each<[what: string, inbox: InboxOptions, work: object, warning: string]>([
    ['fourteen, meant as days', { deadLetterRetention: 14 }, {}, 'deadLetterRetention is 14 milliseconds'],
    ['24, meant as hours', { retention: 24 }, {}, 'retention is 24 milliseconds'],
    ['thirty, meant as seconds', { storeTimeout: 30 }, {}, 'storeTimeout is 30 milliseconds'],
    [
      'a backoff of thirty',
      { backoff: { type: 'exponential', delay: 30 } },
      {},
      'backoff is 30 milliseconds',
    ],
    [
      'a longest backoff of 600',
      { backoff: { type: 'fixed', delay: 500, maxDelay: 600 } },
      {},
      'backoff.maxDelay is 600 milliseconds',
    ],
    ['a lock of thirty', {}, { lockDuration: 30 }, 'lockDuration is 30 milliseconds'],
    ['a time limit of 300', {}, { handlerTimeout: 300 }, 'handlerTimeout is 300 milliseconds'],
  ])('a duration of %s is warned of, and used', (_, inbox, work, warning) => {
    const logger = new RecordingLogger();
    createInbox({ backoff: undefined, logger, ...inbox }).work({}, work);
    expect(logger.lines.filter((line) => line.includes('milliseconds'))).toEqual([
      expect.stringContaining(`inbox: ${warning}, which is short. Is it in another unit?`),
    ]);
  });

  test('a grace in seconds is warned of', async () => {
    const logger = new RecordingLogger();
    await createInbox({ logger, backoff: 500 }).close({ grace: 25 });
    expect(logger.lines.join()).toContain('grace is 25 milliseconds');
  });

  test('idle says after two seconds what it waits for', async () => {
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger });
    await inbox.store(stored());
    const idle = inbox.idle();
    const said = () => logger.lines.filter((line) => line.includes('idle()'));
    await eventually(() =>
      expect(said()).toEqual([
        expect.stringContaining(
          'inbox: idle() waits for events: 1 waiting, 0 running, 0 to be retried; 0 workers',
        ),
      ]),
    );
    inbox.work({ lead_captured: () => undefined });
    await idle;
    expect(said()).toHaveLength(1);
  });

  test('a type of any length is cut in every line', async () => {
    const logger = new RecordingLogger();
    const inbox = createInbox({ logger, attempts: 1 });
    const type = `x\n${'y'.repeat(100_000)}`;
    const webhook = stored({ type, payload: {} });
    inbox.work({});
    await inbox.store(webhook);
    await eventually(() => expect(logger.lines.join()).toContain('no handler for "x\\ny'));
    inbox.work(createWebhookHandlers({ logLevel: 'off' }).onUnknown(() => Promise.reject(new Error('no'))));
    await eventually(() => expect(logger.lines.join()).toContain('is a dead letter now'));
    expect(Math.max(...logger.lines.map((line) => line.length))).toBeLessThan(1_000);
    expect(Math.max(...logger.fields.map((fields) => JSON.stringify(fields ?? {}).length))).toBeLessThan(
      1_000,
    );
  });

  test('idle resolves when nothing waits, runs or is to be retried, and rejects once the inbox is closed', async () => {
    const inbox = createInbox({ backoff: 50 });
    await inbox.idle();
    const done: string[] = [];
    inbox.work({
      lead_captured: async () => {
        done.push('run');
        await sleep(30);
        if (done.length < 3) throw new Error('no');
      },
    });
    await inbox.store(stored());
    const idle = inbox.idle().then(() => done.push('idle'));
    await inbox.store(stored());
    await idle;
    expect(done).toEqual(['run', 'run', 'run', 'run', 'idle']);
    await inbox.store(stored({ type: 'agent_deleted', payload: minimal.agent_deleted }));
    const never = expect(inbox.idle()).rejects.toThrow('The inbox is closed.');
    await inbox.close();
    await never;
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
    await eventually(async () =>
      expect(Number((await inbox.health()).deadLetters) + runs).toBeGreaterThan(2),
    );
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
}
