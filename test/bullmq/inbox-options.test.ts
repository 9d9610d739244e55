import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { ConfigurationError } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, stored, url } from './inbox-fixture.js';

test.each<[option: string, options: object]>([
  ['connection', { connection: 'canary-password@host' }],
  ['connection', { connection: undefined }],
  ['connection', { connection: null }],
  ['connection', { connection: 'redis://:100%canary@127.0.0.1' }],
  ['connection', { connection: 'redis://100%canary:password@127.0.0.1' }],
  // A client of node-redis.
  ['connection', { connection: { isOpen: false, duplicate: () => undefined } }],
  ['connection.keyPrefix', { connection: { keyPrefix: 'mine:' } }],
  ['connection.keyPrefix', { connection: 'redis://127.0.0.1?keyPrefix=mine:' }],
  ['connection.url', { connection: { url: 'redis://:canary@127.0.0.1' } }],
  [
    'connection.keyPrefix',
    { connection: new Cluster([{ port: 1 }], { keyPrefix: 'mine:', lazyConnect: true }) },
  ],
  ['queueName', { queueName: 'a:b' }],
  ['queueName', { queueName: '' }],
  ['queueName', { queueName: 1 }],
  ['prefix', { prefix: 'a:' }],
  ['prefix', { prefix: 1 }],
  ['attempts', { attempts: 0 }],
  ['attempts', { attempts: 1.5 }],
  ['backoff', { backoff: -1 }],
  ['backoff', { backoff: null }],
  ['backoff.factor', { backoff: { type: 'exponential', delay: 1, factor: 3 } }],
  ['backoff.type', { backoff: { delay: 1 } }],
  ['backoff.type', { backoff: { type: 'linear', delay: 1 } }],
  ['backoff.delay', { backoff: { type: 'fixed' } }],
  ['backoff.jitter', { backoff: { type: 'fixed', delay: 1, jitter: 2 } }],
  ['backoff.jitter', { backoff: { type: 'fixed', delay: 1, jitter: '0.5' } }],
  ['retention', { retention: 0 }],
  ['retention', { retention: '60000' }],
  // More than a hundred years.
  ['retention', { retention: 3_155_760_000_001 }],
  ['deadLetterRetention', { deadLetterRetention: Number.NaN }],
  ['replicas', { replicas: -1 }],
  ['highWater', { highWater: 0 }],
  ['highWater', { highWater: 85 }],
  ['highWater', { highWater: '0.5' }],
  ['storeTimeout', { storeTimeout: 0 }],
  ['telemetry', { telemetry: {} }],
  ['telemetry', { telemetry: null }],
  ['hooks.onStored', { hooks: { onStored: 1 } }],
  ['hooks.onstored', { hooks: { onstored: () => undefined } }],
  ['logLevel', { logLevel: 'loud' }],
  ['logger.error', { logger: { warn: () => undefined } }],
  ['queue', { queue: 'name' }],
])('a wrong %s is refused by name: %j', (option, options) => {
  const create = () => createBullMQInbox({ connection: url, ...options });
  expect(create).toThrow(expect.objectContaining({ option, name: 'ConfigurationError' }));
  expect(create).not.toThrow(/canary/);
});

test('the least that an option may be is told with it', () => {
  const create = () => createBullMQInbox({ connection: url, attempts: 0 });
  expect(create).toThrow(/^attempts must be a whole number, 1 or more, got 0\.$/);
});

test.each<[option: string, options: object]>([
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: 1.5 }],
  ['handlerTimeout', { handlerTimeout: 0 }],
  ['unhandledTimeout', { unhandledTimeout: Number.POSITIVE_INFINITY }],
  ['lockDuration', { lockDuration: -1 }],
  ['maxStalls', { maxStalls: 0.5 }],
  ['maxStalls', { maxStalls: 0 }],
  ['newestOnly', { newestOnly: 'createdAt' }],
  ['threads', { threads: 1 }],
])('a wrong %s of a worker is refused by name, and nothing connects: %j', (option, options) => {
  const connect = vi.spyOn(Redis.prototype, 'connect');
  onTestFinished(() => connect.mockRestore());
  const work = () => createInbox().work({}, options as object);
  expect(work).toThrow(expect.objectContaining({ option, name: 'ConfigurationError' }));
  expect(connect).not.toHaveBeenCalled();
});

