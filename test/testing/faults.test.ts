import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type AgentPlatform,
  endpoint,
  endpoints,
  NotFoundError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from 'agent-platform-sdk';
import { createFakePlatform, type FakePlatform, type FaultInput } from 'agent-platform-sdk/testing';
import { fakeHandlers } from 'agent-platform-sdk/testing/msw';
import { setupServer } from 'msw/node';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { clientOf, httpClientOf, listening, send } from './support/client.js';

/** Every fault that the client can see, and what it sees. */
const outcomes: readonly (readonly [name: string, fault: FaultInput, seen: object])[] = [
  ['a status', { status: 503 }, { status: 503, code: 'fault' }],
  ['a status without a body', { status: 500, body: 'none' }, { status: 500, code: undefined, rawBody: '' }],
  [
    'a chosen code',
    { status: 418, code: 'teapot', message: 'Short and stout' },
    { code: 'teapot', message: expect.stringContaining('Short and stout') },
  ],
  ['Retry-After', { kind: 'status', status: 429, retryAfter: 2 }, { name: 'RateLimitError', retryAfter: 2 }],
  ['Retry-After without a body', { status: 429, body: 'none', retryAfter: 2 }, { retryAfter: 2 }],
  ['a Retry-After of nonsense', { status: 429, retryAfter: 'soon' }, { retryAfter: undefined }],
  ['HTML', { kind: 'html' }, { status: 502, rawBody: expect.stringContaining('<h1>502</h1>') }],
  ['HTML with 200', { kind: 'html', status: 200 }, { name: 'ResponseValidationError', status: 200 }],
  ['an empty body', { kind: 'empty' }, { name: 'ResponseValidationError', rawBody: '', status: 200 }],
  ['truncated JSON', { kind: 'truncated' }, { name: 'ResponseValidationError', status: 200 }],
  ['a wrong shape', { kind: 'wrong-shape' }, { body: { unexpected: true } }],
  ['a chosen shape', { kind: 'wrong-shape', body: { data: [] } }, { body: { data: [] } }],
  ['a stalled body', { kind: 'stall' }, { name: 'TimeoutError' }],
  ['headers alone', { kind: 'stall', after: 0 }, { name: 'TimeoutError' }],
  ['a reset', { kind: 'reset' }, { name: 'ConnectionError' }],
  ['a reset in the body', { kind: 'reset', at: 'body' }, { name: 'ConnectionError' }],
];

/** Only what never ends is given up soon: a busy machine must not change what is seen. */
const timeoutFor = ({ kind }: FaultInput): number => (kind === 'stall' ? 250 : 30_000);

/** The ways in which a client reaches a fake. */
const ways: readonly (readonly [name: string, connect: (fake: FakePlatform) => Promise<AgentPlatform>])[] = [
  ['in process', async (fake) => clientOf(fake)],
  ['over HTTP', async (fake) => httpClientOf(fake, await listening(fake))],
  [
    'through msw',
    async (fake) => {
      const msw = setupServer(...fakeHandlers(fake));
      msw.listen();
      onTestFinished(() => msw.close());
      return clientOf(fake, { fetch: undefined });
    },
  ],
];

describe.each(ways)('%s', (_way, connect) => {
  test.each(outcomes)('%s', async (_name, fault, seen) => {
    const fake = createFakePlatform();
    const { tools } = await connect(fake);
    fake.faults.inject(fault);

    const struck = tools.get(fake.seed.eu.toolId, { timeout: timeoutFor(fault) });
    await expect(struck).rejects.toMatchObject(seen);
    await expect(tools.get(fake.seed.eu.toolId)).resolves.toBeDefined();
  });
});

test.each([{ status: 503 }, { kind: 'html' }, { kind: 'reset' }, { kind: 'latency', ms: 1 }] as const)(
  'the body of a call that %j strikes is written down',
  async (fault) => {
    const fake = createFakePlatform();
    fake.faults.inject(fault);
    const variable = { key: 'plan_of_the_call' };

    await clientOf(fake)
      .variables.create(fake.seed.eu.agentId, variable)
      .catch(() => undefined);
    expect(fake.requests).toMatchObject([{ body: { variable } }]);
  },
);

