import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { WebhookError } from 'agent-platform-sdk';
import { type BullMQInboxOptions, InboxFullError } from 'agent-platform-sdk/bullmq';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WAITING } from '../../src/inbox/inbox.js';
import { eventually, processing, stored } from '../inbox/fixture.js';
import { startProxy } from '../redis/proxy.js';
import { openClient } from '../redis/servers.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { openRedis } from '../support/redis-server.js';
import { minimal } from '../webhooks/deliveries.js';
import { createInbox, engine, port, redis, url, userWithout } from './inbox-fixture.js';

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
  nameless.work({ lead_captured: () => undefined });
  await nameless.idle();
});

test('an event waits for room in a full Redis', async () => {
  const { url } = await openRedis('--maxmemory', '1mb');
  const inbox = createInbox({ connection: url });
  let isStored = false;
  const storing = inbox.store(stored()).then(() => (isStored = true));
  await eventually(async () => expect((await inbox.health()).warnings.full).toBeDefined());
  expect(isStored).toBe(false);
  await openClient(url).config('SET', 'maxmemory', '100mb');
  expect(await storing).toBe(true);
});

test.each([
  ['maxmemory', '1'],
  ['min-replicas-to-write', '1'],
])(
  'a worker of a named application that starts while %s refuses writes goes on later',
  async (...setting) => {
    const { url } = await openRedis();
    const client = openClient(url);
    const webhook = stored();
    await createInbox({ connection: url, application: 'crm' }).store(webhook);
    await client.config('SET', ...setting);
    const inbox = createInbox({ connection: url, application: 'crm' });
    const handled: string[] = [];
    inbox.work(processing(async ({ key }) => void handled.push(key)));
    await eventually(async () => expect((await inbox.health()).warnings.worker).toMatch(/OOM|NOREPLICAS/));
    await client.config('SET', setting[0], '0');
    await eventually(() => expect(handled).toEqual([webhook.key]));
  },
);

test('a Redis that stays full is an InboxFullError, which contains nothing of the event', async () => {
  const { url } = await openRedis('--maxmemory', '1mb');
  const inbox = createInbox({ connection: url, storeTimeout: 5_000 });
  const storing = inbox.store(stored({ payload: { text: 'canary' } }));
  const error: unknown = await storing.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(InboxFullError);
  expect((error as Error).message).toMatch(/Redis uses [\d.]+ % of its maxmemory, and highWater is 85 %\n/);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('canary');
});

test('the memory of Redis is read at most once in 10 ms', async () => {
  const inbox = createInbox();
  await inbox.store(stored());
  const clock = vi.spyOn(performance, 'now');
  onTestFinished(() => clock.mockRestore());
  const start = performance.now() + 1_000;
  const readsAt = async (ms: number) => {
    clock.mockReturnValue(start + ms);
    await redis.config('RESETSTAT');
    await Promise.all([inbox.store(stored()), inbox.store(stored())]);
    return (await redis.info('commandstats')).includes('cmdstat_info:calls=1,');
  };
  expect([await readsAt(0), await readsAt(10), await readsAt(10.1)]).toEqual([true, false, true]);
});

test('an event is stored at once although the reading of the memory before it has failed', async () => {
  const inbox = createInbox({ connection: await userWithout() });
  await inbox.store(stored());
  await userWithout('-info');
  // Until the first reading is old.
  await sleep(100);
  await expect(inbox.store(stored())).rejects.toThrow(/NOPERM/);
  await userWithout();
  await inbox.store(stored());
});

test('events that Redis does not store in time are counted until they have left the memory', async () => {
  const { most } = WAITING;
  onTestFinished(() => void (WAITING.most = most));
  const inbox = createInbox({ storeTimeout: 300 });
  const [first, late, refused, last] = [stored(), stored(), stored(), stored()];
  await eventually(() => inbox.store(first));
  WAITING.most = JSON.stringify(first).length;
  const release = await engine.block();
  await expect(inbox.store(late)).rejects.toThrow('no response');
  await expect(inbox.store(refused)).rejects.toThrow('wait to be stored');
  // Redis gets the late one all the same.
  await release();
  await eventually(() => inbox.store(last));
  expect(await inbox.health()).toMatchObject({ waiting: 3 });
});

test('errors, logs and an inspected inbox contain no password', async () => {
  const server = await openRedis('--requirepass', 'the-right-one');
  const lines: string[] = [];
  const take = (line: string) => void lines.push(line);
  const logger = { error: take, warn: take, info: take, debug: take };
  const connection = `redis://:canary-password@127.0.0.1:${server.port}`;
  const inbox = createInbox({ connection, storeTimeout: 500, logger });
  const worker = inbox.work({});
  const errors: unknown[] = [];
  for (const ask of [() => inbox.store(stored()), () => inbox.deadLetters.list()]) {
    await ask().catch((thrown: unknown) => errors.push(thrown));
  }
  expect(errors).toEqual([expect.any(WebhookError), expect.any(WebhookError)]);
  const everything = [errors, lines, await inbox.health()];
  expect(inspect(everything, { depth: 10, showHidden: true })).not.toContain('canary');
  expect(JSON.stringify([inbox, worker.close])).not.toContain('canary');
});

