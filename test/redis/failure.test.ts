import type { LookupFunction } from 'node:net';
import { createWebhookReceiver, WebhookError } from 'agent-platform-sdk';
import { createRedisDedupe, type RedisClient, type RedisDedupe } from 'agent-platform-sdk/redis';
import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { isTransient } from '../../src/redis/failure.js';
import { createInbox } from '../bullmq/inbox-fixture.js';
import { eventually, stored } from '../inbox/fixture.js';
import { freePort } from '../support/free-port.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { type RedisServer, startRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';
import { type RedisProxy, startProxy } from './proxy.js';

async function start(...args: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(['--save', '', ...args]);
  onTestFinished(() => server.stop());
  return server;
}

/** Starts a Redis with a user `inbox` that lacks these permissions. */
async function startWithUser(...less: readonly string[]): Promise<string> {
  const { url } = await start();
  await openClient(url).acl('SETUSER', 'inbox', 'on', '>the-password', '~*', '&*', '+@all', ...less);
  return url.replace('redis://', 'redis://inbox:the-password@');
}

/** Starts a node of a cluster, alone and without keys. */
async function startNode(): Promise<RedisServer> {
  const bus = String(await freePort());
  return start('--cluster-enabled', 'yes', '--cluster-port', bus, '--cluster-announce-ip', '127.0.0.1');
}

/** Starts a cluster of one node, which has all keys. */
async function startCluster(): Promise<RedisServer> {
  const server = await startNode();
  const admin = openClient(server.url);
  await takeKeys(admin);
  await eventually(async () => expect(await admin.cluster('INFO')).toContain('cluster_state:ok'));
  return server;
}

const takeKeys = (admin: Redis) => admin.cluster('ADDSLOTSRANGE', 0, 16_383);

function openClient(url: string): Redis {
  return disconnecting(new Redis(url));
}

function disconnecting<Client extends RedisClient>(client: Client): Client {
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

function createStore(connection: string | RedisClient): RedisDedupe {
  const store = createRedisDedupe({ connection, keyPrefix: 'crm:', timeout: 15_000 });
  onTestFinished(() => store.close());
  return store;
}

test.each<[string, () => Promise<string>, RegExp]>([
  ['a command that is forbidden', () => startWithUser('-evalsha', '-eval'), /NOPERM .* see its ACL/],
  ['a command of a script that is forbidden', () => startWithUser('-hmset'), /can't run this .* see its ACL/],
  ['keys that are forbidden', () => startWithUser('resetkeys'), /NOPERM .* see its ACL/],
  ['a wrong password', async () => (await startWithUser()).replace('the-', 'a-'), /WRONGPASS .* is wrong\./],
  [
    'a password that is missing',
    async () => (await start('--requirepass', 'secret')).url,
    /NOAUTH .* set it in `connection`\./,
  ],
  [
    'keys on several nodes',
    async () => (await startCluster()).url,
    /CROSSSLOT .* pass a `Cluster` of ioredis/,
  ],
  ['a replica that is missing', async () => (await start('--min-replicas-to-write', '1')).url, /NOREPLICAS/],
  [
    'a command that Redis does not have, without its arguments,',
    async () => (await start('--rename-command', 'EVAL', '', '--rename-command', 'EVALSHA', '')).url,
    /ERR unknown command 'eval(?:sha)?'$/,
  ],
])('%s is named in onError', async (_, address, message) => {
  const inbox = createInbox({ connection: await address(), storeTimeout: 5_000 });
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
  expect(errors).toEqual([expect.any(WebhookError)]);
  expect(String(errors[0])).toMatch(message);
});

test('a claim that a full Redis refuses names the reason', async () => {
  const { url } = await start('--maxmemory', '1');
  const claiming = createStore(url).claim('key', 'owner', 60_000);
  await expect(claiming).rejects.toThrow(/OOM .* see its `maxmemory`/);
});

test('a name with several addresses, none of which responds, is refused with each reason', async () => {
  // Passed on to Node, as the only options of a socket that ioredis passes on.
  const lookup: LookupFunction = (_name, _options, done) =>
    done(
      null,
      ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 })),
    );
  const connection = { host: 'redis.example', port: 1, tls: { lookup } };
  const inbox = createInbox({ connection, storeTimeout: 200 });
  await expect(inbox.store(stored())).rejects.toThrow(/ECONNREFUSED 127\.0\.0\.1:1; .*127\.0\.0\.2:1/);
});