describe('which calls are struck', () => {
  test('the next one, by default', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ status: 500 });
    const { tools } = clientOf(fake);

    await expect(tools.listDefaults()).rejects.toThrow(ServerError);
    await expect(tools.listDefaults()).resolves.toBeDefined();
  });

  test('the next n of one endpoint', async () => {
    const fake = createFakePlatform();
    const injected = fake.faults.inject({
      endpoint: endpoints.getTool,
      times: 2,
      status: 503,
      retryAfter: 0,
    });
    const { tools } = clientOf(fake, { maxRetries: 2 });

    await tools.listDefaults();
    expect(injected.remaining).toBe(2);
    await expect(tools.get(fake.seed.eu.toolId)).resolves.toBeDefined();

    expect(injected.remaining).toBe(0);
    expect(fake.requests.map(({ status, fault }) => [status, fault])).toEqual([
      [200, undefined],
      [503, 'status'],
      [503, 'status'],
      [200, undefined],
    ]);
  });

  test.each([
    ['its key', 'listDefaultTools'],
    [
      'another declaration of it',
      endpoint({ method: 'GET', path: '/tools/defaults', response: z.unknown() }),
    ],
  ])('an endpoint by %s', async (_, named) => {
    const fake = createFakePlatform();
    fake.faults.inject({ endpoint: named, status: 500 });
    const { tools } = clientOf(fake);

    await expect(tools.get(fake.seed.eu.toolId)).resolves.toBeDefined();
    await expect(tools.listDefaults()).rejects.toThrow(ServerError);
  });

  test('one region', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ region: 'na', status: 500 });

    await expect(clientOf(fake).tools.listDefaults()).resolves.toBeDefined();
    await expect(clientOf(fake, { region: 'na' }).tools.listDefaults()).rejects.toThrow(ServerError);
  });

  test('each has an id of its own, also after others were removed', () => {
    const { faults } = createFakePlatform();
    faults.inject({ status: 500 }).remove();
    faults.inject({ status: 500 });

    expect(faults.list()).toMatchObject([{ id: 'fault_2' }]);
  });

  test('always, until it is removed', async () => {
    const fake = createFakePlatform();
    const injected = fake.faults.inject({ times: 'always', status: 500 });
    const { tools } = clientOf(fake);

    for (let call = 0; call < 3; call++) await expect(tools.listDefaults()).rejects.toThrow(ServerError);
    expect(fake.faults.list()).toMatchObject([{ remaining: 'always', struck: 3 }]);
    injected.remove();
    expect(injected.remaining).toBe(0);
    await expect(tools.listDefaults()).resolves.toBeDefined();
  });

  test.each([204, 205, 304])('with %s, which has no body', async (status) => {
    const fake = createFakePlatform();
    for (const kind of ['status', 'html', 'empty', 'wrong-shape'] as const) {
      fake.faults.inject({ kind, status });
      expect((await send(fake, '/v3/tools/defaults')).status).toBe(status);
    }
  });

  test.each<[how: string, end: (fake: FakePlatform) => unknown]>([
    ['clear', ({ faults }) => faults.clear()],
    ['remove', ({ faults }) => faults.remove('fault_1')],
    ['reset', (fake) => fake.reset()],
    ['restore', (fake) => fake.restore(createFakePlatform().snapshot())],
  ])('none after %s', async (_how, end) => {
    const fake = createFakePlatform();
    const injected = fake.faults.inject({ times: 'always', status: 500 });
    end(fake);

    expect(injected.remaining).toBe(0);
    await expect(clientOf(fake).tools.listDefaults()).resolves.toBeDefined();
  });

  test('a share of them, the same for the same seed', async () => {
    const struck = async (seed?: number): Promise<string> => {
      const fake = createFakePlatform();
      // Whichever was injected before has nothing to do with it, nor has a call that goes to that one.
      if (seed === undefined) fake.faults.inject({ status: 500 });
      fake.faults.inject({ times: 'always', rate: 0.3, seed, status: 500 });
      if (seed === undefined) await send(fake, '/v3/tools/defaults');
      fake.clearRequests();
      for (let call = 0; call < 200; call++) await send(fake, '/v3/tools/defaults');
      return fake.requests.map(({ fault }) => (fault === undefined ? '.' : 'x')).join('');
    };

    const first = await struck(1);
    expect(await struck(1)).toBe(first);
    expect(await struck()).toBe(first);
    expect(await struck(2)).not.toBe(first);
    const count = first.split('x').length - 1;
    expect(count).toBeGreaterThan(40);
    expect(count).toBeLessThan(80);
  });

  test('a share of the calls in its scope, whatever other calls come between', async () => {
    const struck = async (...others: [region: 'eu' | 'na', path: string][]): Promise<unknown[]> => {
      const fake = createFakePlatform();
      const fault = { endpoint: 'getTool', region: 'eu', rate: 0.5, times: 'always', status: 500 } as const;
      fake.faults.inject(fault);
      for (let call = 0; call < 30; call++) {
        await send(fake, '/v3/tools/tool_eu_1');
        for (const [region, path] of others) await fake.fetch(`${fake.baseUrls[region]}/v3${path}`);
      }
      return fake.requests.filter(({ path }) => path === '/tools/tool_eu_1').map(({ fault }) => fault);
    };

    expect(await struck(['eu', '/tools/defaults'], ['na', '/tools/t'])).toEqual(await struck());
  });

  test('one after the other, in the order of injection', async () => {
    const fake = createFakePlatform();
    fake.faults.inject({ status: 429 });
    fake.faults.inject({ status: 404 });
    const { tools } = clientOf(fake);

    await expect(tools.listDefaults()).rejects.toThrow(RateLimitError);
    await expect(tools.listDefaults()).rejects.toThrow(NotFoundError);
    await expect(tools.listDefaults()).resolves.toBeDefined();
  });
});

