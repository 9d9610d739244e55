import { type AgentPlatformOptions, fieldsFirst, type LogLevel } from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  addFaults,
  createClient,
  fake,
  rejectionOf,
  respond,
  response,
  seed,
  success,
} from '../support/client.js';
import { RecordingLogger } from '../support/recording-logger.js';

const { toolId } = seed;
const SDK = '[agent-platform-sdk]';

async function linesAt(
  logLevel: LogLevel | undefined,
  options: AgentPlatformOptions = {},
): Promise<string[]> {
  const logger = new RecordingLogger();
  const { tools } = createClient({ logger, logLevel, ...options });
  await tools.get(toolId).catch(() => undefined);
  await tools.get(toolId).catch(() => undefined);
  return logger.lines;
}

const withoutTimes = (lines: readonly string[]) =>
  lines
    .filter((line) => !line.includes('milliseconds, which is short'))
    .map((line) => line.replace(/\d+ ms/, 'N ms'));

test('info is one line for each attempt: method, path, attempt, region, status and duration', async () => {
  addFaults({ status: 503, retryAfter: 0 });
  expect(withoutTimes(await linesAt('info', { maxRetries: 1 }))).toEqual([
    `info ${SDK} GET /tools/${toolId} (attempt 1, eu) -> 503 in N ms`,
    `info ${SDK} GET /tools/${toolId} (attempt 2, eu) -> 200 in N ms`,
    `info ${SDK} GET /tools/${toolId} (attempt 1, eu) -> 200 in N ms`,
  ]);
});

/** Never responds. */
const hang = () => new Promise<never>(() => undefined);

test.each<[string, AgentPlatformOptions]>([
  ['ConnectionError', { fetch: () => Promise.reject(new Error('no route')) }],
  ['TimeoutError', { token: hang, timeout: 20 }],
  ['TimeoutError', { fetch: hang, timeout: 20 }],
])('info is one line for an attempt without a response, sent or not: %s', async (name, options) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const lines = withoutTimes(await linesAt('info', { ...options, maxRetries: 1 }));
  expect(lines.slice(0, 2)).toEqual([
    `info ${SDK} GET /tools/${toolId} (attempt 1, eu) -> ${name} in N ms`,
    `info ${SDK} GET /tools/${toolId} (attempt 2, eu) -> ${name} in N ms`,
  ]);
  expect(lines).toHaveLength(4);
});

test('an attempt that is not retried has one line, even if retries are left', async () => {
  const logger = new RecordingLogger();
  const options = { logger, logLevel: 'info', maxRetries: 2, timeout: 20, fetch: hang } as const;
  await rejectionOf(createClient(options).variables.create('a1', { key: 'k' }));
  expect(withoutTimes(logger.lines)).toEqual([
    `info ${SDK} POST /agents/a1/variables (attempt 1, eu) -> TimeoutError in N ms`,
  ]);
});

test('a duration of seconds is warned of, once for a client, and once for a call', async () => {
  const logger = new RecordingLogger();
  const client = createClient({ logger, logLevel: 'warn', timeout: 30, totalTimeout: 60 });
  for (let count = 0; count < 3; count += 1) {
    await client
      .withOptions({})
      .tools.get(toolId, { timeout: 5 })
      .catch(() => undefined);
  }
  expect(logger.lines).toEqual(
    [
      'AgentPlatform: timeout is 30',
      'AgentPlatform: totalTimeout is 60',
      'GET /tools/{toolId}: timeout is 5',
    ].map((line) => `warn ${SDK} ${line} milliseconds, which is short. Is it in another unit?`),
  );
});

