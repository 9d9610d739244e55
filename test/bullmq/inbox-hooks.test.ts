import type { LogFields } from 'agent-platform-sdk';
import type { InboxHooks } from 'agent-platform-sdk/bullmq';
import type { Job } from 'bullmq';
import { expect, test, vi } from 'vitest';
import { INBOX_HOOKS, InboxReporter } from '../../src/bullmq/inbox-hooks.js';
import { toInboxRun } from '../../src/bullmq/job-record.js';
import { LeveledLogger } from '../../src/ground/logger.js';

/** A reporter; the lines that it logs, each with its level and its facts; and what hooks are told. */
function setUp() {
  const lines: [level: string, line: string, fields: LogFields | undefined][] = [];
  const take = (level: string) => (line: string, fields?: LogFields) =>
    void lines.push([level, line, fields]);
  const logger = { error: take('error'), warn: take('warn'), info: take('info'), debug: take('debug') };
  const told: [hook: string, about: unknown][] = [];
  const note = (hook: string) => (about: unknown) => void told.push([hook, about]);
  const hooks: InboxHooks = Object.fromEntries(Object.keys(INBOX_HOOKS).map((name) => [name, note(name)]));
  const log = new LeveledLogger(logger, 'debug');
  return { reporter: new InboxReporter(log, hooks, ['canary']), lines, told };
}

const event = { key: 'the-key', type: 'lead_captured', workspace: 'acme' };
const { key, type } = event;
const skip = { ...event, waitedMs: 1 };
const unhandled = { ...event, unhandledMs: 0, leftMs: 7 };
const run = { ...event, attempt: 2, waitedMs: 3, durationMs: 4 };
const failure = { ...run, error: new Error('no') };
const { waitedMs: _, ...ofRun } = run;
const described = 'lead_captured of "acme" (the-key, attempt 2, waited 3 ms, ran 4 ms)';

interface Told {
  readonly level: string;
  /** What its line says. */
  readonly line: string;
  readonly facts: LogFields;
  readonly hook: string;
  readonly about: object;
  readonly counted?: string;
}

test.each<[outcome: string, (to: InboxReporter) => void, Told]>([
  [
    'handled',
    (to) => to.handled(run),
    { level: 'info', line: `${described} was handled`, facts: ofRun, hook: 'onHandled', about: run },
  ],
  [
    'retried',
    (to) => to.retrying(failure),
    {
      level: 'warn',
      line: `${described} failed, and will be retried`,
      facts: ofRun,
      hook: 'onRetry',
      about: failure,
      counted: 'retried',
    },
  ],
  [
    'dead_letter',
    (to) => to.deadLetter(failure),
    {
      level: 'error',
      line: `${described} failed, and is a dead letter now`,
      facts: ofRun,
      hook: 'onDeadLetter',
      about: failure,
      counted: 'deadLetters',
    },
  ],
  [
    'skipped',
    (to) => to.skipped(skip),
    {
      level: 'info',
      line: 'lead_captured of "acme" (the-key) was skipped, because a newer one was handled',
      facts: event,
      hook: 'onSkipped',
      about: skip,
    },
  ],
  [
    'stalled',
    (to) => to.stalled(key),
    {
      level: 'warn',
      line: 'the lock of the-key has expired: its worker has died, or its event loop was blocked; the event is run again',
      facts: { key },
      hook: 'onStalled',
      about: { key },
      counted: 'stalled',
    },
  ],
  [
    'lock_lost',
    (to) => to.lockLost(key),
    {
      level: 'warn',
      line: 'the lock of the-key was lost; it may be run again',
      facts: { key },
      hook: 'onLockLost',
      about: { key },
      counted: 'lostLocks',
    },
  ],
  [
    'unhandled',
    (to) => to.unhandled(unhandled),
    {
      level: 'warn',
      line: 'this worker has no handler for lead_captured; its events go back to the queue for workers that have one, and become dead letters where none has within 7 ms (logged once)',
      facts: { type },
      hook: 'onUnhandled',
      about: unhandled,
    },
  ],
])('that an event is %s is logged with its facts, counted and told', (outcome, tell, expected) => {
  const { reporter, lines, told } = setUp();
  const nothing = { retried: 0, deadLetters: 0, stalled: 0, lostLocks: 0, redisErrors: 0 };
  expect(reporter.failures).toEqual(nothing);
  tell(reporter);
  const { level, line, facts, hook, about, counted } = expected;
  expect(lines).toEqual([[level, `[agent-platform-sdk] inbox: ${line}`, { ...facts, outcome }]]);
  expect(told).toEqual([[hook, about]]);
  expect(reporter.failures).toEqual(counted === undefined ? nothing : { ...nothing, [counted]: 1 });
});

test('a failure of Redis is logged with advice and told without its password, and its end is logged', () => {
  const { reporter, lines, told } = setUp();
  const said = 'NOPERM canary\nmay not';
  for (let times = 0; times < 2; times += 1) {
    reporter.redisFailed(
      Object.assign(new Error(said), { name: 'ReplyError', command: { args: ['canary'] } }),
    );
  }
  reporter.warn(['maxmemory is 0', 'maxmemory is 0']);
  reporter.redisWrites();
  reporter.handled(run);
  expect(lines.map(([level, line]) => `${level} ${line}`)).toEqual([
    'error [agent-platform-sdk] inbox: Redis failed: NOPERM [redacted]\\nmay not. The user of Redis lacks a permission: see its ACL.',
    'warn [agent-platform-sdk] inbox: maxmemory is 0',
    'warn [agent-platform-sdk] inbox: Redis is back',
    expect.stringContaining('was handled'),
  ]);
  const clean = { name: 'ReplyError', code: 'NOPERM', message: 'NOPERM [redacted]\\nmay not' };
  expect(told.slice(0, -1)).toEqual([1, 2].map(() => ['onRedisError', expect.objectContaining(clean)]));
  expect(told[0]?.[1]).not.toHaveProperty('command');
  expect(reporter.failures.redisErrors).toBe(2);
});