describe('whether the operation was carried out', () => {
  test.each([
    ['not by default', { status: 500 }, false],
    ['when told so', { status: 500, acts: true }, true],
    ['not on a reset', { kind: 'reset' }, false],
    ['on a reset when told so', { kind: 'reset', acts: true }, true],
    ['on a reset in the body', { kind: 'reset', at: 'body' }, true],
    ['on a truncated answer', { kind: 'truncated' }, true],
    ['on a stalled answer', { kind: 'stall', ms: 0 }, true],
    ['on a late answer', { kind: 'latency', ms: 1 }, true],
    ['not on another shape', { kind: 'wrong-shape' }, false],
    ['on another shape when told so', { kind: 'wrong-shape', acts: true }, true],
    ['not when refused', { kind: 'refused' }, false],
  ] satisfies [string, FaultInput, boolean][])('%s', async (_name, fault, acted) => {
    const fake = createFakePlatform();
    fake.faults.inject(fault);
    const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
    await clientOf(fake, { token })
      .workspaces.delete(secondWorkspaceId)
      .catch(() => undefined);

    expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(!acted);
  });
});

test.each<FaultInput>([
  { status: 500, acts: true },
  { kind: 'reset', acts: true },
])('%j comes when the operation has been carried out', async (fault) => {
  const fake = createFakePlatform();
  const carriedOut = vi.fn();
  fake.handle(endpoints.getTool, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    carriedOut();
  });
  fake.faults.inject(fault);
  await send(fake, '/v3/tools/any').catch(() => undefined);

  expect(carriedOut).toHaveBeenCalledOnce();
});

test('a stall can end', async () => {
  const fake = createFakePlatform();
  fake.faults.inject({ kind: 'stall', ms: 1 });

  await expect(clientOf(fake).tools.get(fake.seed.eu.toolId)).resolves.toBeDefined();
});

test.each([
  [0, 100],
  [7, 7],
])('a stall after %i bytes gives %i at first', async (after, first) => {
  const fake = createFakePlatform();
  fake.handle(endpoint({ method: 'GET', path: '/hundred', response: z.unknown() }), () => 'x'.repeat(98));
  fake.faults.inject({ kind: 'stall', after, ms: 1 });
  const { body } = await send(fake, '/v3/hundred');

  expect((await body?.getReader().read())?.value).toHaveLength(first);
});

test.each([undefined, 60_000])(
  'a body that stalls for %s ms ends with the reason for which the call was given up',
  async (ms) => {
    const fake = createFakePlatform();
    fake.faults.inject({ kind: 'stall', ms });
    const controller = new AbortController();
    const { body } = await send(fake, '/v3/tools/defaults', { signal: controller.signal });
    const reason = new Error('changed my mind');
    const read = new Response(body).text();
    controller.abort(reason);

    await expect(read).rejects.toBe(reason);
  },
);

