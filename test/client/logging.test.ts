import { type AgentPlatformOptions, createWebhookReceiver, type LogLevel } from 'agent-platform-sdk';
import { HttpResponse } from 'msw';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { success } from '../support/client.js';
import { type Answer, answerInTurn, answerWith, connectTo } from '../support/msw.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery } from '../webhooks/deliveries.js';

const found = answerWith(200, success({ id: 't1' }));

async function linesAt(
  logLevel: LogLevel | undefined,
  answer: Answer,
  options: AgentPlatformOptions = {},
): Promise<string[]> {
  const logger = new RecordingLogger();
  const { platform } = connectTo(answer, { logger, logLevel, ...options });
  await platform.tools.get('t1').catch(() => undefined);
  await platform.tools.get('t1').catch(() => undefined);
  return logger.lines;
}

test('info is one line for each attempt: method, path, attempt, region, status and duration', async () => {
  const busy = answerWith(503, { message: 'busy', code: 'busy' }, { 'retry-after': '0' });
  const lines = await linesAt('info', answerInTurn(busy, found), { maxRetries: 1 });
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    'info [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) -> 503 in N ms',
    'info [agent-platform-sdk] GET /tools/t1 (attempt 2, eu) -> 200 in N ms',
    'info [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) -> 200 in N ms',
  ]);
});

test.each<[string, AgentPlatformOptions]>([
  ['ConnectionError', { fetch: () => Promise.reject(new Error('no route')) }],
  ['TimeoutError', { token: () => new Promise(() => undefined), timeout: 20 }],
])('info is one line for an attempt without an answer, sent or not: %s', async (name, options) => {
  const lines = await linesAt('info', found, options);
  const line = `info [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) -> ${name} in N ms`;
  expect(lines.map((one) => one.replace(/\d+ ms/, 'N ms'))).toEqual([line, line]);
});

test('debug shows what is sent: its headers and its body', async () => {
  const logger = new RecordingLogger();
  const { platform } = connectTo(found, { logger, logLevel: 'debug', headers: { 'x-app': 'shop' } });
  await platform.variables.create('a1', { key: 'plan', isEnv: true, value: 's3cret-of-the-plan' });
  expect(logger.lines[0]).toMatch(
    /^debug \[agent-platform-sdk\] POST \/agents\/a1\/variables \(attempt 1, eu\) sends {.*"x-app":"shop".*} {"variable":{"key":"plan","isEnv":true,"value":"\[redacted\]"}}$/,
  );
});

test('debug shows the first 16 KiB of a body', async () => {
  const logger = new RecordingLogger();
  const long = { description: 'x'.repeat(20_000) };
  const answer = answerWith(200, success({ id: 'v1', ...long }));
  const { platform } = connectTo(answer, { logger, logLevel: 'debug' });
  await platform.variables.create('a1', { key: 'plan', ...long });
  const bodies = logger.lines.flatMap((line) => /} ({.*)$/.exec(line)?.[1] ?? []);
  expect(bodies.map(({ length }) => length)).toEqual([16 * 1024, 16 * 1024]);
});

test('debug tells of the wait before another attempt', async () => {
  const unavailable = answerWith(503, '', { 'retry-after': '0.0014' });
  const lines = await linesAt('debug', answerInTurn(unavailable, found), { maxRetries: 1 });
  expect(lines[0]).toMatch(/ sends {.*}$/);
  expect(lines).toContain(
    'debug [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) is retried in 2 ms: ServerError',
  );
});

/** A real pino that keeps what it writes. */
function recordingPino(): { logger: pino.Logger; written: { level: number; msg: string; call?: string }[] } {
  const written: { level: number; msg: string }[] = [];
  const write = (line: string) => void written.push(JSON.parse(line) as (typeof written)[number]);
  return { logger: pino({ level: 'debug' }, { write }), written };
}

