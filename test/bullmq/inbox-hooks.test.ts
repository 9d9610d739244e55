import type { LogFields } from 'agent-platform-sdk';
import type { InboxHooks } from 'agent-platform-sdk/bullmq';
import { expect, test } from 'vitest';
import { InboxReporter } from '../../src/bullmq/inbox-hooks.js';
import { LeveledLogger } from '../../src/ground/logger.js';

/** A reporter; the lines that it logs, each with its level and its facts; and what hooks are told. */
function setUp() {
  const lines: [level: string, line: string, fields: LogFields | undefined][] = [];
  const take = (level: string) => (line: string, fields?: LogFields) =>
    void lines.push([level, line, fields]);
  const logger = { error: take('error'), warn: take('warn'), info: take('info'), debug: take('debug') };
  const told: [hook: string, about: unknown][] = [];
  const note = (hook: string) => (about: unknown) => void told.push([hook, about]);
  const names = ['onSkipped', 'onStalled', 'onLockLost', 'onUnhandled'];
  const hooks: InboxHooks = Object.fromEntries(names.map((name) => [name, note(name)]));
  return { reporter: new InboxReporter(new LeveledLogger(logger, 'debug'), hooks, []), lines, told };
}

const event = { key: 'the-key', type: 'lead_captured', workspace: 'acme' };
const { key, type } = event;
const skip = { ...event, waitedMs: 1 };
const unhandled = { ...event, unhandledMs: 0, leftMs: 1 };

test.each<
  [outcome: string, level: string, (to: InboxReporter) => void, LogFields, hook: string, about: object]
>([
  ['skipped', 'info', (to) => to.skipped(skip), event, 'onSkipped', skip],
  ['stalled', 'warn', (to) => to.stalled(key), { key }, 'onStalled', { key }],
  ['lock_lost', 'warn', (to) => to.lockLost(key), { key }, 'onLockLost', { key }],
  ['unhandled', 'warn', (to) => to.unhandled(unhandled), { type }, 'onUnhandled', unhandled],
])(
  'that an event is %s is logged at %s with its facts, and told',
  (outcome, level, tell, facts, hook, about) => {
    const { reporter, lines, told } = setUp();
    tell(reporter);
    expect(lines).toEqual([[level, expect.any(String), { ...facts, outcome }]]);
    expect(told).toEqual([[hook, about]]);
  },
);

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
])('what Redis said, %s, is over after %s', (message, end) => {
  const { reporter, lines } = setUp();
  reporter.redisFailed(Object.assign(new Error(message), { name: 'ReplyError' }));
  const run = { ...event, attempt: 1, waitedMs: 0, durationMs: 0 };
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

test('each kind of failure of Redis is a line, until it is over', () => {
  const { reporter, lines } = setUp();
  for (const message of ['OOM no', 'LOADING no', 'OOM no']) reporter.redisFailed(new Error(message));
  expect(lines.map(([, line]) => /OOM|LOADING/.exec(line)?.[0])).toEqual(['OOM', 'LOADING']);
});

test('the types without a handler that have left a line are remembered up to a bound', () => {
  const { reporter, lines, told } = setUp();
  for (let number = 0; number < 1_100; number += 1) {
    reporter.unhandled({ ...unhandled, type: `type_${number}` });
  }
  expect([lines.length, told.length]).toEqual([1_000, 1_100]);
});