const LONGEST = 2_147_483_647;
const CENTURY = 3_155_760_000_000;
type Take = (value: number) => unknown;
const inboxWith =
  (name: string): Take =>
  (value) =>
    createInbox({ [name]: value });
const backoffWith =
  (name: string): Take =>
  (value) =>
    createInbox({ backoff: { type: 'fixed', delay: 1, [name]: value } });
const workWith =
  (name: string): Take =>
  (value) =>
    createInbox().work({}, { [name]: value });

test.each<[option: string, take: Take, within: readonly number[], beyond: readonly number[]]>([
  ['attempts', inboxWith('attempts'), [1], [0, 1.5]],
  ['backoff', inboxWith('backoff'), [0.5, LONGEST], [0, LONGEST + 1]],
  ['backoff.delay', backoffWith('delay'), [0.5, LONGEST], [0, LONGEST + 1]],
  ['backoff.jitter', backoffWith('jitter'), [0, 1], [-0.1, 1.1, Number.NaN]],
  ['retention', inboxWith('retention'), [1, CENTURY], [0.5, CENTURY + 1, Number.NaN]],
  ['deadLetterRetention', inboxWith('deadLetterRetention'), [1, CENTURY], [0.5, CENTURY + 1]],
  ['storeTimeout', inboxWith('storeTimeout'), [0.5, LONGEST], [0, LONGEST + 1]],
  ['replicas', inboxWith('replicas'), [0, 1], [-1, 0.5]],
  ['highWater', inboxWith('highWater'), [0.01, 1], [0, 1.01, Number.NaN]],
  ['concurrency', workWith('concurrency'), [1], [0, 1.5]],
  ['handlerTimeout', workWith('handlerTimeout'), [0.5, LONGEST], [0, LONGEST + 1]],
  ['unhandledTimeout', workWith('unhandledTimeout'), [0.5, LONGEST], [0, LONGEST + 1]],
  ['lockDuration', workWith('lockDuration'), [1_000, LONGEST], [0, LONGEST + 1]],
  ['maxStalls', workWith('maxStalls'), [1], [0, 1.5]],
])('the ends of the range of %s are in it, and nothing beyond', (option, take, within, beyond) => {
  for (const value of within) expect(() => take(value)).not.toThrow();
  for (const value of beyond) expect(() => take(value)).toThrow(expect.objectContaining({ option }));
});

test.each<[options: object, message: string]>([
  [
    { connection: 1 },
    'connection must be a URL that starts with redis:// or rediss://, options of ioredis, or an ioredis client.',
  ],
  [
    { connection: 'redis://%@host' },
    'connection must have `%25` for a percent sign in its user name and password.',
  ],
  [
    { connection: { keyPrefix: 'a' } },
    'connection.keyPrefix cannot be used with BullMQ. Use the option `prefix`.',
  ],
  [{ queueName: 'a:b' }, 'queueName must be a string that is not empty and holds no `:`, got "a:b".'],
  [{ prefix: '' }, 'prefix must be a string that is not empty and holds no `:`, got "".'],
  [{ telemetry: {} }, 'telemetry must be a `Telemetry` of BullMQ, with a `tracer`.'],
  [{ highWater: 85 }, 'highWater must be a number above 0 and at most 1, got 85.'],
  [{ retention: 0 }, `retention must be a number of milliseconds from 1 to ${CENTURY}, got 0.`],
  [{ backoff: {} }, "backoff.type is missing: give 'fixed' or 'exponential'."],
  [{ backoff: { type: 'fixed' } }, 'backoff.delay is missing: give milliseconds.'],
  [
    { backoff: { type: 'fixed', delay: 1, jitter: 2 } },
    'backoff.jitter must be a number from 0 to 1, got 2.',
  ],
])('a refused option says what is to be given: %j', (options, message) => {
  expect(() => createBullMQInbox({ connection: url, ...options } as never)).toThrow(message);
});

