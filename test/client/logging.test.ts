import type { AgentPlatformOptions, LogLevel } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { type Answer, answerInTurn, answerWith, connectTo, success } from '../support/server.js';

const found = answerWith(200, success({ id: 't1' }));

async function linesAt(
  logLevel: LogLevel | undefined,
  answer: Answer,
  options: AgentPlatformOptions = {},
): Promise<string[]> {
  const lines: string[] = [];
  const at = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
  const logger = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  const { platform } = await connectTo(answer, { logger, logLevel, ...options });
  await platform.tools.get('t1').catch(() => undefined);
  await platform.tools.get('t1').catch(() => undefined);
  return lines;
}

test('info is one line a call: method, path, attempt, region, status and duration', async () => {
  const lines = await linesAt('info', found);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(
    /^info \[agent-platform-sdk\] GET \/tools\/t1 \(attempt 1, eu\) -> 200 in \d+ ms$/,
  );
});

test('info tells of a failed attempt and of the next one', async () => {
  const lines = await linesAt('info', answerInTurn(answerWith(503, '', { 'retry-after': '0' }), found), {
    maxRetries: 1,
  });
  expect(lines.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
    'info [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) -> 503 in N ms',
    'info [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) is tried again in N ms: ServerError',
    'info [agent-platform-sdk] GET /tools/t1 (attempt 2, eu) -> 200 in N ms',
    'info [agent-platform-sdk] GET /tools/t1 (attempt 1, eu) -> 200 in N ms',
  ]);
});

test('debug adds headers and bodies', async () => {
  const text = (await linesAt('debug', found)).join('\n');
  expect(text).toContain('"authorization":"[redacted]"');
  expect(text).toContain('received');
  expect(text).toContain('"id":"t1"');
});

test('by default only what someone must look at is logged', async () => {
  expect(await linesAt(undefined, found)).toEqual([]);
});

test('drift is a warning the first time at each place, and not again', async () => {
  const lines = await linesAt('warn', answerWith(200, success({ id: 't1', name: null })));
  expect(lines).toEqual([
    'warn [agent-platform-sdk] GET /tools/{toolId} departs from the document\n' +
      '  at data.name: expected string, received null',
  ]);
});

test('drift at more than a thousand places is no warning any more, so that memory and log stay bounded', async () => {
  const lines: string[] = [];
  const at = (level: string) => () => void lines.push(level);
  const logger = { error: at('error'), warn: at('warn'), info: at('info'), debug: at('debug') };
  let call = 0;
  const { platform } = await connectTo(
    (_, response) => {
      call += 1;
      const grown = Object.fromEntries(
        Array.from({ length: 100 }, (__, field) => [`grown${call}x${field}`, 1]),
      );
      response.end(JSON.stringify({ success: true, message: 'ok', clients: [], teams: [], ...grown }));
    },
    { logger, logLevel: 'warn' },
  );
  for (let round = 0; round < 12; round += 1) await platform.orgs.listMembersAndTeams('o1');
  expect(lines).toEqual(Array.from({ length: 10 }, () => 'warn'));
});

test('off logs nothing', async () => {
  expect(await linesAt('off', answerWith(200, success({ id: 't1', name: null })))).toEqual([]);
});

test('a logger that throws does not change the outcome', async () => {
  const broken = () => {
    throw new Error('disk full');
  };
  const { platform } = await connectTo(found, {
    logger: { error: broken, warn: broken, info: broken, debug: broken },
    logLevel: 'debug',
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
});

test('a logger that rejects does not change the outcome, and leaves no rejection behind', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const broken = () => Promise.reject(new Error('disk full'));
  const { platform } = await connectTo(found, {
    logger: { error: broken, warn: broken, info: broken, debug: broken },
    logLevel: 'debug',
  });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  await new Promise((resolve) => setTimeout(resolve, 10));
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});
