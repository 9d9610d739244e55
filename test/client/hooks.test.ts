import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import type { EndHookContext, Hooks, RequestHookContext } from 'agent-platform-sdk';
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
  TOKEN,
} from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

const { toolId } = seed;
const about = { method: 'GET', route: '/tools/{toolId}', region: 'eu' };
const durationMs = expect.any(Number) as number;
const callId = expect.any(String) as string;

/** A call that runs every hook: a retry, and then drift. */
const respondForAll = () =>
  respond(
    response(503, { message: 'busy', code: 'busy' }, { 'retry-after': '0' }),
    response(200, success({ id: 't1', name: null })),
  );

/** Records every hook of a client, in order. */
function recordHooks() {
  const events: { name: string; context: Record<string, unknown> }[] = [];
  const record = (name: string) => (context: object) => void events.push({ name, context: { ...context } });
  const names = ['onRequest', 'onResponse', 'onRetry', 'onDrift', 'onEnd'] as const;
  const hooks: Hooks = Object.fromEntries(names.map((name) => [name, record(name)]));
  return { events, hooks };
}

test('hooks are called in order, and each names its call, attempt and outcome, without the token', async () => {
  const { events, hooks } = recordHooks();
  respondForAll();
  await createClient({ hooks, maxRetries: 1 }).tools.get('t 1');
  const call = { ...about, callId, path: '/tools/t%201' };
  const headers = expect.any(Headers) as Headers;
  expect(events.map(({ name, context }) => [name, context])).toEqual([
    ['onRequest', { ...call, attempt: 1, url: `${baseUrls.eu}/v3/tools/t%201`, headers }],
    ['onResponse', { ...call, attempt: 1, status: 503, headers, durationMs }],
    ['onRetry', { ...call, attempt: 1, delayMs: 0, error: expect.objectContaining({ status: 503 }) }],
    ['onRequest', { ...call, attempt: 2, url: `${baseUrls.eu}/v3/tools/t%201`, headers }],
    ['onResponse', { ...call, attempt: 2, status: 200, headers, durationMs }],
    [
      'onDrift',
      {
        ...about,
        callId,
        source: 'GET /tools/{toolId}',
        issues: [expect.objectContaining({ path: ['data', 'name'] })],
      },
    ],
    [
      'onEnd',
      { ...about, callId, outcome: 'success', status: 200, attempts: 2, durationMs, error: undefined },
    ],
  ]);
  const [first, ...others] = new Set(events.map(({ context }) => context.callId));
  expect(first).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
  expect(others).toEqual([]);
  expect(inspect(events, { depth: Number.POSITIVE_INFINITY })).not.toContain(TOKEN);
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
  const sent = (name: string) => requests.map((request) => request.headers.get(name));
  expect(sent('traceparent')).toEqual(['00-trace-1', '00-trace-2']);
  // Each attempt starts from fresh headers.
  expect(sent('baggage')).toEqual(['own=1, hook=1', 'own=1, hook=2']);
  expect(sent('x-first')).toEqual(['yes', null]);
});

test('onRequest sees no token, and cannot change it or the content type', async () => {
  const seen: (string | null)[] = [];
  const onRequest = ({ headers }: RequestHookContext) => {
    seen.push(headers.get('authorization'));
    headers.set('authorization', 'Bearer other');
    headers.set('content-type', 'text/plain');
  };
  const { tools, variables } = createClient({ hooks: { onRequest } });
  await variables.create(seed.agentId, { key: 'k' });
  await tools.get(toolId);
  expect(seen).toEqual([null, null]);
  const sent = (name: string) => requests.map((request) => request.headers.get(name));
  expect(sent('content-type')).toEqual(['application/json', null]);
  expect(sent('authorization')).toEqual([`Bearer ${TOKEN}`, `Bearer ${TOKEN}`]);
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

const cause = new Error('broken hook');
const broken: readonly (() => unknown)[] = [
  () => {
    throw cause;
  },
  () => Promise.reject(cause),
];

test('onRequest that throws ends the call with a HookError before anything is sent', async () => {
  const replacing = (context: object) => Object.assign(context, { headers: {} });
  for (const onRequest of [...broken, replacing]) {
    const { tools } = createClient({ hooks: { onRequest }, maxRetries: 2 });
    expect(await rejectionOf(tools.get(toolId))).toMatchObject({
      type: 'hook_error',
      hook: 'onRequest',
      cause: onRequest === replacing ? (expect.any(TypeError) as Error) : cause,
      outcomeUnknown: false,
      message: 'GET /tools/{toolId} was not sent (attempt 1): the onRequest hook threw (see `error.cause`)',
    });
  }
  // undici would wait for a body of another length.
  const onRequest = ({ headers }: RequestHookContext) => headers.set('content-length', '3');
  const { tools } = createClient({ hooks: { onRequest } });
  await expect(tools.get(toolId)).rejects.toThrow(
    'the onRequest hook set headers that contain content-length',
  );
  expect(requests).toHaveLength(0);
});

test.each(['onResponse', 'onRetry', 'onDrift', 'onEnd'])(
  '%s that throws is logged with its stack, and ignored',
  async (name) => {
    for (const hook of broken) {
      const logger = new RecordingLogger();
      respondForAll();
      const options = { hooks: { [name]: hook }, maxRetries: 1, logLevel: 'error', logger } as const;
      expect(await createClient(options).tools.get('t1')).toMatchObject({ id: 't1' });
      await expect.poll(() => logger.lines.length).toBeGreaterThan(0);
      for (const line of logger.lines) {
        expect(line).toMatch(
          new RegExp(`the hook ${name} failed: Error: broken hook\\n    at .*hooks\\.test`),
        );
      }
    }
  },
);

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
  respondForAll();
  const hooks = { onResponse: hang, onRetry: hang, onDrift: hang, onEnd: hang };
  expect(await createClient({ hooks, maxRetries: 1 }).tools.get('t1')).toMatchObject({ id: 't1' });
});

/** Records the ends of calls. */
function recordEnds() {
  const ends: EndHookContext[] = [];
  return { ends, hooks: { onEnd: (context: EndHookContext) => void ends.push(context) } };
}

test('onEnd is called once for each call that fails: its attempts and last status', async () => {
  const { ends, hooks } = recordEnds();
  const { tools } = createClient({ hooks });
  const missing = await rejectionOf(tools.get('nobody'));
  const refused = await rejectionOf(tools.get(''));
  const aborted = await rejectionOf(tools.get(toolId, { signal: AbortSignal.abort() }));
  // The status of a response even without its body, and none without a response.
  addFaults({ kind: 'reset', at: 'body' }, { status: 503, retryAfter: 0 }, { kind: 'reset' });
  const cut = await rejectionOf(tools.get(toolId));
  const reset = await rejectionOf(tools.get(toolId, { maxRetries: 1 }));
  const end = { ...about, callId, outcome: 'error', durationMs };
  expect(ends).toEqual([
    { ...end, status: 404, attempts: 1, error: missing },
    { ...end, status: undefined, attempts: 0, error: refused },
    { ...end, status: undefined, attempts: 1, error: aborted },
    { ...end, status: 200, attempts: 1, error: cut },
    { ...end, status: undefined, attempts: 2, error: reset },
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
