import { ConfigurationError, createWebhookHandlers, WebhookError } from 'agent-platform-sdk';
import type { EventHandlers, HandlersByType, InboxOptions, WorkOptions } from 'agent-platform-sdk/sqlite';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { InboxEvent } from '../../src/inbox/engine.js';
import { resolveWork, settleOptions } from '../../src/inbox/options.js';
import { InboxReporter } from '../../src/inbox/reporter.js';
import { toHandlers } from '../../src/inbox/work-handlers.js';
import { InboxWorker, Runs } from '../../src/inbox/worker.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { minimal } from '../webhooks/deliveries.js';
import { hang, processing, receiverWith, record, stored } from './fixture.js';

// What one run comes to, whatever the storage: it is a function here.

afterEach(() => void vi.useRealTimers());

type Event = Partial<InboxEvent> & { readonly webhook?: Parameters<typeof stored>[0] };

/** A worker whose runs a test starts. */
function start(work: HandlersByType | EventHandlers, inbox: InboxOptions = {}, options: WorkOptions = {}) {
  const { hooks, calls, failures, runs } = record();
  const logger = new RecordingLogger();
  const settings = settleOptions({ hooks, logger, logLevel: 'debug', backoff: 1_000, ...inbox });
  const reporter = new InboxReporter(settings, 'Storage');
  const handlers = toHandlers(work, options.onError, settings.log);
  const parts = { settings, work: resolveWork(options, settings.log), handlers, reporter };
  const runner = new Runs({ ...parts, anyHandles: () => false });
  const ends: Promise<unknown>[] = [];
  // The engine waits for its runs.
  const consumer = { failure: undefined, close: async () => void (await Promise.all(ends)) };
  const worker = new InboxWorker({ consumer, runs: runner, log: settings.log, onClosed: () => undefined });
  const run = ({ webhook, ...event }: Event = {}) => {
    const data = stored(webhook);
    const { key, type, receivedAt } = data;
    const ending = runner
      .run({ key, type, data, receivedAt, failures: 0, stalls: 0, ...event })
      .then(({ ending, report }) => {
        report();
        return ending;
      });
    ends.push(ending);
    return ending;
  };
  return { worker, runner, run, logger, calls, failures, runs };
}

test.each<[what: string, work: unknown, options: object, message: RegExp]>([
  ['a receiver', receiverWith(), {}, /receiver.*by type/],
  ['nothing', undefined, {}, /work must be handlers by type/],
  ['a Map', new Map([['lead_captured', () => undefined]]), {}, /no handlers of its own/],
  ['a promise', Promise.resolve({}), {}, /no handlers of its own/],
  [
    'methods of a class',
    new (class {
      lead_captured() {}
    })(),
    {},
    /no handlers of its own/,
  ],
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
  expect(() => start(work as HandlersByType, {}, options)).toThrow(ConfigurationError);
  expect(() => start(work as HandlersByType, {}, options)).toThrow(message);
});

test.each<[what: string, inbox: InboxOptions, work: object, warning: string]>([
  ['fourteen, meant as days', { deadLetterRetention: 14 }, {}, 'deadLetterRetention is 14 milliseconds'],
  ['24, meant as hours', { retention: 24 }, {}, 'retention is 24 milliseconds'],
  ['thirty, meant as seconds', { storeTimeout: 30 }, {}, 'storeTimeout is 30 milliseconds'],
  ['a backoff of thirty', { backoff: { type: 'exponential', delay: 30 } }, {}, 'backoff is 30 milliseconds'],
  [
    'a longest backoff of 600',
    { backoff: { type: 'fixed', delay: 500, maxDelay: 600 } },
    {},
    'backoff.maxDelay is 600 milliseconds',
  ],
  ['a lock of thirty', {}, { lockDuration: 30 }, 'lockDuration is 30 milliseconds'],
  ['a time limit of 300', {}, { handlerTimeout: 300 }, 'handlerTimeout is 300 milliseconds'],
])('a duration of %s is warned of, and used', (_, inbox, work, warning) => {
  const { logger } = start({}, { backoff: undefined, ...inbox }, work);
  expect(logger.lines.filter((line) => line.includes('milliseconds'))).toEqual([
    expect.stringContaining(`inbox: ${warning}, which is short. Is it in another unit?`),
  ]);
});

test('a grace in seconds is warned of', async () => {
  const { worker, logger } = start({}, { backoff: 500 });
  await worker.close({ grace: 25 });
  expect(logger.lines.join()).toContain('grace is 25 milliseconds');
});

const fail = (thrown: unknown) => () => Promise.reject(thrown);
const soon = (retryAfter: number) => fail(new WebhookError('later', { retryAfter }));