test.each([
  ['html', 'text/html; charset=utf-8'],
  ['truncated', 'application/json'],
  ['wrong-shape', 'application/json'],
] as const)('%s says that it is %s', async (kind, type) => {
  const fake = createFakePlatform();
  fake.faults.inject({ kind });

  expect((await send(fake, '/v3/tools/defaults')).headers.get('content-type')).toBe(type);
});

test('a redirect is a status with a location', async () => {
  const fake = createFakePlatform();
  const location = 'https://elsewhere.example/';
  fake.faults.inject({ status: 307, headers: { location }, times: 2 });

  await expect(clientOf(fake).tools.listDefaults()).rejects.toMatchObject({ status: 307 });
  expect((await send(fake, '/v3/tools/defaults')).headers.get('location')).toBe(location);
});

test('a refused connection is seen as one that was never made, where the fake is the runtime’s own fetch', async () => {
  const fake = createFakePlatform();
  fake.faults.inject({ kind: 'refused' });
  vi.stubGlobal('fetch', fake.fetch);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
  const { workspaces } = clientOf(fake, { token, maxRetries: 1, fetch: undefined });

  await expect(workspaces.delete(secondWorkspaceId)).resolves.toBeUndefined();
});

test('a refused connection of a fetch that is given as an option proves nothing', async () => {
  const fake = createFakePlatform();
  fake.faults.inject({ kind: 'refused' });
  const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
  const { workspaces } = clientOf(fake, { token, maxRetries: 1 });

  await expect(workspaces.delete(secondWorkspaceId)).rejects.toMatchObject({ outcomeUnknown: true });
});

/** What comes over a connection to a fake, to its end; rejects where the connection is reset. */
async function received(fault: FaultInput): Promise<string> {
  const fake = createFakePlatform();
  const { port } = await listening(fake);
  fake.faults.inject(fault);
  const lines = ['GET /eu/v3/tools/defaults HTTP/1.1', 'Host: localhost', 'Connection: close'];
  const { workspaceSecret } = fake.seed.eu;
  return text(connect(port).end([...lines, `Authorization: Bearer ${workspaceSecret}`, '', ''].join('\r\n')));
}

test('over HTTP, a reset resets the connection, and one in the body ends it after its first half', async () => {
  const whole = await (await send(createFakePlatform(), '/v3/tools/defaults')).text();

  await expect(received({ kind: 'reset' })).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(await received({ kind: 'reset', at: 'body' })).toContain(
    `\r\n\r\n${whole.slice(0, whole.length / 2)}`,
  );
});

test('a refused connection is impossible over HTTP, and the answer says why', async () => {
  const fake = createFakePlatform();
  const { tools } = httpClientOf(fake, await listening(fake));
  fake.faults.inject({ kind: 'refused' });

  await expect(tools.listDefaults()).rejects.toMatchObject({
    status: 501,
    code: 'impossible_fault',
    message: expect.stringContaining('The fault "refused" is for fetch in process: a server that') as string,
  });
  expect(fake.requests).toMatchObject([{ status: 501, answer: { code: 'impossible_fault' } }]);
});

