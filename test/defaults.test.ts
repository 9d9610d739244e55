import { readdirSync, readFileSync } from 'node:fs';
import { endpoint, ToolSchema, withPage } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { resolveBullMQ } from '../src/bullmq/options.js';
import { resolveSettings } from '../src/client/settings.js';
import { LIST_DEFAULTS } from '../src/inbox/dead-letters.js';
import { resolveGrace, resolveWork, settleOptions } from '../src/inbox/options.js';
import { resolvePostgres } from '../src/postgres/options.js';
import { DEFAULT_TIMEOUT_MS as REDIS_TIMEOUT_MS } from '../src/redis/dedupe.js';
import { resolveSqlite } from '../src/sqlite/options.js';
import { createLogger, type LeveledLogger } from '../src/utils/logger.js';
import { VERSION } from '../src/utils/version.js';
import { DEFAULT_MAX_BODY_BYTES } from '../src/webhooks/body/reading.js';
import { DEFAULT_MAX_KEYS } from '../src/webhooks/dedupe/store.js';
import { resolveEvents } from '../src/webhooks/event-options.js';
import { resolveReceiver } from '../src/webhooks/options.js';
import { DRAIN_DEFAULTS } from '../src/webhooks/servers/drain.js';
import { secret } from './webhooks/deliveries.js';

// Doc comments give each default once more than the code: here the two are compared. That a flag is false
// unless it is set needs no test.

const INTERFACE = /interface (\w+)[^{]*\{\n([\s\S]*?)\n\}/g;
const OPTION = /\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\s*readonly (\w+)\??:/g;
const DEFAULT = /\bDefault:? (?:`([^`]+)`|(none)|(\d[\d ]*(?:\.\d+)?)(?: ?(MiB|hours|days))?)/;
const UNITS: Readonly<Record<string, number>> = { MiB: 1024 ** 2, hours: 3_600_000, days: 86_400_000 };

/** The defaults that doc comments give. Leaves out those in words, and the fake's. */
const documented = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('testing/'))
  .flatMap((file) => [...readFileSync(`src/${file}`, 'utf8').matchAll(INTERFACE)])
  .flatMap(([, name, body = '']) =>
    [...body.matchAll(OPTION)].flatMap(([, comment = '', option = '']) => {
      const found = DEFAULT.exec(comment.replace(/\s*\n\s*\* ?/g, ' '));
      return found === null ? [] : [[`${name}.${option}`, valueOf(found)] as const];
    }),
  );

function valueOf([, code, none, digits = '', unit]: RegExpExecArray): unknown {
  if (code !== undefined) return code.replaceAll("'", '');
  return none === undefined ? Number(digits.replaceAll(' ', '')) * (UNITS[unit ?? ''] ?? 1) : undefined;
}

/** The defaults of the two options of a log. */
function ofLog(log: LeveledLogger) {
  const write = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  log.log('error', () => 'to the console');
  const logger = write.mock.calls.length > 0 ? 'console' : 'none';
  write.mockRestore();
  return { logger, logLevel: log.level };
}

const off = createLogger(undefined, 'off');
const client = resolveSettings({ region: 'eu', token: 'the-token', baseUrls: { eu: 'https://eu.test' } });
const receiver = resolveReceiver({ secret });
const handlers = resolveEvents({});
const inbox = settleOptions({});

/** Each interface with documented defaults, and what the code uses if its options are not set. */
const used: Readonly<Record<string, object>> = {
  CallOptions: client,
  AgentPlatformOptions: { ...client, ...ofLog(client.log) },
  EndpointDeclaration: endpoint({ method: 'GET', path: '/x', response: ToolSchema }),
  PageNames: withPage(ToolSchema).page,
  WebhookEventOptions: handlers,
  WebhookHandlersOptions: ofLog(handlers.log),
  ParseWebhookRequestOptions: { maxBodyBytes: DEFAULT_MAX_BODY_BYTES },
  ReceiverOptions: { ...receiver, ...ofLog(receiver.log) },
  DedupeOptions: { ...receiver.dedupe },
  MemoryDedupeOptions: { maxKeys: DEFAULT_MAX_KEYS },
  DrainOptions: DRAIN_DEFAULTS,
  InboxOptions: { ...inbox, ...ofLog(inbox.log) },
  Backoff: settleOptions({ backoff: { type: 'fixed' } }).backoff,
  WorkOptions: resolveWork({}, off),
  CloseOptions: { grace: resolveGrace({}, off) },
  ListDeadLettersOptions: LIST_DEFAULTS,
  SqliteInboxOptions: resolveSqlite({ path: '/data/webhooks.db' }),
  PostgresInboxOptions: resolvePostgres({ connectionString: 'postgres://localhost/app' }),
  BullMQInboxOptions: resolveBullMQ({ connection: 'redis://localhost', logLevel: 'off' }),
  RedisDedupeOptions: { timeout: REDIS_TIMEOUT_MS },
};

test.each(documented)('the default of %s is %j', (name, value) => {
  const [owner = '', option = ''] = name.split('.');
  expect(used, `Add ${owner} to the table above.`).toHaveProperty(owner);
  expect(used[owner], 'The `resolve…` function of its folder returns it.').toHaveProperty(option, value);
});

test('the version that calls name is that of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
});