test('debug adds the headers and the body of a response, redacted by name', async () => {
  fake.add.tool({ id: 'crm', serverUrlSecret: 's3cret-of-the-tool' });
  const logger = new RecordingLogger();
  const hooks = { onRequest: ({ headers }: { headers: Headers }) => headers.set('x-app', 'shop') };
  await createClient({ logger, logLevel: 'debug', hooks }).tools.get('crm');
  expect(withoutTimes(logger.lines)).toEqual([
    `debug ${SDK} GET /tools/crm (attempt 1, eu) is sent`,
    `info ${SDK} GET /tools/crm (attempt 1, eu) -> 200 in N ms`,
    expect.stringMatching(/received \{"content-.*\} \{"success":true.*"serverUrlSecret":"\[redacted\]"/),
  ]);
});

test('debug logs the first 16 KiB of a body, and describes one that is not JSON', async () => {
  const logger = new RecordingLogger();
  const page = `<html>${'x'.repeat(1_228)}`;
  respond(response(200, success({ id: 't1', description: 'x'.repeat(20_000) })), response(502, page));
  const { tools } = createClient({ logger, logLevel: 'debug' });
  await tools.get('t1');
  await tools.get('t1').catch(() => undefined);
  const received = logger.lines.filter((line) => line.includes(' received '));
  expect(/} (\{"success.*)$/.exec(received[0] ?? '')?.[1]).toHaveLength(16 * 1024);
  expect(received[1]).toMatch(/} HTML, 1234 characters$/);
});

test('debug reports the delay before another attempt', async () => {
  addFaults({ status: 503, retryAfter: '0.0014' });
  expect(await linesAt('debug', { maxRetries: 1 })).toContain(
    `debug ${SDK} GET /tools/${toolId} (attempt 1, eu) is retried in 2 ms: ServerError`,
  );
});

test('a logger gets the facts of a line as fields; one that takes fields first, through fieldsFirst', async () => {
  const written: [object, string][] = [];
  const write = (fields: object, line: string) => void written.push([fields, line]);
  // As pino has it.
  const logger = fieldsFirst({ error: write, warn: write, info: write, debug: write });
  addFaults({ status: 503, retryAfter: 0 });
  await createClient({ logger, logLevel: 'info', maxRetries: 1 }).tools.get(toolId);
  const fields = { method: 'GET', route: '/tools/{toolId}', region: 'eu', callId: expect.any(String) };
  expect(written).toMatchObject([
    [{ ...fields, attempt: 1, status: 503, durationMs: expect.any(Number) }, expect.stringContaining('503')],
    [{ ...fields, attempt: 2, status: 200 }, expect.stringContaining('200')],
  ]);
});

test('fieldsFirst keeps the level of a line, and gives fields where there are none', () => {
  const methods = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  for (const level of ['error', 'warn', 'info', 'debug'] as const) {
    fieldsFirst(methods)[level](`a line at ${level}`);
    expect(methods[level].mock.calls).toEqual([[{}, `a line at ${level}`]]);
  }
});

test('console, the default logger, gets the line alone', async () => {
  const info = vi.spyOn(console, 'info').mockImplementation(() => undefined);
  onTestFinished(() => info.mockRestore());
  await createClient({ logLevel: 'info' }).tools.get(toolId);
  expect(info.mock.calls).toEqual([[expect.stringContaining('-> 200 in')]]);
});

test('by default, a successful call logs nothing; at off, no call does', async () => {
  expect(await linesAt(undefined)).toEqual([]);
  respond(response(200, success({ id: 't1', name: null })));
  expect(await linesAt('off')).toEqual([]);
});

test('drift is a warning the first time at each place, and not again', async () => {
  respond(response(200, success({ id: 't1', name: null })));
  expect(await linesAt('warn')).toEqual([
    `warn ${SDK} GET /tools/{toolId} does not match the API specification\n` +
      '  - data.name: expected string, received null',
  ]);
});

/** The levels at which a client logs the drift of these responses. */
async function driftLevels(...clients: readonly object[]): Promise<unknown[]> {
  const logger = new RecordingLogger();
  const { orgs } = createClient({ logger, logLevel: 'debug' });
  for (const client of clients) {
    respond(response(200, { success: true, message: 'ok', clients: [client, client], teams: [] }));
    await orgs.listMembersAndTeams('o1');
  }
  const drifts = logger.lines.filter((line) => line.includes('does not match'));
  return drifts.map((line) => line.split(' ')[0]);
}

test('drift at a place is logged at debug after the first time, whatever the index', async () => {
  const [one, other] = [
    { ID: 'c1', x: 1 },
    { ID: 'c1', y: 1 },
  ];
  expect(await driftLevels(one, one, other)).toEqual(['warn', 'debug', 'warn']);
});

test('drift is a warning at the first thousand places, and then a line at debug', async () => {
  const drifted = (first: number, count: number) => ({
    ID: 'c1',
    ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${first + index}`, 1])),
  });
  // 50 places in each of two clients: 100 issues, as many as are listed.
  const levels = await driftLevels(
    ...Array.from({ length: 20 }, (_, index) => drifted(index * 50, 50)),
    drifted(1_000, 1),
  );
  expect(levels.slice(18)).toEqual(['warn', 'warn', 'debug']);
});

test('AGENT_PLATFORM_LOG sets the level, in any case; an unknown one warns and is ignored', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('AGENT_PLATFORM_LOG', 'INFO');
  expect(await linesAt(undefined)).toHaveLength(2);
  vi.stubEnv('AGENT_PLATFORM_LOG', 'trace');
  expect(await linesAt(undefined)).toEqual([
    `warn ${SDK} AGENT_PLATFORM_LOG is ignored: "trace" is not one of off, error, warn, info, debug`,
  ]);
});

test('a logger that throws or rejects does not change the outcome, and leaves no rejection behind', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  onTestFinished(() => void process.off('unhandledRejection', unhandled));
  const fail = () => {
    throw new Error('disk full');
  };
  for (const write of [fail, () => Promise.reject(new Error('disk full'))]) {
    const logger = { error: write, warn: write, info: write, debug: write };
    expect(await createClient({ logger, logLevel: 'debug' }).tools.get(toolId)).toMatchObject({ id: toolId });
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(unhandled).not.toHaveBeenCalled();
});

test('no control character of the service reaches a log line', async () => {
  respond(response(400, { message: '\u001b[31mNo\nsuch', code: 'c' }, { 'x-a': 'b' }));
  const lines = await linesAt('debug');
  for (const line of lines) expect(line).toMatch(/^[\x20-\x7e]*$/);
});