describe('latency', () => {
  /** A clock whose timers fire at once, and that writes down what was asked of it. */
  const instantClock = () => {
    const waits: number[] = [];
    const setTimer = (callback: () => void, ms: number): void => {
      waits.push(ms);
      queueMicrotask(callback);
    };
    return { waits, now: () => 0, setTimeout: setTimer, clearTimeout: () => undefined };
  };

  test('goes together with others and with another fault', async () => {
    const clock = instantClock();
    const fake = createFakePlatform({ clock });
    fake.faults.inject({ kind: 'latency', ms: 100 });
    fake.faults.inject({ kind: 'latency', ms: 20 });
    fake.faults.inject({ status: 500 });
    fake.faults.inject({ kind: 'latency', ms: 3 });
    fake.faults.inject({ status: 400 });

    await expect(clientOf(fake).tools.listDefaults()).rejects.toThrow(ServerError);
    expect(clock.waits).toEqual([123]);
    expect(fake.faults.list()).toMatchObject([{ status: 400, remaining: 1 }]);
  });

  test('is no longer than a timer can take, though many come together', async () => {
    const clock = instantClock();
    const fake = createFakePlatform({ clock });
    for (const ms of [2_147_483_647, { median: 2_147_483_640, p99: 2_147_483_647 }, 5])
      fake.faults.inject({ kind: 'latency', ms });
    await clientOf(fake, { totalTimeout: undefined }).tools.listDefaults();

    expect(clock.waits).toEqual([2_147_483_647]);
  });

  // Tests of users rest on the draws: a release in which one is another says so.
  test.each([
    ['even', { from: 50, to: 150 }, 100, [122, 54, 96]],
    ['log-normal', { median: 80, p99: 900 }, 80, [401, 223, 14]],
  ])('%s distribution, the same for the same seed', async (_name, ms, middle, first) => {
    const drawn = async (seed: number): Promise<number[]> => {
      const clock = instantClock();
      const fake = createFakePlatform({ clock });
      fake.faults.inject({ kind: 'latency', ms, times: 'always', seed });
      for (let call = 0; call < 400; call++) await send(fake, '/v3/tools/defaults');
      return clock.waits;
    };

    const inOrder = await drawn(3);
    expect(inOrder.slice(0, 3).map(Math.round)).toEqual(first);
    expect(inOrder).toEqual(await drawn(3));
    const waits = inOrder.sort((a, b) => a - b);
    expect(waits).not.toEqual((await drawn(4)).sort((a, b) => a - b));
    expect(waits[200]).toBeGreaterThan(middle * 0.85);
    expect(waits[200]).toBeLessThan(middle * 1.15);
    if ('p99' in ms) {
      // Four of four hundred, or a few more or less.
      const longer = waits.filter((wait) => wait > ms.p99).length;
      expect([longer > 0, longer < 10]).toEqual([true, true]);
      expect((waits[0] ?? 0) > 0).toBe(true);
    } else expect([(waits[0] ?? 0) >= ms.from, (waits[399] ?? 0) <= ms.to]).toEqual([true, true]);
  });

  test.each([
    ['alone', []],
    ['and a fault that acts', [{ status: 500, acts: true }]],
    ['and a fault that needs the real answer', [{ kind: 'truncated' }]],
  ] satisfies [string, FaultInput[]][])(
    '%s ends when the client gives up, and nothing is carried out',
    async (_name, faults) => {
      const fake = createFakePlatform();
      for (const fault of [{ kind: 'latency', ms: 60_000 } as const, ...faults]) fake.faults.inject(fault);
      const { secondWorkspaceId, secondWorkspaceSecret: token } = fake.seed.eu;
      const deleting = clientOf(fake, { token, timeout: 20 }).workspaces.delete(secondWorkspaceId);

      await expect(deleting).rejects.toThrow(TimeoutError);
      // What an aborted call would still do, it would do now.
      await new Promise((resolve) => setTimeout(resolve, 5));

      expect(fake.state.eu.workspaces.has(secondWorkspaceId)).toBe(true);
      expect(fake.requests).toMatchObject([{ status: undefined, fault: undefined }]);
    },
  );
});

test('a process waits for a latency', async () => {
  const code = `import { createFakePlatform } from './src/testing/index.ts';
    const { baseUrls, faults, fetch } = createFakePlatform();
    faults.inject({ kind: 'latency', ms: 20 });
    fetch(baseUrls.eu + '/v3/nowhere').then(({ status }) => console.log(status));`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code]);
  onTestFinished(() => void child.kill('SIGKILL'));
  expect(await text(child.stdout)).toBe('404\n');
});

test.each([
  [{ kind: 'reset' }, 'read ECONNRESET', 'ECONNRESET'],
  [{ kind: 'refused' }, 'connect ECONNREFUSED', 'ECONNREFUSED'],
] as const)('%j rejects as fetch does in Node', async (fault, message, code) => {
  const fake = createFakePlatform();
  fake.faults.inject(fault);
  const error: unknown = await send(fake, '/v3/tools/defaults').catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(TypeError);
  expect(error).toMatchObject({ message: 'fetch failed', cause: { message, code } });
});

