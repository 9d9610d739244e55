import { ConfigurationError } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { Cluster } from 'ioredis';
import { expect, test } from 'vitest';
import { processing, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { createInbox, url } from './inbox-fixture.js';

test.each<[option: string, options: object]>([
  ['connection', { connection: 'canary-password@host' }],
  ['connection', { connection: undefined }],
  ['connection', { connection: null }],
  // A client of node-redis.
  ['connection', { connection: { isOpen: false, duplicate: () => undefined } }],
  ['connection', { connection: { url: 'redis://:canary@127.0.0.1' } }],
  ['connection.keyPrefix', { connection: { keyPrefix: 'mine:' } }],
  ['prefix', { connection: new Cluster([{ port: 1 }], { lazyConnect: true }), prefix: 'bull' }],
  ['queueName', { queueName: 'a:b' }],
  ['queueName', { queueName: '' }],
  ['prefix', { prefix: 'a:' }],
  ['attempts', { attempts: 0 }],
  ['backoff', { backoff: -1 }],
  ['backoff.type', { backoff: { type: 'linear', delay: 1 } }],
  ['backoff.jitter', { backoff: { type: 'fixed', delay: 1, jitter: 2 } }],
  ['retention', { retention: 0 }],
  ['deadLetterRetention', { deadLetterRetention: Number.NaN }],
  ['storeTimeout', { storeTimeout: '30s' }],
  ['replicas', { replicas: -1 }],
  ['highWater', { highWater: 0 }],
  ['highWater', { highWater: 85 }],
  ['telemetry', { telemetry: 'otel' }],
  ['hooks.onHandeled', { hooks: { onHandeled: () => undefined } }],
  ['hooks.onHandled', { hooks: { onHandled: 'log' } }],
  ['logger', { logger: {} }],
  ['logLevel', { logLevel: 'loud' }],
])('a wrong option is refused by name, without its value: %s', (option, options) => {
  const create = () => createBullMQInbox({ connection: url, queueName: 'webhooks', ...options });
  expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }));
  expect(create).not.toThrow(/canary/);
});

test('wrong and unknown options are one error, with a line each', () => {
  const create = () => createInbox({ attempts: 0, replicas: -1, retries: 3 } as object);
  expect(create).toThrow(
    /createBullMQInbox: 3 options are missing or wrong\n.*attempts.*\n.*replicas.*\n.*retries/,
  );
});

test.each([
  ['grace', (inbox: ReturnType<typeof createInbox>) => inbox.close({ grace: -1 })],
  ['limit', (inbox: ReturnType<typeof createInbox>) => inbox.deadLetters.list({ limit: 0 })],
])('a wrong %s is refused, and has no effect', async (_, act) => {
  const inbox = createInbox();
  await expect(act(inbox)).rejects.toThrow(ConfigurationError);
  expect(await inbox.health()).toMatchObject({ ready: true });
});

test('the store timeout is 30 seconds by default, for the receiver to compare with its deadline', () => {
  expect(createInbox().storeTimeout).toBe(30_000);
  expect(createInbox({ storeTimeout: 1_000 }).storeTimeout).toBe(1_000);
});

test('an inbox without a queue name logs a warning', () => {
  const logger = new RecordingLogger();
  createInbox({ logger, queueName: 'crm', backoff: 1_000 });
  expect(logger.lines).toEqual([]);
  createInbox({ logger, backoff: 1_000 });
  expect(logger.lines).toEqual([expect.stringMatching(/^warn .*queueName/)]);
});

test('a queue belongs to the first application that has a name, and another one is refused', async () => {
  await createInbox({ application: 'crm' }).store(stored());
  await createInbox({ application: 'crm' }).store(stored());
  const other = createInbox({ application: 'billing' });
  const handled: string[] = [];
  other.work(processing(async ({ key }) => void handled.push(key)));
  const refused = /webhooks belongs to the application crm, not billing\. .*its own queueName/;
  await expect(other.store(stored())).rejects.toThrow(refused);
  expect(await other.health()).toMatchObject({
    ready: false,
    warnings: { unreachable: expect.stringMatching(refused) },
  });
  const nameless = createInbox();
  await nameless.store(stored());
  expect([handled, (await nameless.health()).waiting]).toEqual([[], 3]);
  nameless.work({ lead_captured: ({ payload }) => handled.push(String(payload.agentId)) });
  await nameless.idle();
});