test('of several handlers, one that fails in another way than for good lets the event run again', async () => {
  const handlers = createWebhookHandlers({ logLevel: 'off' });
  const final = fail(new WebhookError('final', { retryable: false }));
  handlers.on('lead_captured', final).on('lead_captured', final);
  expect(await start(handlers).run()).toMatchObject({ kind: 'dead' });
  handlers.on('lead_captured', fail(new Error('away')));
  expect(await start(handlers).run()).toMatchObject({ kind: 'retry' });
});

const giveUp = fail(new WebhookError('the CRM says 422', { retryable: false, cause: new Error('bad lead') }));

test.each<[what: string, work: HandlersByType | EventHandlers]>([
  ['a handler', { lead_captured: giveUp }],
  ['a function in the place of process', processing(giveUp)],
])('%s can give an event up, with its reason', async (_, work) => {
  const { run, calls, failures } = start(work);
  expect(await run()).toMatchObject({ kind: 'dead', reason: 'the CRM says 422' });
  expect(calls).toEqual(['dead letter']);
  expect(failures).toMatchObject([{ attempt: 1, error: { message: 'the CRM says 422' } }]);
});

test.each([
  [1, 'retry'],
  [2, 'dead'],
])('with three attempts, an event that had failed %i times before becomes: %s', async (failures, kind) => {
  expect(
    await start({ lead_captured: fail(new Error('no')) }, { attempts: 3 }).run({ failures }),
  ).toMatchObject({ kind });
});

test.each([
  ['as it asks', 50_000, 50_000],
  ['up to maxDelay', 3_600_000, 60_000],
])('a handler sets the delay of a retry: %s', async (_, asked, delay) => {
  const backoff = { type: 'fixed', delay: 1, maxDelay: 60_000 } as const;
  const { run } = start({ lead_captured: soon(asked) }, { backoff });
  expect(await run()).toMatchObject({ kind: 'retry', delay });
});

test('a delay that looks like seconds is warned of once', async () => {
  const { run, logger } = start({ lead_captured: soon(30) });
  await run();
  await run();
  expect(logger.lines.filter((line) => line.includes('milliseconds'))).toEqual([
    expect.stringContaining("inbox: a handler's retryAfter is 30 milliseconds, which is short."),
  ]);
});

test.each<[thrown: unknown, reason: RegExp]>([
  [undefined, /^undefined$/],
  [null, /^null$/],
  [42, /^42$/],
  ['no', /^no$/],
  [new TypeError('the CRM\n  is away\u001b'), /^the CRM is away\\u001b$/],
  [Object.assign(new AggregateError([], 'no list'), { errors: 42 }), /^no list$/],
  [new AggregateError([], 'an empty list'), /^an empty list$/],
  [Object.assign(new Error(), { message: Symbol('no') }), /./],
  [Object.create(null), /./],
  [[Object.create(null)], /./],
  [Object.assign(new Error(), { message: Object.create(null) }), /./],
  [new Error('x'.repeat(10_000)), /^x{1000}$/],
])('whatever a handler throws is a failure with a reason, row %#', async (thrown, reason) => {
  const { run, calls, failures } = start({ lead_captured: fail(thrown) });
  expect(await run()).toMatchObject({ kind: 'retry', reason: expect.stringMatching(reason) });
  // Without a value, the handlers' own error says that one has failed.
  expect([calls, failures[0]?.error]).toEqual([['retry'], thrown ?? expect.any(AggregateError)]);
});

test('several errors are one AggregateError', async () => {
  const handlers = createWebhookHandlers({ logLevel: 'off' })
    .on('lead_captured', fail(new TypeError('one')))
    .on('lead_captured', fail(new RangeError('other')));
  const { run, failures } = start(handlers);
  expect(await run()).toMatchObject({ reason: 'one; other' });
  expect(failures).toMatchObject([{ error: { errors: [{ name: 'TypeError' }, { name: 'RangeError' }] } }]);
});

test('an invalid event is a dead letter at once, or goes to onInvalid', async () => {
  const handlers = createWebhookHandlers({ logLevel: 'off' }).onAny(() => expect.unreachable());
  const { run, failures } = start(handlers);
  const webhook = { type: 'agent_deleted', payload: { agentId: null } };
  const reason = expect.stringContaining('payload.agentId: expected string');
  expect(await run({ webhook })).toMatchObject({ kind: 'dead', reason });
  expect(failures).toMatchObject([{ attempt: 1, error: { type: 'webhook_payload_error' } }]);
  const invalid: unknown[] = [];
  handlers.onInvalid(({ payload }) => invalid.push(payload));
  expect([await run({ webhook }), invalid]).toEqual([
    expect.objectContaining({ kind: 'done' }),
    [{ agentId: null }],
  ]);
});