test('a reset in the body gives half of it before, and promises the whole', async () => {
  const fake = createFakePlatform();
  const whole = await (await send(fake, '/v3/tools/defaults')).text();
  fake.faults.inject({ kind: 'reset', at: 'body' });
  const { body, headers, status } = await send(fake, '/v3/tools/defaults');
  const reader = (body ?? new ReadableStream()).getReader();

  expect([status, headers.get('content-length')]).toEqual([200, String(whole.length)]);
  const first = (await reader.read()) as { value: Uint8Array };
  expect(new TextDecoder().decode(first.value)).toBe(whole.slice(0, whole.length / 2));
  await expect(reader.read()).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
});

test.each<[FaultInput, number, string, Readonly<Record<string, string>>]>([
  [
    { status: 503 },
    503,
    '{"message":"The fake was told to answer 503.","code":"fault"}',
    { 'content-type': 'application/json', 'content-length': '61' },
  ],
  [{ status: 429, body: 'none', retryAfter: 0.5 }, 429, '', { 'retry-after': '0.5' }],
  [{ kind: 'status', status: 200, code: 'a', message: 'b' }, 200, '{"message":"b","code":"a"}', {}],
  [
    { status: 503, retryAfter: 'soon', headers: { 'X-Node': '7', 'content-type': 'text/plain' } },
    503,
    '{"message":"The fake was told to answer 503.","code":"fault"}',
    { 'x-node': '7', 'content-type': 'text/plain', 'retry-after': 'soon' },
  ],
  [
    { kind: 'html', status: 504 },
    504,
    '<!doctype html><title>504</title><h1>504</h1><p>The fake was told to answer HTML.</p>',
    {},
  ],
  [{ kind: 'empty' }, 200, '', {}],
  [{ kind: 'empty', status: 201 }, 201, '', {}],
  [{ kind: 'wrong-shape' }, 200, '{"unexpected":true}', { 'content-length': '19' }],
  [{ kind: 'wrong-shape', status: 202, body: null }, 202, 'null', {}],
])('%j is answered so, to the letter', async (fault, status, text, headers) => {
  const fake = createFakePlatform();
  fake.faults.inject(fault);
  const response = await send(fake, '/v3/tools/defaults');

  expect([response.status, await response.text()]).toEqual([status, text]);
  expect(response.headers.has('content-type')).toBe(text !== '');
  expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  expect(fake.requests).toMatchObject([{ status, fault: fault.kind ?? 'status' }]);
});

test.each([{ kind: 'truncated' }, { kind: 'stall' }, { kind: 'reset', at: 'body' }] as const)(
  'an answer that has no body stays as it is under %j',
  async (fault) => {
    const fake = createFakePlatform();
    const headers = { 'x-node': '7' };
    fake.handle(endpoints.listDefaultTools, () => new Response(null, { status: 204, headers }));
    fake.faults.inject(fault);
    const answer = await send(fake, '/v3/tools/defaults');

    expect([answer.status, answer.body]).toEqual([204, null]);
    expect(Object.fromEntries(answer.headers)).toEqual(headers);
  },
);

test.each([{ kind: 'truncated' }, { kind: 'stall', ms: 0 }, { kind: 'reset', at: 'body' }] as const)(
  'a refusal of the service keeps its status under %j',
  async (fault) => {
    const fake = createFakePlatform();
    fake.faults.inject(fault);
    const { body, headers, status } = await send(fake, '/v3/tools/none');
    await body?.cancel();

    expect([status, headers.get('content-type')]).toEqual([404, 'application/json']);
  },
);

test.each(['even', 'uneven'])('a truncated answer has the length of what is left of it: %s', async (name) => {
  const fake = createFakePlatform();
  fake.add.tool({ id: 'tool_eu_1', name });
  const whole = await (await send(fake, '/v3/tools/tool_eu_1')).text();
  fake.faults.inject({ kind: 'truncated' });
  const response = await send(fake, '/v3/tools/tool_eu_1');

  const text = await response.text();
  expect(text).toBe(whole.slice(0, Math.floor(whole.length / 2)));
  expect([response.status, response.headers.get('content-length')]).toEqual([200, String(text.length)]);
});

