import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type CallTrace,
  type EndHookContext,
  fieldsFirst,
  NotFoundError,
  RequestValidationError,
  TRACING_CHANNELS,
} from 'agent-platform-sdk';
import { HttpResponse } from 'msw';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { rejectionOf, success } from '../support/client.js';
import { answerInTurn, answerWith, connectTo } from '../support/msw.js';

const found = answerWith(200, success({ id: 't1' }));
const missing = answerWith(404, { message: 'no such tool', code: 'not_found', issues: [] });
const busy = answerWith(503, { message: 'busy', code: 'busy' }, { 'retry-after': '0' });
const about = { method: 'GET', route: '/tools/{toolId}', region: 'eu' };

/** Collects the ends of calls. */
function ends() {
  const told: EndHookContext[] = [];
  return { told, hooks: { onEnd: (context: EndHookContext) => void told.push(context) } };
}

test('onEnd is told once for each call: its outcome, attempts and last status', async () => {
  const { told, hooks } = ends();
  const { platform } = connectTo(answerInTurn(busy, found, missing), { maxRetries: 1, hooks });
  await platform.tools.get('t1');
  const error = await rejectionOf(platform.tools.get('t2'));

  expect(told).toEqual([
    {
      ...about,
      outcome: 'success',
      status: 200,
      attempts: 2,
      durationMs: expect.any(Number),
      error: undefined,
    },
    { ...about, outcome: 'error', status: 404, attempts: 1, durationMs: expect.any(Number), error },
  ]);
  expect(error).toBeInstanceOf(NotFoundError);
  expect(told.filter(({ durationMs }) => !Number.isInteger(durationMs))).toEqual([]);
});

test('the region of the client is named in all that is told of a call', async () => {
  const regions: unknown[] = [];
  const note = (told: { readonly region?: unknown }) => void regions.push(told.region);
  const info = vi.fn<(line: string, fields?: object) => void>();
  const { platform } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': '0' }), missing), {
    region: 'na',
    maxRetries: 1,
    hooks: { onRequest: note, onResponse: note, onDrift: note, onRetry: note, onEnd: note },
    logLevel: 'info',
    logger: { ...console, info, warn: () => undefined },
  });
  const error = await rejectionOf(platform.tools.get('t1'));
  const cut = await rejectionOf(
    platform.withOptions({ fetch: () => Promise.reject(new TypeError('fetch failed')) }).tools.get('t1'),
  );

  expect(new Set(regions)).toEqual(new Set(['na']));
  expect(info.mock.lastCall).toEqual([
    expect.stringContaining('(attempt 2, na)'),
    expect.objectContaining({ region: 'na' }),
  ]);
  expect(error).toMatchObject({ region: 'na', message: expect.stringContaining("region 'na'") });
  expect(cut).toMatchObject({ region: 'na', message: expect.stringContaining('`baseUrls.na`') });
});

test('onEnd has no status where the last attempt was not answered', async () => {
  const { told, hooks } = ends();
  const info = vi.fn<(line: string, fields?: object) => void>();
  const { platform } = connectTo(
    answerInTurn(busy, () => HttpResponse.error()),
    {
      maxRetries: 1,
      hooks,
      logLevel: 'info',
      logger: { ...console, info },
    },
  );
  const error = await rejectionOf(platform.tools.get('t1'));

  expect(told).toMatchObject([{ ...about, outcome: 'error', status: undefined, attempts: 2, error }]);
  expect((error as Error).message).toContain('(attempt 2)');
  expect(info.mock.lastCall?.[1]).toMatchObject({
    ...about,
    attempt: 2,
    outcome: 'connection_error',
    durationMs: expect.any(Number),
  });
});

test('onEnd has the status of an answer whose body did not come', async () => {
  const { told, hooks } = ends();
  const broken = new ReadableStream({ pull: (body) => body.error(new TypeError('cut')) });
  const { platform } = connectTo(() => new HttpResponse(broken), { hooks });
  await rejectionOf(platform.tools.get('t1'));

  expect(told).toMatchObject([{ outcome: 'error', status: 200, error: { type: 'connection_error' } }]);
});

test('onEnd has the duration of the whole call, waits included', async () => {
  vi.useFakeTimers({
    toFake: ['performance', 'setTimeout', 'clearTimeout', 'Date'],
    shouldAdvanceTime: true,
  });
  onTestFinished(() => void vi.useRealTimers());
  const { told, hooks } = ends();
  const later = answerWith(503, { message: 'busy', code: 'busy' }, { 'retry-after': '5' });
  const { platform } = connectTo(answerInTurn(later, found), { maxRetries: 1, hooks });
  const call = platform.tools.get('t1');
  await vi.advanceTimersByTimeAsync(6_000);
  await call;
  expect(told[0]?.durationMs).toBeGreaterThan(4_900);
});

test('onEnd is told of a call that was refused before any attempt, and of one without an answer', async () => {
  const { told, hooks } = ends();
  const { platform } = connectTo(found, { hooks });
  const refused = await rejectionOf(platform.tools.get(''));
  const aborted = await rejectionOf(platform.tools.get('t1', { signal: AbortSignal.abort() }));

  expect(refused).toBeInstanceOf(RequestValidationError);
  expect(told).toMatchObject([
    { ...about, outcome: 'error', status: undefined, attempts: 0, error: refused },
    { ...about, outcome: 'error', status: undefined, error: aborted },
  ]);
});

