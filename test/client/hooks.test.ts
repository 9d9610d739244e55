import type { Hooks, RequestHookContext, ResponseHookContext } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { rejectionOf, success } from '../support/client.js';
import { answerInTurn, answerWith, BASE_URL, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';

const found = answerWith(200, success({ id: 't1' }));

test('onRequest may add headers, asynchronously, for each attempt', async () => {
  const { platform, requests } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': '0' }), found), {
    maxRetries: 1,
    hooks: {
      onRequest: async ({ headers, attempt }) => {
        await Promise.resolve();
        headers.set('traceparent', `00-trace-${attempt}`);
      },
    },
  });
  await platform.tools.get('t1');
  expect(requests.map(({ headers }) => headers.traceparent)).toEqual(['00-trace-1', '00-trace-2']);
});

test('each attempt starts from fresh headers: what a hook appended to the last one is gone', async () => {
  const { platform, requests } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': '0' }), found), {
    maxRetries: 1,
    headers: { baggage: 'own=1' },
    hooks: {
      onRequest: ({ headers, attempt }) => {
        headers.append('baggage', `hook=${attempt}`);
        if (attempt === 1) for (const name of ['a-first', 'x-first']) headers.set(name, 'yes');
      },
    },
  });
  await platform.tools.get('t1');
  expect(requests.map(({ headers }) => headers.baggage)).toEqual(['own=1, hook=1', 'own=1, hook=2']);
  expect(requests[0]?.headers).toMatchObject({ 'a-first': 'yes', 'x-first': 'yes' });
  for (const name of ['a-first', 'x-first']) expect(requests[1]?.headers).not.toHaveProperty(name);
});

test('a hook that keeps the headers cannot change them once it has returned', async () => {
  const { platform, requests } = connectTo(found, {
    hooks: {
      onRequest: ({ headers }) => {
        // After the client has looked at what the hook made of them.
        setTimeout(() => headers.set('authorization', 'Bearer other'));
        for (let turn = 0, later = Promise.resolve(); turn < 20; turn += 1) {
          later = later.then(() => headers.set('authorization', 'Bearer other'));
        }
      },
    },
  });
  await platform.tools.get('t1');
  expect(requests[0]?.headers.authorization).not.toBe('Bearer other');
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
    onResponse(): void {
      this.#seen.push('response');
    }
    onRetry(): void {
      this.#seen.push('retry');
    }
    onDrift(): void {
      this.#seen.push('drift');
    }
    onEnd(): void {
      this.#seen.push('end');
    }
  }
  const hooks = new Metrics();
  const grown = answerWith(200, success([{ id: 't1', kind: 'brand_new' }]));
  const busy = answerWith(503, { message: 'busy', code: 'busy' }, { 'retry-after': '0' });
  const { platform } = connectTo(answerInTurn(busy, grown), {
    maxRetries: 1,
    hooks,
  });
  await platform.tools.listDefaults();
  expect(hooks.seen).toEqual(['request', 'response', 'retry', 'request', 'response', 'drift', 'end']);
});

test('onRequest cannot change the token or the content type', async () => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 'v1' })), {
    hooks: {
      onRequest: ({ headers }) => {
        headers.set('authorization', 'Bearer other');
        headers.set('content-type', 'text/plain');
      },
    },
  });
  await platform.variables.create('a1', { key: 'k' });
  expect(requests[0]?.headers['content-type']).toBe('application/json');
  expect(requests[0]?.headers.authorization).not.toBe('Bearer other');
});

test('hooks are told of the call, the attempt and the outcome', async () => {
  const asked: RequestHookContext[] = [];
  const responses: ResponseHookContext[] = [];
  const { platform } = connectTo(answerWith(404, { message: 'm', code: 'c' }), {
    hooks: {
      onRequest: (context) => void asked.push(context),
      onResponse: (context) => void responses.push(context),
    },
  });
  await rejectionOf(platform.tools.get('t 1'));
  const call = { method: 'GET', route: '/tools/{toolId}', path: '/tools/t%201', region: 'eu', attempt: 1 };
  expect(asked).toMatchObject([{ ...call, url: `${BASE_URL}/v3/tools/t%201` }]);
  expect(responses).toMatchObject([{ ...call, status: 404 }]);
});

test('onRequest that throws ends the call with a typed error before anything is sent', async () => {
  const thrown = new Error('no tracer');
  for (const onRequest of [
    () => {
      throw thrown;
    },
    () => Promise.reject(thrown),
  ]) {
    const { platform, requests } = connectTo(found, { hooks: { onRequest }, maxRetries: 2 });
    expect(await rejectionOf(platform.tools.get('t1'))).toMatchObject({
      type: 'hook_error',
      hook: 'onRequest',
      cause: thrown,
      message: 'GET /tools/{toolId} was not sent: the hook onRequest failed (see `error.cause`)',
    });
    expect(requests).toHaveLength(0);
  }
});