test.each(['even', 'uneven'])('a stalled answer comes in two parts, and is whole: %s', async (name) => {
  const fake = createFakePlatform();
  fake.add.tool({ id: 'tool_eu_1', name });
  const whole = await (await send(fake, '/v3/tools/tool_eu_1')).text();
  for (const after of [undefined, 3]) {
    fake.faults.inject({ kind: 'stall', ms: 1, after });
    const response = await send(fake, '/v3/tools/tool_eu_1');
    const parts: string[] = [];
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read())
      parts.push(new TextDecoder().decode(part.value));

    expect(parts).toHaveLength(2);
    expect(parts[0]).toHaveLength(after ?? Math.floor(whole.length / 2));
    expect(parts.join('')).toBe(whole);
    expect(response.headers.get('content-length')).toBe(String(whole.length));
  }
});

test.each<FaultInput>([
  { status: 200 },
  { status: 599 },
  { status: 500, times: 1, rate: 0 },
  { status: 500, rate: 1, seed: 0, acts: false },
  { status: 500, body: 'document', retryAfter: 'Wed, 21 Oct 2015 07:28:00 GMT' },
  { kind: 'html', status: 200 },
  { kind: 'stall', after: 0, ms: 0 },
  { kind: 'latency', ms: 0 },
  { kind: 'latency', ms: { from: 0, to: 0 }, region: 'na' },
  { kind: 'latency', ms: { median: 0.5, p99: 1 } },
  { kind: 'latency', ms: { median: 5, p99: 5 } },
  { kind: 'reset', at: 'start', acts: true },
])('%j is taken, and listed as it was given', (fault) => {
  const { faults } = createFakePlatform();
  const { id, remaining } = faults.inject(fault);
  const { times: _, ...given } = fault;

  expect(faults.list()).toEqual([{ ...given, id: 'fault_1', endpoint: undefined, remaining: 1, struck: 0 }]);
  expect([id, remaining]).toEqual(['fault_1', 1]);
});

test.each<[FaultInput, struck: boolean]>([
  [{ status: 500, rate: 0, times: 'always' }, false],
  [{ status: 500, rate: 1, times: 'always' }, true],
])('%j strikes all or none', async (fault, isStruck) => {
  const fake = createFakePlatform();
  fake.faults.inject(fault);
  for (let call = 0; call < 50; call += 1) await send(fake, '/v3/tools/defaults');

  expect(fake.requests.filter(({ status }) => status === 500)).toHaveLength(isStruck ? 50 : 0);
});

