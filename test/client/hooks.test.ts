import { runInNewContext } from 'node:vm';
import type { DriftHookContext, EndHookContext, Hooks, RequestHookContext } from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addFaults,
  baseUrls,
  createClient,
  fake,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  success,
} from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

const { toolId } = seed;
const about = { method: 'GET', route: '/tools/{toolId}', region: 'eu' };
const drifted = () => respond(response(200, success({ id: 't1', name: null })));

/** Records every hook of a client, in order. */
function recordHooks() {
  const events: { name: string; context: Record<string, unknown> }[] = [];
  const record = (name: string) => (context: object) => void events.push({ name, context: { ...context } });
  const names = ['onRequest', 'onResponse', 'onRetry', 'onDrift', 'onEnd'] as const;
  const hooks: Hooks = Object.fromEntries(names.map((name) => [name, record(name)]));
  return { events, hooks };
}

test('hooks are called in order, each with the id of its call', async () => {
  const { events, hooks } = recordHooks();
  respond(
    response(503, { message: 'busy', code: 'busy' }, { 'retry-after': '0' }),
    response(200, success({ id: 't1', name: null })),
  );
  const { tools } = createClient({ hooks, maxRetries: 1 });
  await tools.get('t1');
  expect(events.map(({ name }) => name)).toEqual([
    'onRequest',
    'onResponse',
    'onRetry',
    'onRequest',
    'onResponse',
    'onDrift',
    'onEnd',
  ]);
  const [first, ...others] = new Set(events.map(({ context }) => context.callId));
  expect(first).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  expect(others).toEqual([]);
});

test('concurrent calls have different ids', async () => {
  const { events, hooks } = recordHooks();
  const { tools } = createClient({ hooks });
  await Promise.all([tools.get(toolId), tools.get(toolId), tools.listDefaults()]);
  for (const name of ['onRequest', 'onResponse', 'onEnd']) {
    const ids = events.filter((event) => event.name === name).map(({ context }) => context.callId);
    expect(new Set(ids).size).toBe(3);
  }
});

test('the context of a hook names call, attempt and outcome', async () => {
  const { events, hooks } = recordHooks();
  await rejectionOf(createClient({ hooks }).tools.get('t 1'));
  const call = { ...about, path: '/tools/t%201', attempt: 1 };
  expect(events.map(({ context }) => context)).toMatchObject([
    { ...call, url: `${baseUrls.eu}/v3/tools/t%201` },
    { ...call, status: 404, headers: expect.any(Headers), durationMs: expect.any(Number) },
    { ...about, outcome: 'error', status: 404, attempts: 1, error: { name: 'NotFoundError' } },
  ]);
});

test('onRequest is awaited, and may add headers to each attempt', async () => {
  addFaults({ status: 503, retryAfter: 0 });
  const onRequest = async ({ headers, attempt }: RequestHookContext) => {
    await Promise.resolve();
    headers.set('traceparent', `00-trace-${attempt}`);
    headers.append('baggage', `hook=${attempt}`);
    if (attempt === 1) headers.set('x-first', 'yes');
  };
  const headers = { baggage: 'own=1' };
  await createClient({ hooks: { onRequest }, headers, maxRetries: 1 }).tools.get(toolId);
  expect(requests.map((request) => request.headers.get('traceparent'))).toEqual(['00-trace-1', '00-trace-2']);
  // Each attempt starts from fresh headers.
  expect(requests.map((request) => request.headers.get('baggage'))).toEqual([
    'own=1, hook=1',
    'own=1, hook=2',
  ]);
  expect(requests.map((request) => request.headers.get('x-first'))).toEqual(['yes', null]);
});

