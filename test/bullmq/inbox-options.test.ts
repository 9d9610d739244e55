import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { ConfigurationError } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { Cluster } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, stored, url } from './inbox-fixture.js';

test.each<[option: string, options: object]>([
  ['connection', { connection: 'canary-password@host' }],
  ['connection', { connection: undefined }],
  ['connection', { connection: 'redis://:100%canary@127.0.0.1' }],
  ['connection', { connection: 'redis://100%canary:password@127.0.0.1' }],
  // A client of node-redis.
  ['connection', { connection: { isOpen: false, duplicate: () => undefined } }],
  ['connection.keyPrefix', { connection: { keyPrefix: 'mine:' } }],
  [
    'connection.keyPrefix',
    { connection: new Cluster([{ port: 1 }], { keyPrefix: 'mine:', lazyConnect: true }) },
  ],
  ['queueName', { queueName: 'a:b' }],
  ['queueName', { queueName: '' }],
  ['prefix', { prefix: 'a:' }],
  ['attempts', { attempts: 0 }],
  ['attempts', { attempts: 1.5 }],
  ['backoff', { backoff: -1 }],
  ['backoff', { backoff: null }],
  ['backoff.factor', { backoff: { type: 'exponential', delay: 1, factor: 3 } }],
  ['backoff.type', { backoff: { delay: 1 } }],
  ['backoff.delay', { backoff: { type: 'fixed' } }],
  ['backoff.jitter', { backoff: { type: 'fixed', delay: 1, jitter: 2 } }],
  ['backoff.jitter', { backoff: { type: 'fixed', delay: 1, jitter: '0.5' } }],
  ['retention', { retention: 0 }],
  // More than a hundred years.
  ['retention', { retention: 3_155_760_000_001 }],
  ['deadLetterRetention', { deadLetterRetention: Number.NaN }],
  ['replicas', { replicas: -1 }],
  ['highWater', { highWater: 0 }],
  ['highWater', { highWater: 85 }],
  ['storeTimeout', { storeTimeout: 0 }],
  ['telemetry', { telemetry: {} }],
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

test.each<[option: string, options: object]>([
  ['concurrency', { concurrency: 0 }],
  ['concurrency', { concurrency: 1.5 }],
  ['handlerTimeout', { handlerTimeout: 0 }],
  ['unhandledTimeout', { unhandledTimeout: Number.POSITIVE_INFINITY }],
  ['lockDuration', { lockDuration: -1 }],
  ['maxStalls', { maxStalls: 0.5 }],
  ['maxStalls', { maxStalls: 0 }],
  ['threads', { threads: 1 }],
])('a wrong %s of a worker is refused by name: %j', (option, options) => {
  const work = () => createInbox().work({}, options);
  expect(work).toThrow(expect.objectContaining({ option, name: 'ConfigurationError' }));
});

test('a handler that is undefined is none', () => {
  expect(() => createInbox().work({ lead_captured: undefined })).not.toThrow();
});

test('the ends of a range are in it, and a prefix that is none', () => {
  expect(() => createInbox({ connection: { keyPrefix: '' } })).not.toThrow();
  for (const jitter of [0, 1]) {
    expect(() => createInbox({ highWater: 1, backoff: { type: 'fixed', delay: 1, jitter } })).not.toThrow();
  }
});

test('the grace of an inbox is that of its workers', async () => {
  const inbox = createInbox();
  inbox.work({});
  await expect(inbox.close({ grace: -1 })).rejects.toMatchObject({ option: 'grace' });
});

test.each<[string, unknown]>([
  ['an event type that there is not', { lead_catured: () => undefined }],
  ['a handler that is no function', { lead_captured: 1 }],
  ['nothing', undefined],
])('to work with %s is refused', (_, work) => {
  expect(() => createInbox().work(work as object)).toThrow(ConfigurationError);
});

test.each<[string | undefined, number]>([
  [undefined, 1],
  ['crm', 0],
])('with the queueName %s, so many warnings are logged: %d', (queueName, count) => {
  const logger = new RecordingLogger();
  createInbox({ queueName, logger });
  expect(logger.lines.filter((line) => /^warn .*queueName/.test(line))).toHaveLength(count);
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