test('pino is given one message a call, at its own level', async () => {
  const { logger, written } = recordingPino();
  const { platform } = connectTo(found, { logger: logger.child({ call: 'c1' }), logLevel: 'info' });
  await platform.tools.get('t1');
  expect(written).toMatchObject([
    { level: pino.levels.values.info, call: 'c1', msg: expect.stringMatching(/^\[agent-platform-sdk\] GET/) },
  ]);
});

test('pino is given headers and bodies at debug, and no secret with them', async () => {
  const { logger, written } = recordingPino();
  const tool = { id: 't1', serverUrlSecret: 's3cret-of-the-tool' };
  const { platform } = connectTo(answerWith(200, success(tool)), { logger, logLevel: 'debug' });
  await platform.tools.get('t1');
  const text = written.map(({ msg }) => msg).join('\n');
  expect(written.map(({ level }) => level)).toEqual([20, 30, 20]);
  expect(text).toContain('"authorization":"[redacted]"');
  expect(text).toMatch(/received .*"id":"t1","serverUrlSecret":"\[redacted\]"/);
  expect(text).not.toMatch(/s3cret-of-the-tool|workspace-secret-of-the-tests/);
});

test('pino takes the lines of a receiver', async () => {
  const { logger, written } = recordingPino();
  const receiver = createWebhookReceiver({ secret: 'the-secret', logger, logLevel: 'info' });
  await receiver.handle({
    method: 'POST',
    body: delivery('webhook_test', { workspaceSecret: 'the-secret' }),
  });
  await receiver.handle({
    method: 'POST',
    body: delivery('webhook_test', { workspaceSecret: 'a-forged-one' }),
  });
  expect(written.map(({ level, msg }) => `${level} ${msg}`)).toEqual([
    expect.stringMatching(/^40 \[agent-platform-sdk\] webhook webhook_test: no handler is registered/),
    expect.stringMatching(/^30 \[agent-platform-sdk\] webhook webhook_test: 200 no_handler/),
    expect.stringMatching(/^40 \[agent-platform-sdk\] webhook \(unverified\): refused with 401/),
  ]);
  expect(JSON.stringify(written)).not.toMatch(/the-secret|a-forged-one/);
});

test('by default only what someone must look at is logged', async () => {
  expect(await linesAt(undefined, found)).toEqual([]);
});

test('drift is a warning the first time at each place, and not again', async () => {
  const lines = await linesAt('warn', answerWith(200, success({ id: 't1', name: null })));
  expect(lines).toEqual([
    'warn [agent-platform-sdk] GET /tools/{toolId} departs from the specification\n' +
      '  - data.name: expected string, received null',
  ]);
});

test('drift at more than a thousand places is no warning any more, so that memory and log stay bounded', async () => {
  const logger = new RecordingLogger();
  let call = 0;
  const { platform } = connectTo(
    () => {
      call += 1;
      const grown = Object.fromEntries(
        Array.from({ length: 100 }, (__, field) => [`grown${call}x${field}`, 1]),
      );
      return HttpResponse.json({ success: true, message: 'ok', clients: [], teams: [], ...grown });
    },
    { logger, logLevel: 'warn' },
  );
  for (let round = 0; round < 12; round += 1) await platform.orgs.listMembersAndTeams('o1');
  expect(logger.lines.map((line) => line.slice(0, 5))).toEqual(Array.from({ length: 10 }, () => 'warn '));
});

test('off logs nothing', async () => {
  expect(await linesAt('off', answerWith(200, success({ id: 't1', name: null })))).toEqual([]);
});

test.each<[string, () => unknown]>([
  [
    'throws',
    () => {
      throw new Error('disk full');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk full'))],
])('a logger that %s does not change the outcome, and leaves no rejection behind', async (_, broken) => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const { platform } = connectTo(found, {
    logger: { error: broken, warn: broken, info: broken, debug: broken },
    logLevel: 'debug',
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
