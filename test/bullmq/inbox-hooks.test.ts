import type { LogFields } from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { InboxReporter } from '../../src/bullmq/inbox-hooks.js';
import { LeveledLogger } from '../../src/ground/logger.js';

/** A reporter, and the lines that it logs, each with its level and its facts. */
function setUp() {
  const lines: [level: string, line: string, fields: LogFields | undefined][] = [];
  const take = (level: string) => (line: string, fields?: LogFields) =>
    void lines.push([level, line, fields]);
  const logger = { error: take('error'), warn: take('warn'), info: take('info'), debug: take('debug') };
  return { reporter: new InboxReporter(new LeveledLogger(logger, 'debug'), {}, []), lines };
}

const event = { key: 'the-key', type: 'lead_captured', workspace: 'acme' };

test.each<[level: string, outcome: string, tell: (reporter: InboxReporter) => void, facts: LogFields]>([
  ['info', 'skipped', (reporter) => reporter.skipped({ ...event, waitedMs: 1 }), event],
  ['warn', 'stalled', (reporter) => reporter.stalled(event.key), { key: event.key }],
  ['warn', 'lock_lost', (reporter) => reporter.lockLost(event.key), { key: event.key }],
  [
    'warn',
    'unhandled',
    (reporter) => reporter.unhandled({ ...event, unhandledMs: 0, leftMs: 1 }),
    { type: event.type },
  ],
])('at %s, an event is %s, with its facts', (level, outcome, tell, facts) => {
  const { reporter, lines } = setUp();
  tell(reporter);
  expect(lines).toEqual([[level, expect.any(String), { ...facts, outcome }]]);
});

test('the types without a handler that have left a line are remembered up to a bound', () => {
  const { reporter, lines } = setUp();
  for (let type = 0; type < 1_100; type += 1) {
    reporter.unhandled({ key: '', type: `type_${type}`, unhandledMs: 0, leftMs: 1 });
  }
  expect(lines).toHaveLength(1_000);
});
