import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { resolveInbox } from '../../src/bullmq/inbox-options.js';
import { resolveGrace, resolveWork } from '../../src/bullmq/work-options.js';
import { resolveSettings } from '../../src/client/settings.js';
import { resolveReceiver } from '../../src/webhooks/receiver-options.js';

/** The settings that come out where only what is required goes in, by what takes the options. */
const settings: Readonly<Record<string, object>> = {
  'new AgentPlatform': resolveSettings({
    region: 'eu',
    token: 'a-token-of-tests',
    baseUrls: { eu: 'https://service.test' },
  }),
  createWebhookReceiver: resolveReceiver({ secret: 'a-secret-of-tests' }),
  createBullMQInbox: resolveInbox({ connection: 'redis://localhost', logger: quiet() }),
  'inbox.work': resolveWork({}),
  'inbox.close': { grace: resolveGrace({}) },
};

function quiet() {
  const none = (): void => undefined;
  return { error: none, warn: none, info: none, debug: none };
}

/** `dedupe.window` of the settings; the level of the log stands in the log. */
function defaultOf(holder: object, option: string): string {
  const path = option === 'logLevel' ? ['log', 'level'] : option.split('.');
  const value = path.reduce<unknown>((part, key) => (part as Record<string, unknown>)[key], holder);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none';
}

const guide = readFileSync('docs/guides/defaults.md', 'utf8');
const rows = [...guide.matchAll(/^\| `([^`]+)` \| `([^`]+)` \| (.+) \|$/gm)].map(
  ([, of = '', option = '', value = '']) => ({
    of,
    option,
    value,
  }),
);

test.each(rows)('$of: $option is $value', ({ of, option, value }) => {
  expect(defaultOf(settings[of] ?? {}, option)).toBe(value);
});

test('every number, text and nothing among the settings has its row', () => {
  const told = new Set(rows.map(({ of, option }) => `${of} ${option}`));
  const missing = Object.entries(settings).flatMap(([of, holder]) =>
    Object.entries(holder)
      .filter(([, value]) => typeof value === 'number')
      .map(([option]) => `${of} ${option}`)
      .filter((name) => !told.has(name)),
  );
  expect(rows.length).toBeGreaterThan(25);
  expect(missing).toEqual([]);
});