test('a handler that is undefined is none', () => {
  expect(() => createInbox().work({ lead_captured: undefined })).not.toThrow();
});

test.each<[what: string, options: object]>([
  ['a prefix of keys that is none', { connection: { keyPrefix: '' } }],
  ['TLS', { connection: 'rediss://127.0.0.1' }],
  ['a percent sign that is escaped', { connection: 'redis://:100%25@127.0.0.1' }],
  [
    'nodes of a cluster that are no URLs',
    { connection: new Cluster(['127.0.0.1:1', 1], { lazyConnect: true }) },
  ],
  ['a backoff of always the same', { backoff: { type: 'fixed', delay: 1 } }],
  ['names with anything but a colon', { queueName: '{the} queue', prefix: '{a} b' }],
])('an inbox takes %s', (_, options) => {
  expect(() => createInbox(options)).not.toThrow();
});

test.each([-1, Number.NaN, LONGEST + 1, '5'])(
  'the grace of an inbox is that of its workers: not %s',
  async (grace) => {
    const inbox = createInbox();
    const worker = inbox.work({});
    await expect(worker.close({ grace } as object)).rejects.toThrow(ConfigurationError);
    await expect(inbox.close({ grace } as object)).rejects.toMatchObject({ option: 'grace' });
    await expect(inbox.close({ graze: 1 } as object)).rejects.toMatchObject({ option: 'graze' });
    // It is open still.
    await inbox.store(stored());
    await inbox.close({ grace: 0 });
    await expect(createInbox().close({ grace } as object)).rejects.toMatchObject({ option: 'grace' });
  },
);

test.each<[string, unknown]>([
  ['an event type that there is not', { lead_catured: () => undefined }],
  ['a handler that is no function', { lead_captured: 1 }],
  ['a handler that is null', { lead_captured: null }],
  ['nothing', undefined],
])('to work with %s is refused', (_, work) => {
  expect(() => createInbox().work(work as object)).toThrow(ConfigurationError);
});

test.each<[string | undefined, number]>([
  [undefined, 1],
  ['crm', 0],
])('with the queueName %s, so many warnings are logged: %d', (queueName, count) => {
  const logger = new RecordingLogger();
  createInbox({ queueName, prefix: 'mine', logger });
  expect(logger.lines.filter((line) => /^warn .*queueName/.test(line))).toHaveLength(count);
});

test.each([
  ['warn', 'warn'],
  ['', 'warn'],
  ['error', undefined],
])('with AGENT_PLATFORM_LOG=%s, the log of an inbox begins at that level', (level, first) => {
  vi.stubEnv('AGENT_PLATFORM_LOG', level);
  onTestFinished(() => void vi.unstubAllEnvs());
  const logger = new RecordingLogger();
  createInbox({ logger, logLevel: undefined });
  expect(logger.lines[0]?.split(' ')[0]).toBe(first);
});

test.each([
  ['redis', /within 200 ms$/],
  ['rediss', /within 200 ms\. Does it speak TLS\?$/],
])(
  'nothing connects before it is needed, and a %s:// that is silent is asked about',
  async (protocol, asked) => {
    let connected = 0;
    const server = createServer(() => {
      connected += 1;
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const inbox = createBullMQInbox({
      connection: `${protocol}://127.0.0.1:${port}`,
      storeTimeout: 200,
      logLevel: 'off',
    });
    void inbox.deadLetters;
    await setTimeout(50);
    expect(connected).toBe(0);
    const error: unknown = await inbox.store(stored()).catch((thrown: unknown) => thrown);
    expect((error as Error).message).toMatch(asked);
    expect(connected).toBeGreaterThan(0);
    await inbox.close();
  },
);