test.each(['onResponse', 'onRetry', 'onDrift'] as const)(
  '%s that throws is logged and ignored',
  async (name) => {
    const logger = new RecordingLogger();
    const hooks: Hooks = {
      [name]: () => {
        throw new Error('broken hook');
      },
    };
    const drifted = answerWith(200, success({ id: 't1', name: null }));
    const { platform } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': '0' }), drifted), {
      hooks,
      maxRetries: 1,
      logLevel: 'error',
      logger,
    });
    expect(await platform.tools.get('t1')).toMatchObject({ id: 't1' });
    expect(logger.lines.length).toBeGreaterThan(0);
    for (const line of logger.lines) {
      // Not the message, which may hold anything.
      expect(line).toMatch(new RegExp(`the hook ${name} failed: Error\\n    at .*hooks\\.test`));
      expect(line).not.toContain('broken hook');
    }
  },
);

test.each([
  [200, { success: true, message: 'ok', data: { id: 't1', name: null } }],
  [400, { message: 'no', code: 'bad', later: 1 }],
])('an onDrift that takes its time is waited for before the call ends: %s', async (status, body) => {
  const ended: string[] = [];
  const onDrift = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended.push('hook');
  };
  const { platform } = connectTo(answerWith(status, body), { hooks: { onDrift } });
  await platform.tools.get('t1').catch(() => undefined);
  expect([...ended, 'call']).toEqual(['hook', 'call']);
});

test('hooks that take their time are waited for before the next attempt, and before the end', async () => {
  const told: string[] = [];
  const slow = (name: string) => async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    told.push(name);
  };
  const { platform } = connectTo(answerInTurn(answerWith(503, '', { 'retry-after': '0' }), found), {
    maxRetries: 1,
    hooks: {
      onRequest: ({ attempt }) => void told.push(`attempt ${attempt}`),
      onResponse: slow('response'),
      onRetry: slow('retry'),
    },
  });
  await platform.tools.get('t1');
  expect(told).toEqual(['attempt 1', 'response', 'retry', 'attempt 2', 'response']);
});

test('a hook that never settles cannot hold a call beyond its timeout', async () => {
  const hang = () => new Promise<void>(() => undefined);
  const before = connectTo(found, { hooks: { onRequest: hang }, timeout: 40 });
  expect(await rejectionOf(before.platform.tools.get('t1'))).toMatchObject({ type: 'timeout_error' });
  const logger = new RecordingLogger();
  const logging = { logger, logLevel: 'error' } as const;
  const after = connectTo(found, { hooks: { onResponse: hang }, timeout: 1_000, ...logging });
  expect(await after.platform.tools.get('t1')).toEqual({ id: 't1' });
  const drifted = answerWith(200, success({ id: 't1', name: null }));
  const late = connectTo(drifted, { hooks: { onDrift: hang }, timeout: 1_000, ...logging });
  expect(await late.platform.tools.get('t1')).toEqual({ id: 't1', name: null });
  expect(logger.lines).toEqual([
    'error [agent-platform-sdk] the hook onResponse failed: timeout',
    'error [agent-platform-sdk] the hook onDrift failed: timeout',
  ]);
});

test.each(['expect', 'upgrade', 'keep-alive', 'connection', 'transfer-encoding', 'content-length', 'host'])(
  'a hook that sets %s ends the call, which was not sent',
  async (name) => {
    const onRequest = ({ headers }: RequestHookContext) => headers.set(name, '1');
    const { platform, requests } = connectTo(answerWith(200), { hooks: { onRequest } });
    const error = await rejectionOf(platform.workspaces.delete('w1'));
    expect(error).toMatchObject({ type: 'hook_error', outcomeUnknown: false });
    expect((error as Error).message).toBe(
      `DELETE /workspaces/{id} was not sent: the hook onRequest set the header \`${name}\`, which frames the request`,
    );
    expect(requests).toHaveLength(0);
  },
);

test('a hook or a token that fails before a second attempt does not say that nothing was sent', async () => {
  const retries = { maxRetries: 1 };
  const tooMany = answerWith(429, '', { 'retry-after': '0' });
  const failSecond = () => {
    let count = 0;
    return () => {
      count += 1;
      if (count > 1) throw new Error('no more');
      return 'workspace-secret';
    };
  };
  const hooked = connectTo(tooMany, { ...retries, hooks: { onRequest: failSecond() } }).platform;
  await expect(hooked.tools.get('t')).rejects.toThrow('was not sent again (attempt 2): the hook onRequest');
  const { platform } = connectTo(tooMany, { ...retries, token: failSecond() });
  await expect(platform.tools.get('t')).rejects.toMatchObject({
    message: expect.stringContaining('so attempt 2 was not sent') as string,
    cause: { message: 'no more' },
  });
});