test('onRequest sees no token, and cannot change it or the content type', async () => {
  const seen: (string | null)[] = [];
  const onRequest = ({ headers }: RequestHookContext) => {
    seen.push(headers.get('authorization'));
    headers.set('authorization', 'Bearer other');
    headers.set('content-type', 'text/plain');
  };
  await createClient({ hooks: { onRequest } }).variables.create(seed.agentId, { key: 'k' });
  expect(seen).toEqual([null]);
  expect(requests[0]?.headers.get('content-type')).toBe('application/json');
  expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${seed.workspaceSecret}`);
});

test('hooks may be the methods of an object', async () => {
  class Metrics {
    readonly #seen: string[] = [];
    get seen(): readonly string[] {
      return this.#seen;
    }
    onRequest(): void {
      this.#seen.push('request');
    }
    onEnd(): void {
      this.#seen.push('end');
    }
  }
  const hooks = new Metrics();
  await createClient({ hooks }).tools.get(toolId);
  expect(hooks.seen).toEqual(['request', 'end']);
});

test('onRequest that throws ends the call with a HookError before anything is sent', async () => {
  const cause = new Error('no tracer');
  const throwing = () => {
    throw cause;
  };
  for (const onRequest of [throwing, () => Promise.reject(cause)]) {
    const { tools } = createClient({ hooks: { onRequest }, maxRetries: 2 });
    expect(await rejectionOf(tools.get(toolId))).toMatchObject({
      type: 'hook_error',
      hook: 'onRequest',
      cause,
      outcomeUnknown: false,
      message: 'GET /tools/{toolId} was not sent (attempt 1): the onRequest hook threw (see `error.cause`)',
    });
  }
  expect(requests).toHaveLength(0);
});

test.each<[keyof Hooks, () => unknown]>(
  (['onResponse', 'onRetry', 'onDrift', 'onEnd'] as const).flatMap((name): [keyof Hooks, () => unknown][] => [
    [
      name,
      () => {
        throw new Error('broken hook');
      },
    ],
    [name, () => Promise.reject(new Error('broken hook'))],
  ]),
)('%s that throws is logged with its stack, and ignored', async (name, hook) => {
  const logger = new RecordingLogger();
  respond(response(503, '', { 'retry-after': '0' }), response(200, success({ id: 't1', name: null })));
  const { tools } = createClient({ hooks: { [name]: hook }, maxRetries: 1, logLevel: 'error', logger });
  expect(await tools.get('t1')).toMatchObject({ id: 't1' });
  await expect.poll(() => logger.lines.length).toBeGreaterThan(0);
  for (const line of logger.lines) {
    expect(line).toMatch(new RegExp(`the hook ${name} failed: Error: broken hook\\n    at .*hooks\\.test`));
  }
});

// jest#2549: in Jest and vitest's `vmThreads`, a test's classes are not those of the errors that Node throws.
test('what a hook of another realm throws is logged as an error', async () => {
  const logger = new RecordingLogger();
  const onEnd = () => {
    throw runInNewContext('new TypeError("of another realm")');
  };
  await createClient({ hooks: { onEnd }, logLevel: 'error', logger }).tools.get(toolId);
  await expect.poll(() => logger.lines.join()).toMatch(/onEnd failed: TypeError: of another realm\n {4}at /);
});

test('observers do not delay a call, even if they never settle', async () => {
  const hang = () => new Promise<void>(() => undefined);
  respond(response(503, '', { 'retry-after': '0' }), response(200, success({ id: 't1', name: null })));
  const hooks = { onResponse: hang, onRetry: hang, onDrift: hang, onEnd: hang };
  expect(await createClient({ hooks, maxRetries: 1 }).tools.get('t1')).toMatchObject({ id: 't1' });
});

test('onDrift gets each issue with its path', async () => {
  const drifts: DriftHookContext[] = [];
  drifted();
  const hooks = { onDrift: (drift: DriftHookContext) => void drifts.push(drift) };
  await createClient({ hooks }).tools.get('t1');
  expect(drifts).toMatchObject([
    { ...about, source: 'GET /tools/{toolId}', issues: [{ path: ['data', 'name'] }] },
  ]);
});

/** Records the ends of calls. */
function recordEnds() {
  const ends: EndHookContext[] = [];
  return { ends, hooks: { onEnd: (context: EndHookContext) => void ends.push(context) } };
}

test('onEnd is called once for each call: its outcome, attempts and last status', async () => {
  const { ends, hooks } = recordEnds();
  addFaults({ status: 503, retryAfter: 0 });
  const { tools } = createClient({ hooks, maxRetries: 1 });
  await tools.get(toolId);
  const error = await rejectionOf(tools.get('nobody'));
  const refused = await rejectionOf(tools.get(''));
  const aborted = await rejectionOf(tools.get(toolId, { signal: AbortSignal.abort() }));
  const durationMs = expect.any(Number) as number;
  const callId = expect.any(String) as string;
  expect(ends).toEqual([
    { ...about, callId, outcome: 'success', status: 200, attempts: 2, durationMs, error: undefined },
    { ...about, callId, outcome: 'error', status: 404, attempts: 1, durationMs, error },
    { ...about, callId, outcome: 'error', status: undefined, attempts: 0, durationMs, error: refused },
    { ...about, callId, outcome: 'error', status: undefined, attempts: 1, durationMs, error: aborted },
  ]);
});

// octokit/webhooks.js#29
test.each<[what: string, args: readonly unknown[], type: string]>([
  ['path', ['GET', 'tools'], 'request_validation_error'],
  ['option', ['GET', '/tools', { params: 1 }], 'configuration_error'],
  ['form of the options', ['GET', '/tools', null], 'configuration_error'],
])('onEnd is called for a request with a wrong %s', async (_, args, type) => {
  const { ends, hooks } = recordEnds();
  const platform = createClient({ hooks });
  const error = await rejectionOf(Reflect.apply(platform.request, platform, args));
  expect(ends).toMatchObject([{ method: 'GET', route: '(request)', outcome: 'error', attempts: 0, error }]);
  expect(error).toMatchObject({ type });
});

test('onEnd has the status of a response even without its body, and none without a response', async () => {
  const { ends, hooks } = recordEnds();
  addFaults({ kind: 'reset', at: 'body' }, { status: 503, retryAfter: 0 }, { kind: 'reset' });
  const { tools } = createClient({ hooks });
  await rejectionOf(tools.get(toolId));
  await rejectionOf(tools.get(toolId, { maxRetries: 1 }));
  expect(ends).toMatchObject([
    { status: 200, attempts: 1, error: { type: 'connection_error' } },
    { status: undefined, attempts: 2, error: { type: 'connection_error' } },
  ]);
});

test('onEnd has the duration of the whole call, delays included', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { ends, hooks } = recordEnds();
  addFaults({ status: 503, retryAfter: 5 });
  const call = createClient({ maxRetries: 1, hooks, fetch: fake.fetch }).tools.get(toolId);
  await vi.advanceTimersByTimeAsync(6_000);
  await call;
  expect(ends[0]?.durationMs).toBeGreaterThan(4_900);
});