test('an onEnd that throws or never settles changes nothing', async () => {
  const lines: string[] = [];
  const logger = { ...console, error: (line: string) => void lines.push(line.split('\n')[0] ?? '') };
  const hooks = {
    onEnd: async ({ attempts }: EndHookContext) => {
      if (attempts === 1) throw new TypeError('metrics are away');
    },
  };
  const { platform } = connectTo(found, { hooks, logger, logLevel: 'error' });
  expect((await platform.tools.get('t1')).id).toBe('t1');
  await expect.poll(() => lines).toEqual(['[agent-platform-sdk] the hook onEnd failed: TypeError']);
  const endless = connectTo(found, { hooks: { onEnd: () => new Promise(() => undefined) } });
  expect((await endless.platform.tools.get('t1')).id).toBe('t1');
});

test('a call is traced: its context reaches the hooks, its end fills the message, and no result is published', async () => {
  const channel = tracingChannel<unknown, CallTrace>(TRACING_CHANNELS.call);
  const spans = new AsyncLocalStorage<string>();
  channel.start.bindStore(spans, () => 'the span');
  const messages: CallTrace[] = [];
  const ended = { asyncEnd: (message: CallTrace) => void messages.push(message) };
  channel.subscribe(ended as Parameters<typeof channel.subscribe>[0]);
  onTestFinished(() => {
    channel.start.unbindStore(spans);
    channel.unsubscribe(ended as Parameters<typeof channel.unsubscribe>[0]);
  });
  const seen: unknown[] = [];
  const { platform } = connectTo(answerInTurn(found, missing), {
    hooks: { onRequest: () => void seen.push(spans.getStore()) },
  });
  expect((await platform.tools.get('t1')).id).toBe('t1');
  const error = await rejectionOf(platform.tools.get('t2'));

  expect(seen).toEqual(['the span', 'the span']);
  expect(messages).toMatchObject([
    { ...about, baseUrl: platform.baseUrl, outcome: 'success', status: 200, attempts: 1 },
    { ...about, outcome: 'error', status: 404, error },
  ]);
  expect(JSON.stringify(messages[0])).not.toContain('t1');
});

test('the channels have the names that subscribers write', () => {
  const names = { call: 'agent-platform-sdk:call', delivery: 'agent-platform-sdk:delivery' };
  expect(TRACING_CHANNELS).toEqual({ ...names, job: 'agent-platform-sdk:job' });
});

test.each(['start', 'end', 'asyncStart', 'asyncEnd', 'error'] as const)(
  'a call is traced for one who hears of %s alone',
  async (event) => {
    const { [event]: channel } = tracingChannel<unknown, CallTrace>(TRACING_CHANNELS.call);
    const heard: unknown[] = [];
    const listen = (message: unknown) => void heard.push(message);
    channel.subscribe(listen);
    onTestFinished(() => channel.unsubscribe(listen));
    const { platform } = connectTo(missing);
    const error = await rejectionOf(platform.tools.get('t1'));
    expect(heard).toMatchObject([{ ...about, error }]);
  },
);

test('a logger of its own gets the facts as fields; one that takes fields first, through fieldsFirst', async () => {
  const records: Record<string, unknown>[] = [];
  const sink = pino({ level: 'debug' }, { write: (line: string) => void records.push(JSON.parse(line)) });
  const info = vi.fn<(line: string, fields?: object) => void>();
  const plain = connectTo(found, { logLevel: 'info', logger: { ...console, info } });
  await plain.platform.tools.get('t1');
  const { platform } = connectTo(answerInTurn(busy, found), {
    logLevel: 'debug',
    logger: fieldsFirst(sink),
    maxRetries: 1,
  });
  await platform.tools.get('t1');
  const warn = vi.fn<(fields: object, line: string) => void>();
  const drifted = answerWith(200, success({ id: 't1', name: null }));
  const warning = connectTo(drifted, { logLevel: 'warn', logger: fieldsFirst({ ...console, warn }) });
  await warning.platform.tools.get('t1');

  const fields = { ...about, attempt: 1, status: 200, durationMs: expect.any(Number) };
  expect(info.mock.calls).toEqual([[expect.stringContaining('-> 200 in'), fields]]);
  expect(records.filter(({ msg }) => String(msg).includes('->'))).toMatchObject([
    { ...fields, status: 503 },
    { ...fields, attempt: 2 },
  ]);
  const attempts = [fields, { ...fields, attempt: 2 }].map(({ status, durationMs, ...sent }) => sent);
  expect(records.filter(({ msg }) => String(msg).includes(' sends '))).toMatchObject(attempts);
  expect(records.filter(({ msg }) => String(msg).includes(' received '))).toMatchObject([
    { ...fields, status: 503 },
    { ...fields, attempt: 2 },
  ]);
  expect(records.find(({ msg }) => String(msg).includes('is retried'))).toMatchObject({
    ...attempts[0],
    outcome: 'server_error',
  });
  expect(warn.mock.calls).toEqual([[{}, expect.stringContaining('departs from the specification')]]);
});

test('fieldsFirst keeps the level of a line, and gives fields where there are none', () => {
  const calls: unknown[] = [];
  const note = (level: string) => (fields: object, line: string) => void calls.push([level, fields, line]);
  const levels = ['error', 'warn', 'info', 'debug'] as const;
  const [error, warn, info, debug] = levels.map(note) as [never, never, never, never];
  const logger = fieldsFirst({ error, warn, info, debug });
  for (const level of levels) {
    logger[level]('a line');
    logger[level]('a line', { attempt: 1 });
  }
  expect(calls).toEqual(
    levels.flatMap((level) => [
      [level, {}, 'a line'],
      [level, { attempt: 1 }, 'a line'],
    ]),
  );
});

test('console, the logger where none is given, gets the line alone', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => undefined);
  onTestFinished(() => info.mockRestore());
  const { platform } = connectTo(found, { logLevel: 'info' });
  await platform.tools.get('t1');
  expect(info.mock.calls).toEqual([[expect.stringContaining('-> 200 in')]]);
});
