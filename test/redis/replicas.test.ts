import { createWebhookReceiver } from 'agent-platform-sdk';
import { type BullMQInboxOptions, InboxReplicasError } from 'agent-platform-sdk/bullmq';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { post, secret } from '../webhooks/deliveries.js';
import { startProxy } from './proxy.js';
import { makePrimary, makeReplica, startLagging, startReplicated, untilReplicas } from './replicated.js';

function openClient(url: string): Redis {
  const client = new Redis(url);
  // Its Redis may be killed first.
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

/** Stores `count` events at once. Returns the keys of those that were acknowledged. */
async function storeMany(options: Partial<BullMQInboxOptions>, count: number): Promise<string[]> {
  const inbox = createInbox(options);
  const keys: string[] = [];
  const one = async () => {
    const webhook = stored();
    await inbox.store(webhook);
    keys.push(webhook.key);
  };
  await Promise.allSettled(Array.from({ length: count }, one));
  return keys;
}

/** Counts the events that a Redis does not have. */
async function missing(url: string, keys: readonly string[]): Promise<number> {
  const jobs = keys.map((key) => `bull:agent-platform-webhooks:${key}`);
  return jobs.length - (jobs.length === 0 ? 0 : await openClient(url).exists(...jobs));
}

test.each([
  { replicas: 1, acknowledged: 0, lost: 0 },
  // Redis responds before it replicates.
  { replicas: 0, acknowledged: 500, lost: 500 },
])(
  'with replicas: $replicas, a lagging replica that takes over lacks $lost of $acknowledged',
  async (expected) => {
    const { url, replicaUrl, copying, failOver } = await startLagging();
    const options = { connection: url, replicas: expected.replicas, storeTimeout: 5_000 };
    const before = await storeMany({ ...options, replicas: 1 }, 500);
    expect(before).toHaveLength(500);
    copying.hold();
    const during = await storeMany(options, 500);
    expect(during).toHaveLength(expected.acknowledged);
    await failOver();
    expect(await missing(replicaUrl, before)).toBe(0);
    expect(await missing(replicaUrl, during)).toBe(expected.lost);
  },
);

test('an event that does not reach its replicas in time gets a 500 and an InboxReplicasError', async () => {
  const { url, copying } = await startLagging();
  const inbox = createInbox({ connection: url, replicas: 1, storeTimeout: 3_000 });
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  expect((await receiver.handle(post('lead_captured'))).status).toBe(200);
  copying.hold();
  expect((await receiver.handle(post('form_submitted'))).status).toBe(500);
  expect(errors).toEqual([expect.any(InboxReplicasError)]);
  expect(errors[0]).toMatchObject({ reached: 0, wanted: 1, type: 'inbox_replicas_error', retryable: true });
  // Neither is it ready in the meantime, nor is another one, which has written nothing yet.
  for (const one of [inbox, createInbox({ connection: url, replicas: 1 })]) {
    expect(await one.health()).toMatchObject({
      ready: false,
      warnings: { refused: expect.stringContaining('0 of 1 replicas') },
    });
  }
  copying.release();
  await eventually(async () => expect(await inbox.health()).toMatchObject({ ready: true }));
});

test('an event waits for the required number of replicas, and the probe key expires', async () => {
  const { url } = await startLagging();
  await expect(
    createInbox({ connection: url, replicas: 2, storeTimeout: 3_000 }).store(stored()),
  ).rejects.toThrow(/[01] of 2 replicas/);
  const probe = 'bull:agent-platform-webhooks:write-probe';
  for (const replicas of [0, 1]) {
    await createInbox({ connection: url, replicas }).health();
    const left = await openClient(url).pttl(probe);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
    await openClient(url).del(probe);
  }
});

test('a refused write that waits for replicas has the message of Redis', async () => {
  const { replicaUrl } = await startLagging();
  expect(await createInbox({ connection: replicaUrl, replicas: 1 }).health()).toMatchObject({
    ready: false,
    warnings: { refused: expect.stringContaining('No event can be stored: READONLY') },
  });
});

test('an event whose Redis becomes a replica while it waits for one is stored once Redis takes writes again', async () => {
  const { url, copying } = await startLagging();
  const inbox = createInbox({ connection: url, replicas: 1 });
  copying.hold();
  const storing = inbox.store(stored());
  const client = openClient(url);
  await eventually(async () => expect(await client.client('LIST')).toMatch(/ cmd=wait /));
  await makeReplica(url, 1);
  expect(await client.info('errorstats')).toContain('errorstat_UNBLOCKED:');
  await makePrimary(url);
  copying.release();
  await storing;
});

test('an event is not acknowledged because its connection was cut while it waited for a replica', async () => {
  const { port, url, replicaUrl, copying } = await startLagging();
  const proxy = await startProxy(port);
  const connection = proxy.url;
  const inbox = createInbox({ connection, replicas: 1, storeTimeout: 20_000 });
  await inbox.store(stored());
  copying.hold();
  let isStored = false;
  const webhook = stored();
  const storing = (async () => {
    await inbox.store(webhook);
    isStored = true;
  })();
  const client = openClient(url);
  await eventually(async () =>
    expect(await client.exists(`bull:agent-platform-webhooks:${webhook.key}`)).toBe(1),
  );
  for (let cuts = 0; cuts < 5; cuts += 1) {
    const { made } = proxy;
    proxy.cut();
    await eventually(() => expect(proxy.made).toBeGreaterThan(made));
    // On a new connection, `WAIT` alone would return at once.
    await eventually(async () => expect((await inbox.health()).waiting).toBe(2));
    expect(isStored).toBe(false);
  }
  copying.release();
  await storing;
  expect(await missing(replicaUrl, [webhook.key])).toBe(0);
});

test('events that waited for a replica when a failover came are stored again where it went', async () => {
  const { port, url, replicaUrl, copying, failOver } = await startLagging();
  // A replica of the replica, which has what the replica has, and confirms writes when that has taken over.
  const next = await startReplicated();
  await makeReplica(next.url, Number(new URL(replicaUrl).port));
  await untilReplicas(url, 1);
  const proxy = await startProxy(port);
  const inbox = createInbox({ connection: proxy.url, replicas: 1 });
  await inbox.store(stored());
  copying.hold();
  const keys: string[] = [];
  const storing: Promise<unknown>[] = [];
  // Redis waits for the replica on behalf of the first. The `WAIT` for the second comes behind that.
  for (const webhook of [stored(), stored()]) {
    keys.push(webhook.key);
    storing.push(inbox.store(webhook));
    await eventually(async () => expect(await missing(url, keys)).toBe(0));
  }
  proxy.lead(Number(new URL(replicaUrl).port));
  await failOver();
  await Promise.all(storing);
  expect(await missing(replicaUrl, keys)).toBe(0);
});

test('health and log warn of replicas that are not waited for', async () => {
  const { url, port } = await startLagging();
  const second = await startReplicated();
  await makeReplica(second.url, port);
  await untilReplicas(url, 2);
  const logger = new RecordingLogger();
  const warning = expect.stringContaining(
    '2 replicas are connected, but the inbox waits for none: a failover loses the newest events. Set the option replicas.',
  );
  const inbox = createInbox({ connection: url, logger });
  await inbox.store(stored());
  expect(logger.lines).toContainEqual(warning);
  expect((await inbox.health()).warnings.replicas).toEqual(warning);
  const waiting = createInbox({ connection: url, replicas: 1 });
  expect((await waiting.health()).warnings.replicas).toBeUndefined();
});

test('the connection of a client that is passed in is not blocked by waiting for replicas', async () => {
  const { url, copying } = await startLagging();
  const client = openClient(url);
  const inbox = createInbox({ connection: client, replicas: 1, storeTimeout: 2_000 });
  copying.hold();
  const storing = inbox.store(stored());
  const commands: unknown[] = [];
  await eventually(async () => {
    commands.push(await client.client('LIST'));
    expect(commands.at(-1)).toMatch(/ cmd=wait /);
  });
  // The client responded while another connection waits.
  await expect(storing).rejects.toThrow(InboxReplicasError);
  // That one is closed with the inbox, and the client is not.
  await inbox.close();
  await eventually(async () =>
    expect(
      String(await client.client('LIST', 'TYPE', 'NORMAL'))
        .trim()
        .split('\n'),
    ).toHaveLength(1),
  );
});