describe('refuses', () => {
  test.each([
    [
      'an unknown kind',
      { kind: 'explosion' },
      /^There is no fault of the kind "explosion"\. There are status, html, [a-z, -]+, latency\.$/,
    ],
    [
      'an unknown endpoint',
      { endpoint: 'getTools', status: 500 },
      /^This fake has no endpoint "getTools"\. It has listMembersAndTeams, .*, deleteWorkspace\.$/,
    ],
    ['a missing status', {}, '- status: required'],
    ['a status that is none', { status: 700 }, '- status: expected at most 599'],
    [
      'a field of another fault',
      { kind: 'reset', status: 500 },
      /^The fault "reset" is wrong\n {2}- status: unknown field/,
    ],
    [
      'times in a word',
      { status: 500, times: 'often' },
      "- times: expected a whole number from 1, or 'always'",
    ],
    [
      'half a distribution',
      { kind: 'latency', ms: { from: 1 } },
      '- ms: expected milliseconds, { from, to } or { median, p99 }',
    ],
    ['a latency in words', { kind: 'latency', ms: 'long' }, '- ms: expected milliseconds, { from, to } or'],
    [
      'a Retry-After of neither',
      { status: 429, retryAfter: true },
      '- retryAfter: expected a number of seconds, or a text that a header can have',
    ],
    ['two unknown fields', { status: 500, one: 1, two: 2 }, /- one: unknown field.*\n.*- two: unknown field/],
    ['a status below all', { status: 199 }, '- status: expected at least 200'],
    ['a status above all', { status: 600 }, '- status: expected at most 599'],
    ['a status that is not whole', { status: 500.5 }, '- status: expected int, received number'],
    ['a status of HTML that is none', { kind: 'html', status: 100 }, '- status: expected at least 200'],
    ['a status of nothing that is none', { kind: 'empty', status: 600 }, '- status: expected at most 599'],
    ['a status of a shape that is none', { kind: 'wrong-shape', status: 1 }, '- status: expected at least'],
    ['a body elsewhere', { status: 500, body: 'html' }, '- body: expected one of "document", "none"'],
    ['headers that are no texts', { status: 500, headers: { a: 1 } }, '- headers.a: expected string'],
    ['a code that is no text', { status: 500, code: 5 }, '- code: expected string, received number'],
    ['a latency to less than nothing', { kind: 'latency', ms: { from: 0, to: -1 } }, '- ms'],
    ['a median of less than nothing', { kind: 'latency', ms: { median: -1, p99: 1 } }, '- ms'],
    ['a percentile of less than nothing', { kind: 'latency', ms: { median: 1, p99: -1 } }, '- ms'],
    [
      'an endpoint of its own that is not handled',
      { endpoint: endpoint({ method: 'GET', path: '/lists', response: z.unknown() }), status: 500 },
      'no endpoint "GET /lists". It has list',
    ],
    ['half a call', { status: 500, times: 1.5 }, '- times: expected a whole number from 1'],
    ['another region', { status: 500, region: 'us' }, '- region: expected one of "eu", "na"'],
    ['a seed in words', { status: 500, seed: 'x' }, '- seed: expected number, received string'],
    ['acts in words', { status: 500, acts: 'yes' }, '- acts: expected boolean, received string'],
    ['a stall after less than nothing', { kind: 'stall', after: -1 }, '- after: expected at least 0'],
    ['a stall after half a byte', { kind: 'stall', after: 0.5 }, '- after: expected int, received number'],
    ['a stall of less than nothing', { kind: 'stall', ms: -1 }, '- ms: expected at least 0'],
    ['a latency of a third kind', { kind: 'latency', ms: { mean: 1 } }, '- ms: expected milliseconds'],
    ['a range of more', { kind: 'latency', ms: { from: 1, to: 2, p99: 3 } }, '- ms.p99: unknown field'],
    [
      'a distribution of more',
      { kind: 'latency', ms: { median: 1, p99: 2, mean: 1 } },
      '- ms.mean: unknown field',
    ],
    ['a latency from less than nothing', { kind: 'latency', ms: { from: -1, to: 1 } }, '- ms'],
    ['no latency', { kind: 'latency' }, '- ms: '],
    ['a rate above 1', { status: 500, rate: 2 }, '- rate: expected at most 1'],
    ['a rate below 0', { status: 500, rate: -0.1 }, '- rate: expected at least 0'],
    ['a reset elsewhere', { kind: 'reset', at: 'end' }, '- at: expected one of "start", "body"'],
    ['no times', { status: 500, times: 0 }, '- times: expected at least 1'],
    [
      'a median of nothing',
      { kind: 'latency', ms: { median: 0, p99: 500 } },
      '- ms: expected a median above 0, a p99 not below it, and a to not below from',
    ],
    [
      'a percentile below the median',
      { kind: 'latency', ms: { median: 5, p99: 4 } },
      '- ms: expected a median',
    ],
    [
      'a range that is turned round',
      { kind: 'latency', ms: { from: 50, to: 10 } },
      '- ms: expected a median',
    ],
    ['a latency that no timer can take', { kind: 'latency', ms: 3e9 }, '- ms: expected at most 2147483647'],
    ['a range that no timer can take', { kind: 'latency', ms: { from: 0, to: 3e9 } }, '- ms'],
    ['a percentile that no timer can take', { kind: 'latency', ms: { median: 1, p99: 3e9 } }, '- ms'],
    ['a stall that no timer can take', { kind: 'stall', ms: 3e9 }, '- ms: expected at most 2147483647'],
    ['a name of a header that is none', { status: 503, headers: { 'bad name': 'x' } }, '- headers: expected'],
    [
      'a value that no header can have',
      { status: 503, headers: { a: 'x\ny' } },
      '- headers: expected names and values that are allowed in HTTP',
    ],
    [
      'a Retry-After that no header can have',
      { status: 429, retryAfter: '\u2014' },
      '- retryAfter: expected',
    ],
    ['a negative latency', { kind: 'latency', ms: -1 }, '- ms: expected at least 0'],
  ])('%s', (_name, fault, message) => {
    // The cast stands for untyped code, and for JSON.
    const inject = () => createFakePlatform().faults.inject(fault as FaultInput);
    expect(inject).toThrow(TypeError);
    expect(inject).toThrow(message);
  });
});