test('a client that is passed in is used, stays open, and keeps no listener of the inbox', async () => {
  const client = openClient(url);
  await client.ping();
  await leavesNothing(async () => {
    const inbox = createInbox({ connection: client });
    const worker = inbox.work({});
    await Promise.all([inbox.store(stored()), inbox.store(stored())]);
    await inbox.health();
    await worker.close();
    await inbox.close();
  }, client);
  expect(await client.ping()).toBe('PONG');
});

test("BullMQ's telemetry has spans for storing and processing in one trace, without a payload", async () => {
  const spans: string[] = [];
  const shown: unknown[] = [];
  const continued: unknown[] = [];
  const note = (...about: readonly unknown[]) => void shown.push(about);
  const span = {
    setSpanOnContext: (context: unknown) => context,
    setAttribute: note,
    setAttributes: note,
    addEvent: note,
    recordException: note,
    end: () => undefined,
  };
  const telemetry = {
    tracer: { startSpan: (name: string) => (spans.push(name), span) },
    contextManager: {
      with: <Returned>(_: unknown, work: () => Returned) => work(),
      active: () => ({}),
      getMetadata: () => 'the-trace',
      fromMetadata: (_: unknown, metadata: string) => continued.push(metadata),
    },
  } as unknown as BullMQInboxOptions['telemetry'];
  const inbox = createInbox({ telemetry });
  const handled = new Promise((resolve) => inbox.work({ lead_captured: resolve }));
  await inbox.store(stored({ payload: { ...minimal.lead_captured, leadName: 'canary' } }));
  await handled;
  await inbox.close();
  expect(spans.map((name) => name.split(' ')[0])).toEqual(expect.arrayContaining(['add', 'process']));
  expect(continued).toContain('the-trace');
  expect(inspect(shown, { depth: 10 })).not.toContain('canary');
});

test("the inbox hands out BullMQ's queue, before and after an event is stored", async () => {
  const inbox = createInbox({ queueName: 'crm' });
  // BullMQ 5 counts those of a paused queue with them.
  expect(await inbox.queue.getJobCounts('waiting')).toMatchObject({ waiting: 0 });
  await inbox.store(stored());
  expect(inbox.queue.name).toBe('crm');
  expect(await inbox.queue.getJobCounts('waiting')).toMatchObject({ waiting: 1 });
});

test('closing ends although Redis does not respond, or was never there', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: { host: '127.0.0.1', port: proxy.port, socketTimeout: 600_000 } });
  await inbox.store(stored());
  proxy.hold();
  const other = createInbox({ connection: 'redis://127.0.0.1:1', storeTimeout: 100 });
  await expect(other.store(stored())).rejects.toThrow(WebhookError);
  await expect(Promise.all([inbox.close(), other.close()])).resolves.toHaveLength(2);
});

test('closing rejects what waits in a client that was passed in', async () => {
  const proxy = await startProxy(port);
  const client = openClient(proxy.url, { maxRetriesPerRequest: null });
  const inbox = createInbox({ connection: client });
  await inbox.store(stored());
  proxy.hold();
  const waiting = [inbox.store(stored()), inbox.deadLetters.list()];
  await inbox.close();
  for (const one of waiting) await expect(one).rejects.toThrow('The inbox is closed.');
});

test('an error of an earlier connection is not the reason why there is none', async () => {
  const proxy = await startProxy(port);
  const client = openClient(proxy.url);
  const inbox = createInbox({ connection: client, storeTimeout: 5_000 });
  await inbox.store(stored());
  client.emit('error', new Error('of an earlier connection'));
  client.disconnect(true);
  await once(client, 'ready');
  proxy.hold();
  client.disconnect(true);
  await once(client, 'close');
  await expect(inbox.store(stored())).rejects.toThrow(/No connection within/);
});

test('an event for which Redis did not return in time is not stored afterwards', async () => {
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: proxy.url, storeTimeout: 500 });
  const first = stored();
  await eventually(() => inbox.store(first));
  proxy.lead(1);
  proxy.cut();
  await eventually(async () => expect((await inbox.health()).ready).toBe(false));
  await expect(inbox.store(stored())).rejects.toThrow(WebhookError);
  proxy.lead(port);
  const other = stored();
  await eventually(() => inbox.store(other));
  expect((await inbox.health()).waiting).toBe(2);
});

test('closing before the first connection rejects the events that wait, and adds no listener for each', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.off('warning', note));
  const inbox = createInbox({ connection: 'redis://127.0.0.1:1' });
  const storing = Array.from({ length: 50 }, () => inbox.store(stored()));
  const settled = Promise.allSettled(storing);
  await inbox.close();
  for (const result of await settled)
    expect(result).toMatchObject({ reason: { message: expect.stringContaining('closed') } });
  expect(warnings).toEqual([]);
});

test('a Redis without CLIENT LIST has an unknown number of workers', async () => {
  const { url } = await openRedis('--rename-command', 'CLIENT', '');
  const inbox = createInbox({ connection: url });
  expect(await inbox.health()).toMatchObject({ ready: true, waiting: 0, workers: undefined });
});