test('a handler that never settles is aborted after handlerTimeout, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const signals: AbortSignal[] = [];
  const handler = (_: unknown, { signal }: { signal: AbortSignal }) => (signals.push(signal), hang());
  const { run, failures } = start({ lead_captured: handler }, {}, { handlerTimeout: 10_000 });
  const ending = run();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(signals[0]?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await ending).toMatchObject({ kind: 'retry', reason: expect.stringContaining('10000 ms') });
  expect([failures[0]?.error, vi.getTimerCount()]).toEqual([signals[0]?.reason, 0]);
});

test('a run that ends leaves no timer, and neither does a worker that closes before its grace is over', async () => {
  const { run, worker } = start({ lead_captured: () => undefined });
  await leavesNothing(async () => {
    await run();
    await worker.close({ grace: 60_000 });
  });
});

test('an event that is taken again while its run goes on aborts that run', async () => {
  const signals: AbortSignal[] = [];
  const handler = (_: unknown, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return signals.length === 1 ? hang() : undefined;
  };
  const { run, logger } = start({ lead_captured: handler });
  void run({ key: 'one' });
  expect(await run({ key: 'one' })).toMatchObject({ kind: 'done' });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(logger.lines.join()).toContain('the lock of one was lost');
});

test('after the grace, runs are aborted and given back, and so is one that begins then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  let signal: AbortSignal | undefined;
  let starts = 0;
  const { worker, run, runner } = start({
    lead_captured: (_, context) => {
      starts += 1;
      signal = context.signal;
      return hang();
    },
  });
  const ending = run();
  const closing = worker.close({ grace: 10_000 });
  await vi.advanceTimersByTimeAsync(9_999);
  expect(signal?.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  await closing;
  expect([await ending, await run(), starts]).toEqual([{ kind: 'given back' }, { kind: 'given back' }, 1]);
  expect([runner.handles('lead_captured'), vi.getTimerCount()]).toEqual([true, 0]);
});

test('webhook_test without a handler is completed with a line at info, and no hook is called', async () => {
  const { run, calls, logger } = start({});
  const webhook = { type: 'webhook_test', payload: minimal.webhook_test };
  expect([await run({ webhook }), calls]).toEqual([expect.objectContaining({ kind: 'done' }), []]);
  expect(logger.lines.join()).toMatch(/info .*webhook_test .* is a test event, which needs no handler/);
});

test('a hook that rejects is logged, and has no other effect', async () => {
  const hooks = { onHandled: fail(new Error('canary')) };
  const { run, logger } = start({ lead_captured: () => undefined }, { hooks });
  expect(await run()).toMatchObject({ kind: 'done' });
  await vi.waitFor(() => expect(logger.lines.join()).toContain('the hook onHandled failed'));
});

test('lines have fields, and contain nothing of a payload; a type of any length is cut in them', async () => {
  const type = `x\n${'y'.repeat(100_000)}`;
  const handlers = createWebhookHandlers({ logLevel: 'off' })
    .onUnknown(fail(new Error('no')))
    .onAny(() => undefined);
  const { run, runner, logger } = start(handlers);
  const payload = { ...minimal.lead_captured, leadName: 'canary' };
  await run({ key: 'one', webhook: { workspace: 'acme', payload } });
  await run({ key: 'other', webhook: { type, payload: {} } });
  const { logger: quiet, runner: empty } = start({});
  expect([runner.handles(type), empty.handles(type), empty.handles(type)]).toEqual([true, false, false]);
  const about = { key: 'one', type: 'lead_captured', workspace: 'acme', attempt: 1, outcome: 'handled' };
  expect(logger.fields.filter(Boolean)).toMatchObject([about, { key: 'other', outcome: 'retried' }]);
  expect(quiet.lines).toEqual([expect.stringContaining('no handler for "x\\ny')]);
  const all = [
    ...logger.lines,
    ...quiet.lines,
    ...logger.fields.map((fields) => JSON.stringify(fields ?? {})),
  ];
  expect(all.join()).not.toContain('canary');
  expect(Math.max(...all.map((line) => line.length))).toBeLessThan(1_000);
});

test('handlers by type log to the logger of the inbox', async () => {
  const { run, logger } = start({ lead_captured: fail(new Error('the CRM is down')) });
  await run();
  expect(logger.lines.join()).toMatch(/error .*webhook lead_captured: failed at handler/);
});

test('a failure of the storage is logged once a minute for each kind', () => {
  const logger = new RecordingLogger();
  const reporter = new InboxReporter(settleOptions({ logger }), 'Storage');
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => clock.mockRestore());
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  for (const at of [0, 59_999, 60_000]) {
    clock.mockReturnValue(at);
    reporter.storageFailed(away);
  }
  reporter.storageFailed(new Error('full'));
  const lines = ['away', 'away', 'full'].map((text) => `inbox: Storage failed: ${text}`);
  expect(logger.lines).toEqual(lines.map((line) => expect.stringContaining(line) as unknown));
});