type Step = (admin: Redis) => Promise<unknown>;
const follow: Step = (admin) => admin.replicaof('127.0.0.1', '1');
const lead: Step = (admin) => admin.replicaof('NO', 'ONE');

/** Makes Redis read its keys from the disk, one in a millisecond. */
async function keepLoading(admin: Redis): Promise<void> {
  await admin.call('DEBUG', 'POPULATE', '30000');
  await admin.config('SET', 'key-load-delay', '1000');
  await admin.config('SET', 'loading-process-events-interval-bytes', '1024');
  openClient(`redis://127.0.0.1:${admin.options.port}`)
    .call('DEBUG', 'RELOAD')
    .catch(() => undefined);
  await eventually(() => expect(admin.get('key')).rejects.toThrow('LOADING'));
}

/** Starts a cluster of two nodes. The first one has all keys. */
async function startTwoNodes(): Promise<RedisServer> {
  const [first, second] = [await startCluster(), await startNode()];
  const [admin, other] = [openClient(first.url), openClient(second.url)];
  const [, bus] = /@(\d+)/.exec(String(await other.cluster('NODES'))) ?? [];
  await admin.cluster('MEET', '127.0.0.1', second.port, Number(bus));
  await eventually(async () => expect(await admin.cluster('INFO')).toContain('cluster_known_nodes:2'));
  return first;
}

/**
 * Begins to move the keys of the hash tag `{one}` to another node. Those that are there already stay for now.
 */
async function moveKeys(admin: Redis): Promise<void> {
  const [, id = ''] = /^(\w+) (?!.*myself)/m.exec(String(await admin.cluster('NODES'))) ?? [];
  await admin.cluster('SETSLOT', await slotOfOne(admin), 'MIGRATING', id);
}

const slotOfOne = (admin: Redis) => admin.cluster('KEYSLOT', '{one}');

test.each<[code: string, start: () => Promise<RedisServer>, refuse: Step, accept: Step]>([
  [
    'NOREPLICAS',
    start,
    (admin) => admin.config('SET', 'min-replicas-to-write', '1'),
    (admin) => admin.config('SET', 'min-replicas-to-write', '0'),
  ],
  ['READONLY', start, follow, lead],
  [
    'TRYAGAIN',
    startTwoNodes,
    moveKeys,
    async (admin) => admin.cluster('SETSLOT', await slotOfOne(admin), 'STABLE'),
  ],
])(
  'what Redis refuses with %s is repeated until Redis takes it',
  async (code, startServer, refuse, accept) => {
    const { url } = await startServer();
    const admin = openClient(url);
    const inbox = createInbox({ connection: url, prefix: '{one}' });
    const store = createStore(url);
    await inbox.store(stored());
    await store.claim('before', 'owner', 60_000);
    await refuse(admin);
    const [storing, claiming] = [inbox.store(stored()), store.claim('after', 'owner', 60_000)];
    // Both have tried by then.
    expect(await inbox.health()).toMatchObject({ ready: false });
    await accept(admin);
    await storing;
    expect(await claiming).toBe('new');
    expect(await admin.info('errorstats')).toContain(`errorstat_${code}:`);
  },
);

