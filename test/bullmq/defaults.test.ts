import type { Logger } from 'agent-platform-sdk';
import { type BullMQInboxOptions, createBullMQInbox, type WorkOptions } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { onTestFinished, vi } from 'vitest';
import { eventually, hang, processing, stored } from '../inbox/fixture.js';
import { deferred } from '../support/deferred.js';
import { lowestLevel, testDefaults, whereLogged } from '../support/documented-defaults.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { createInbox, redis, url } from './inbox-fixture.js';

// Every default that the doc comments of the inbox and of the shared dedupe store give. The others are in
// ../defaults.test.ts.

/** An inbox without an option but the connection. */
function openInbox(logger?: Logger) {
  const inbox = createBullMQInbox({ connection: url, logger });
  onTestFinished(() => inbox.close({ grace: 0 }));
  return inbox;
}

/** The options of BullMQ's worker without an option of ours. */
const workerOptions = () => createInbox().work({}).bullmq.opts;

/** Returns a time in ms if a timer for it is set in the meantime. */
async function ifTimerIsSet(ms: number, act: () => Promise<unknown>): Promise<number | undefined> {
  const spy = vi.spyOn(globalThis, 'setTimeout');
  await act();
  const isSet = spy.mock.calls.some(([, delay]) => delay === ms);
  spy.mockRestore();
  return isSet ? ms : undefined;
}

/** Starts a handler that does not settle. */
async function startHandler(options?: WorkOptions) {
  const inbox = createInbox();
  const started = deferred();
  const handler = () => {
    started.resolve();
    return hang();
  };
  const worker = inbox.work({ lead_captured: handler }, options);
  await inbox.store(stored());
  await started.promise;
  return worker;
}

/** What BullMQ keeps of an event. */
async function jobOf(options: Partial<BullMQInboxOptions> = {}) {
  const webhook = stored();
  const inbox = createInbox(options);
  await inbox.store(webhook);
  return inbox.queue.getJob(webhook.key);
}

/** The delays that BullMQ keeps of an event. */
async function backoffOf(type: 'fixed' | 'exponential') {
  const backoff = (await jobOf({ backoff: { type } }))?.opts.backoff;
  if (typeof backoff !== 'object') throw new Error('not stored');
  return backoff;
}

/** A missing queue name is a line at `warn`, and a handled event one at `info`. */
async function work(logger: Logger | undefined): Promise<void> {
  const inbox = openInbox(logger);
  const handled = deferred();
  inbox.work({ lead_captured: () => undefined }).bullmq.on('completed', handled.resolve);
  await inbox.store(stored());
  await handled.promise;
}

async function deadLetters(count: number) {
  const inbox = createInbox({ attempts: 1 });
  inbox.work(processing(() => Promise.reject(new Error('no'))));
  const webhooks = Array.from({ length: count }, () => stored());
  for (const webhook of webhooks) await inbox.store(webhook);
  await eventually(async () => {
    if (Number((await inbox.health()).deadLetters) < count) throw new Error('not yet');
  });
  return { inbox };
}

testDefaults((file) => /^(?:bullmq|inbox|redis)\//.test(file), {
  'BullMQInboxOptions.queueName': () => openInbox(new RecordingLogger()).queue.name,
  'BullMQInboxOptions.prefix': () => openInbox(new RecordingLogger()).queue.opts.prefix,
  'InboxOptions.attempts': async () => (await jobOf())?.opts.attempts,
  'InboxOptions.retention': async () => (await jobOf())?.opts.deduplication?.ttl,
  'InboxOptions.deadLetterRetention': () => {
    createInbox().work({});
    return eventually(async () => {
      const { at, upTo } = await redis.hgetall('bull:agent-platform-webhooks:deletion');
      if (at === undefined) throw new Error('not yet');
      return Number(at) - Number(upTo);
    });
  },
  'InboxOptions.application': async () => {
    await createInbox().store(stored());
    return (await redis.get('bull:agent-platform-webhooks:application')) ?? 'none';
  },
  'InboxOptions.storeTimeout': () => createInbox().storeTimeout,
  'BullMQInboxOptions.replicas': async () => {
    await redis.config('RESETSTAT');
    await createInbox().store(stored());
    return (await redis.info('commandstats')).includes('cmdstat_wait:') ? 1 : 0;
  },
  'BullMQInboxOptions.highWater': async () => {
    const server = await startRedis(['--maxmemory', '1mb']);
    onTestFinished(() => server.stop());
    const storing = createInbox({ connection: server.url, storeTimeout: 100 }).store(stored());
    const error: unknown = await storing.catch((thrown: unknown) => thrown);
    return Number(/highWater is (\d+) %/.exec(String(error))?.[1]) / 100;
  },
  'BullMQInboxOptions.telemetry': () => workerOptions().telemetry ?? 'none',
  'InboxOptions.logger': () => whereLogged(work),
  'InboxOptions.logLevel': () => lowestLevel(work),

  'Backoff.delay': async () => (await backoffOf('exponential')).delay,
  'Backoff.jitter': async () => (await backoffOf('fixed')).jitter,

  'WorkOptions.concurrency': () => workerOptions().concurrency,
  'WorkOptions.handlerTimeout': (ms: number) => ifTimerIsSet(ms, () => startHandler()),
  'WorkOptions.lockDuration': () => workerOptions().lockDuration,
  'WorkOptions.maxStalls': () => workerOptions().maxStalledCount,
  'CloseOptions.grace': async (ms: number) => {
    const worker = createInbox().work({});
    return ifTimerIsSet(ms, () => worker.close());
  },

  'ListDeadLettersOptions.limit': async (limit: number) => {
    const { inbox } = await deadLetters(limit + 1);
    return (await inbox.deadLetters.list()).length;
  },

  'RedisDedupeOptions.timeout': async (ms: number) => {
    const store = createRedisDedupe({ connection: url, keyPrefix: 'crm:' });
    onTestFinished(() => store.close());
    return ifTimerIsSet(ms, () => store.claim('key', 'owner', 60_000));
  },
});
