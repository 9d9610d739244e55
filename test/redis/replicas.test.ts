import { createWebhookReceiver } from 'agent-platform-sdk';
import { InboxReplicasError } from 'agent-platform-sdk/bullmq';
import { expect, test } from 'vitest';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { openRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';
import { makePrimary, makeReplica, openClient, startPair } from './servers.js';

/** Starts a Redis and its replica. Returns the address of the Redis too, and a client of each. */
async function start() {
  const pair = await startPair();
  const { url } = pair.primary;
  return { ...pair, url, client: openClient(url), onReplica: openClient(pair.replica.url) };
}

const jobOf = (key: string) => `bull:agent-platform-webhooks:${key}`;

test('an event that does not reach its replicas in time gets a 500 and an InboxReplicasError', async () => {
  const { url, copying } = await start();
  const inbox = createInbox({ connection: url, replicas: 1, storeTimeout: 5_000 });
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
  const { url, client } = await start();
  const wanting = createInbox({ connection: url, replicas: 2, storeTimeout: 5_000 });
  await expect(wanting.store(stored())).rejects.toMatchObject({ name: 'InboxReplicasError', wanted: 2 });
  const probe = jobOf('write-probe');
  for (const replicas of [0, 1]) {
    await client.del(probe);
    await createInbox({ connection: url, replicas }).health();
    const left = await client.pttl(probe);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(60_000);
  }
});

test('a refused write that waits for replicas has the message of Redis', async () => {
  const { replica } = await start();
  expect(await createInbox({ connection: replica.url, replicas: 1 }).health()).toMatchObject({
    ready: false,
    warnings: { refused: expect.stringContaining('No event can be stored: READONLY') },
  });
});

test('an event is not acknowledged because its connection was cut while it waited for a replica', async () => {
  const { address, client, onReplica, copying } = await start();
  const inbox = createInbox({ connection: address.url, replicas: 1 });
  await inbox.store(stored());
  copying.hold();
  let isStored = false;
  const webhook = stored();
  const storing = inbox.store(webhook).then(() => (isStored = true));
  await eventually(async () => expect(await client.exists(jobOf(webhook.key))).toBe(1));
  for (let cuts = 0; cuts < 5; cuts += 1) {
    const { made } = address;
    address.cut();
    await eventually(() => expect(address.made).toBeGreaterThan(made));
    // On a new connection, `WAIT` alone would return at once.
    await eventually(async () => expect((await inbox.health()).waiting).toBe(2));
    expect(isStored).toBe(false);
  }
  copying.release();
  await storing;
  expect(await onReplica.exists(jobOf(webhook.key))).toBe(1);
});

test('events that waited for a replica when a failover came are stored again where it went', async () => {
  const { address, copying, primary, replica, client, onReplica } = await start();
  // A replica of the replica, which has what the replica has, and confirms writes when that has taken over.
  await makeReplica(await openRedis(), replica.port);
  await eventually(async () => expect(await onReplica.info('replication')).toContain('state=online'));
  const inbox = createInbox({ connection: address.url, replicas: 1 });
  await inbox.store(stored());
  copying.hold();
  const jobs: string[] = [];
  const storing: Promise<unknown>[] = [];
  // Redis waits for the replica on behalf of the first. The `WAIT` for the second comes behind that.
  for (const webhook of [stored(), stored()]) {
    jobs.push(jobOf(webhook.key));
    storing.push(inbox.store(webhook));
    await eventually(async () => expect(await client.exists(...jobs)).toBe(jobs.length));
  }
  address.lead(replica.port);
  await primary.stop();
  expect(await onReplica.exists(...jobs)).toBe(0);
  await makePrimary(replica);
  await Promise.all(storing);
  expect(await onReplica.exists(...jobs)).toBe(2);
});

test('health and log warn of replicas that are not waited for', async () => {
  const { url } = await start();
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: url, logger });
  await inbox.store(stored());
  const warning = expect.stringContaining('replicas are connected, but the inbox waits for none');
  expect(logger.lines).toContainEqual(warning);
  expect((await inbox.health()).warnings.replicas).toEqual(warning);
  const waiting = createInbox({ connection: url, replicas: 1 });
  expect((await waiting.health()).warnings.replicas).toBeUndefined();
});

test('the connection of a client that is passed in is not blocked by waiting for replicas', async () => {
  const { copying, client } = await start();
  const connections = async () =>
    String(await client.client('LIST', 'TYPE', 'NORMAL'))
      .trim()
      .split('\n');
  const before = await connections();
  const inbox = createInbox({ connection: client, replicas: 1, storeTimeout: 5_000 });
  copying.hold();
  const storing = inbox.store(stored());
  // The client responds while another connection waits.
  await eventually(async () => expect((await connections()).join()).toMatch(/ cmd=wait /));
  await expect(storing).rejects.toThrow(InboxReplicasError);
  // That one is closed with the inbox, and the client is not.
  await inbox.close();
  await eventually(async () => expect(await connections()).toHaveLength(before.length));
});