test('an event waits and runs for no less than no time, whatever the clocks of its workers', () => {
  // Of a job, only these parts are looked at: it was received by a clock that is ahead, and begun by another.
  const job = { id: key, name: type, data: { workspace: 'acme' }, attemptsMade: 2, stalledCounter: 0 };
  const times = { timestamp: 30, processedOn: 20, finishedOn: 10 };
  expect(toInboxRun({ ...job, ...times } as unknown as Job)).toEqual({ ...run, waitedMs: 0, durationMs: 0 });
  // One that has failed and is not at its end lasts until now.
  const began = { timestamp: Date.now() - 3_000, processedOn: Date.now() - 1_000 };
  const { durationMs } = toInboxRun({ ...job, ...began } as unknown as Job);
  expect(durationMs).toBeGreaterThanOrEqual(1_000);
});

test('hooks that fail are logged by their names, and nothing else changes', async () => {
  const lines: string[] = [];
  const take = (line: string) => void lines.push(line);
  const fail = () => Promise.reject(new TypeError('canary'));
  const hooks: InboxHooks = Object.fromEntries(Object.keys(INBOX_HOOKS).map((name) => [name, fail]));
  const log = new LeveledLogger({ error: take, warn: () => 0, info: () => 0, debug: () => 0 }, 'debug');
  const reporter = new InboxReporter(log, hooks, []);
  reporter.stored({ ...event, duplicate: false, durationMs: 0 });
  reporter.handled(run);
  reporter.retrying(failure);
  reporter.unhandled(unhandled);
  reporter.skipped(skip);
  reporter.stalled(key);
  reporter.lockLost(key);
  await vi.waitFor(() =>
    expect(lines.map((line) => line.split('\n')[0])).toEqual(
      ['onStored', 'onHandled', 'onRetry', 'onUnhandled', 'onSkipped', 'onStalled', 'onLockLost'].map(
        (name) => `[agent-platform-sdk] the hook ${name} failed: TypeError`,
      ),
    ),
  );
});

type Success = 'a connection' | 'a write' | 'a run';

test.each<[message: string, Success]>([
  ['connect ECONNREFUSED 127.0.0.1:1', 'a connection'],
  ['WRONGPASS no', 'a connection'],
  ['NOAUTH no', 'a connection'],
  ['LOADING not yet', 'a connection'],
  ['READONLY no', 'a write'],
  ['OOM no', 'a write'],
  ['MISCONF no', 'a write'],
  ['NOREPLICAS no', 'a write'],
  ['NOPERM no', 'a run'],
  ['CROSSSLOT no', 'a run'],
  // Of no kind that is known.
  ['ERR no', 'a connection'],
])('what Redis said, %s, is over after %s', (message, end) => {
  const { reporter, lines } = setUp();
  const name = message.startsWith('connect') ? 'Error' : 'ReplyError';
  const code = name === 'Error' ? { code: 'ECONNREFUSED' } : {};
  reporter.redisFailed(Object.assign(new Error(message), { name, ...code }));
  const successes: [Success, () => void][] = [
    ['a connection', () => reporter.redisReady()],
    ['a write', () => reporter.redisWrites()],
    ['a run', () => reporter.handled(run)],
  ];
  const over = successes.find(([, succeed]) => {
    succeed();
    return lines.some(([, line]) => line.includes('Redis is back'));
  });
  expect(over?.[0]).toBe(end);
});

test('a run that was handled is a write too', () => {
  const { reporter, lines } = setUp();
  reporter.redisFailed(new Error('READONLY no'));
  reporter.handled(run);
  expect(lines.at(-2)?.[1] ?? '').toContain('Redis is back');
});

test('that the end of a run was not recorded is one line', () => {
  const { reporter, lines, told } = setUp();
  reporter.notRecorded(new Error('Missing lock\nfor job'));
  const line = 'inbox: the end of a run was not recorded: Missing lock\\nfor job';
  expect(lines).toEqual([['warn', expect.stringContaining(line), undefined]]);
  expect(told).toEqual([]);
});

test('each kind of failure of Redis is a line, until it is over', () => {
  const { reporter, lines } = setUp();
  for (const message of ['OOM no', 'LOADING no', 'OOM no']) reporter.redisFailed(new Error(message));
  const kinds = () => lines.map(([, line]) => /OOM|LOADING|is back/.exec(line)?.[0]);
  expect(kinds()).toEqual(['OOM', 'LOADING']);
  reporter.redisReady();
  // Redis is back once all are over; one that was over is a line again.
  reporter.redisFailed(new Error('LOADING no'));
  expect(kinds()).toEqual(['OOM', 'LOADING', 'LOADING']);
  reporter.redisWrites();
  reporter.redisReady();
  expect(kinds().slice(3)).toEqual(['is back']);
});

test('the types without a handler that have left a line are remembered up to a bound', () => {
  const { reporter, lines, told } = setUp();
  for (let number = 0; number < 1_100; number += 1) {
    reporter.unhandled({ ...unhandled, type: `type_${number}` });
  }
  expect([lines.length, told.length]).toEqual([1_000, 1_100]);
});
