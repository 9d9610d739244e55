import { createWebhookReceiver, WebhookError } from 'agent-platform-sdk';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { createInbox, eventually, stored } from '../bullmq/inbox-fixture.js';
import { freePort } from '../support/free-port.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { startRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';
import { startWay } from './lagging.js';

/** A Redis with a user `inbox`, who may do everything but what is taken away. */
async function startWithUser(...less: readonly string[]): Promise<string> {
  const server = await startRedis();
  onTestFinished(() => server.stop());
  const admin = new Redis(server.url);
  await admin.acl('SETUSER', 'inbox', 'on', '>the-password', '~*', '&*', '+@all', ...less);
  await admin.quit();
  return `redis://inbox:the-password@127.0.0.1:${server.port}`;
}

async function startWith(...args: readonly string[]): Promise<string> {
  const server = await startRedis(['--save', '', ...args]);
  onTestFinished(() => server.stop());
  return server.url;
}

/** A cluster of one node, which has all keys. */
async function startCluster(): Promise<string> {
  const url = await startWith('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
  await takeKeys(url);
  return url;
}

async function takeKeys(url: string): Promise<void> {
  const admin = new Redis(url);
  await admin.cluster('ADDSLOTSRANGE', 0, 16_383);
  await admin.quit();
}

test.each<[string, () => Promise<string>, RegExp]>([
  ['a command that is forbidden', () => startWithUser('-evalsha', '-eval'), /NOPERM .* see its ACL/],
  ['a command of a script that is forbidden', () => startWithUser('-hmset'), /can't run this .* see its ACL/],
  ['keys that are forbidden', () => startWithUser('resetkeys'), /NOPERM .* see its ACL/],
  ['a wrong password', async () => (await startWithUser()).replace('the-', 'a-'), /WRONGPASS .* is wrong\./],
  [
    'a password that is missing',
    () => startWith('--requirepass', 'secret'),
    /NOAUTH .* set it in `connection`\./,
  ],
  ['keys on several nodes', startCluster, /CROSSSLOT .* pass a `Cluster` of ioredis/],
  ['a replica that is missing', () => startWith('--min-replicas-to-write', '1'), /NOREPLICAS/],
])('%s is named in onError', async (_, start, message) => {
  const inbox = createInbox({ connection: await start(), storeTimeout: 1_000 });
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
  expect(errors).toEqual([expect.any(WebhookError)]);
  expect(String(errors[0])).toMatch(message);
});

test('an event waits for a cluster that has no node for it at present', async () => {
  const connection = await startWith('--cluster-enabled', 'yes', '--cluster-port', String(await freePort()));
  const inbox = createInbox({ connection, prefix: '{one}' });
  const storing = inbox.store(stored());
  // It has tried by then.
  expect(await inbox.health()).toMatchObject({ ready: false });
  await takeKeys(connection);
  await storing;
});

type Step = (admin: Redis) => Promise<unknown>;
const follow: Step = (admin) => admin.replicaof('127.0.0.1', '1');
const lead: Step = (admin) => admin.replicaof('NO', 'ONE');

test.each<[code: string, refuse: Step, accept: Step]>([
  [
    'NOREPLICAS',
    (admin) => admin.config('SET', 'min-replicas-to-write', '1'),
    (admin) => admin.config('SET', 'min-replicas-to-write', '0'),
  ],
  ['READONLY', follow, lead],
  [
    'MASTERDOWN',
    async (admin) => {
      await admin.config('SET', 'replica-serve-stale-data', 'no');
      await follow(admin);
    },
    lead,
  ],
  [
    'BUSY',
    async (admin) => {
      await admin.config('SET', 'busy-reply-threshold', '1');
      const blocked = admin.duplicate();
      onTestFinished(() => blocked.disconnect());
      blocked.eval('while true do end', 0).catch(() => undefined);
      await eventually(() => expect(admin.ping()).rejects.toThrow('BUSY'));
    },
    (admin) => admin.script('KILL'),
  ],
])('an event that Redis refuses with %s waits until it is taken', async (code, refuse, accept) => {
  const connection = await startWith();
  const admin = new Redis(connection);
  onTestFinished(() => admin.disconnect());
  const inbox = createInbox({ connection });
  await inbox.store(stored());
  await refuse(admin);
  const storing = inbox.store(stored());
  // It has tried by then.
  expect(await inbox.health()).toMatchObject({ ready: false });
  await accept(admin);
  await storing;
  expect(await admin.info('errorstats')).toContain(`errorstat_${code}:`);
});

test('an event that a client has waited too long for is stored when Redis answers again', async () => {
  const way = await startWay(Number(new URL(await startWith()).port));
  const client = new Redis(way.port, { commandTimeout: 100 });
  onTestFinished(() => client.disconnect());
  const inbox = createInbox({ connection: client });
  await inbox.store(stored());
  way.hold();
  const storing = inbox.store(stored());
  // Those of the event were sent before these.
  for (let pings = 0; pings < 3; pings += 1) await expect(client.ping()).rejects.toThrow('timed out');
  way.release();
  await storing;
});