test.each<[message: string, passes: boolean]>([
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
  ['MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist to disk.', true],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', true],
  ['LOADING Redis is loading the dataset in memory', true],
  ['CLUSTERDOWN Hash slot not served', true],
  ['UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)', true],
  [
    'ERR Error running script (call to f_1): @user_script:1: -READONLY You can not write against a replica.',
    true,
  ],
  ['NOPERM this user has no permissions', false],
  ['ERR unknown command', false],
])('what Redis refuses with "%s" may pass: %s', (message, passes) => {
  expect(isTransient(Object.assign(new Error(message), { name: 'ReplyError' }))).toBe(passes);
});

test('an event is stored soon after Redis has read its files, whatever it had expected that to take', async () => {
  const { url } = await start('--enable-debug-command', 'yes');
  const admin = openClient(url);
  await keepLoading(admin);
  await eventually(async () =>
    expect(await admin.info('persistence')).toMatch(/loading_eta_seconds:[1-9]\d/),
  );
  // Less than the ten seconds for which ioredis waits by default.
  const storing = createInbox({ connection: url, storeTimeout: 8_000 }).store(stored());
  // Beside the client that reloads, and this one.
  await eventually(async () =>
    expect(await admin.client('LIST')).toMatch(/^id=\d+ (?!.*cmd=client).* cmd=info/m),
  );
  await admin.config('SET', 'key-load-delay', '0');
  await expect(storing).resolves.toBeUndefined();
});

interface Settings {
  readonly retryStrategy?: () => null;
  readonly maxRetriesPerRequest?: number;
  readonly commandTimeout?: number;
}

test.each<[message: string, options: Settings, fail: (proxy: RedisProxy, client: Redis) => unknown]>([
  [
    'Connection is closed.',
    { retryStrategy: () => null },
    async (proxy, client) => {
      const ended = new Promise((resolve) => client.once('end', resolve));
      proxy.cut();
      await ended;
      proxy.release();
      await client.connect();
    },
  ],
  ['Reached the max retries per request limit', { maxRetriesPerRequest: 0 }, (proxy) => proxy.cut()],
  ['Command timed out', { commandTimeout: 100 }, () => undefined],
])(
  'an event whose command ends with "%s" is stored, also while the queue is opened',
  async (message, options, fail) => {
    const proxy = await startProxy((await start()).port);
    const client = disconnecting(new Redis(proxy.port, options));
    await client.ping();
    const inbox = createInbox({ connection: client });
    for (let events = 1; events <= 2; events += 1) {
      proxy.hold();
      const storing = inbox.store(stored());
      // Sent behind the command of the event, and rejected as that is.
      await Promise.all([expect(client.ping()).rejects.toThrow(message), fail(proxy, client)]);
      proxy.release();
      await storing;
      expect(await inbox.health()).toMatchObject({ waiting: events });
    }
  },
);

test('a claim is made once a cluster is there, after its client had given up: "None of startup nodes"', async () => {
  const server = await startCluster();
  const proxy = await startProxy(1);
  const options = { clusterRetryStrategy: () => null, lazyConnect: true };
  const cluster = disconnecting(new Cluster([{ host: '127.0.0.1', port: proxy.port }], options));
  const claiming = createStore(cluster).claim('key', 'owner', 60_000);
  await expect(cluster.ping()).rejects.toThrow('None of startup nodes is available');
  proxy.lead(server.port);
  await cluster.connect();
  expect(await claiming).toBe('new');
});

test('a claim is made once a cluster has its keys again: "Too many Cluster redirections"', async () => {
  const server = await startCluster();
  const admin = openClient(server.url);
  const cluster = disconnecting(
    new Cluster([{ host: '127.0.0.1', port: server.port }], { maxRedirections: 1 }),
  );
  await cluster.ping();
  await admin.cluster('DELSLOTS', 0);
  const claiming = createStore(cluster).claim('key', 'owner', 60_000);
  await expect(cluster.get('key')).rejects.toThrow('Too many Cluster redirections');
  await admin.cluster('ADDSLOTS', 0);
  expect(await claiming).toBe('new');
});
