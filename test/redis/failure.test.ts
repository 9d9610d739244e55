import type { LookupFunction } from 'node:net';
import { createWebhookReceiver, WebhookError } from 'agent-platform-sdk';
import type { Redis, RedisOptions } from 'ioredis';
import { expect, test } from 'vitest';
import { isTransient } from '../../src/redis/failure.js';
import { createInbox, userWithout } from '../bullmq/inbox-fixture.js';
import { eventually, stored } from '../inbox/fixture.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { openRedis } from '../support/redis-server.js';
import { post, secret } from '../webhooks/deliveries.js';
import { type RedisProxy, startProxy } from './proxy.js';
import { openClient, openStore } from './servers.js';

const urlOf = async (...args: readonly string[]) => (await openRedis(...args)).url;

test.each<[string, () => Promise<string>, RegExp]>([
  ['a command that is forbidden', () => userWithout('-evalsha', '-eval'), /NOPERM .* see its ACL/],
  ['a command of a script that is forbidden', () => userWithout('-hmset'), /can't run this .* see its ACL/],
  ['keys that are forbidden', () => userWithout('resetkeys'), /NOPERM .* see its ACL/],
  ['INFO that is forbidden', () => userWithout('-info'), /NOPERM.*\+info/],
  [
    'a wrong password',
    async () => (await userWithout()).replace(':password', ':wrong'),
    /WRONGPASS .* is wrong\./,
  ],
  [
    'a password that is missing',
    () => urlOf('--requirepass', 'secret'),
    /NOAUTH .* set it in `connection`\./,
  ],
  ['a replica that is missing', () => urlOf('--min-replicas-to-write', '1'), /NOREPLICAS/],
  [
    'a command that Redis does not have, without its arguments,',
    () => urlOf('--rename-command', 'EVAL', '', '--rename-command', 'EVALSHA', ''),
    /ERR unknown command 'eval(?:sha)?'$/,
  ],
  ['a Redis that is not there', async () => 'redis://127.0.0.1:1', /could not be stored.*ECONNREFUSED/],
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
  const claiming = openStore({ connection: await urlOf('--maxmemory', '1') }).claim('key', 'owner', 60_000);
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
  const inbox = createInbox({ connection, storeTimeout: 5_000 });
  await expect(inbox.store(stored())).rejects.toThrow(/ECONNREFUSED 127\.0\.0\.1:1; .*127\.0\.0\.2:1/);
});

type Step = (admin: Redis) => Promise<unknown>;

test.each<[code: string, refuse: Step, accept: Step]>([
  [
    'NOREPLICAS',
    (admin) => admin.config('SET', 'min-replicas-to-write', '1'),
    (admin) => admin.config('SET', 'min-replicas-to-write', '0'),
  ],
  ['READONLY', (admin) => admin.replicaof('127.0.0.1', '1'), (admin) => admin.replicaof('NO', 'ONE')],
])('what Redis refuses with %s is repeated until Redis takes it', async (code, refuse, accept) => {
  const url = await urlOf();
  const admin = openClient(url);
  const [inbox, store] = [createInbox({ connection: url }), openStore({ connection: url })];
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
});

test('what a replica refused until its time was over is not done once it takes writes', async () => {
  const url = await urlOf();
  const admin = openClient(url);
  const [inbox, store] = [
    createInbox({ connection: url, storeTimeout: 5_000 }),
    openStore({ connection: url, timeout: 5_000 }),
  ];
  await inbox.store(stored());
  await store.claim('before', 'owner', 60_000);
  await admin.replicaof('127.0.0.1', '1');
  const refused = [inbox.store(stored()), store.claim('refused', 'owner', 60_000)];
  for (const one of await Promise.allSettled(refused)) expect(one.status).toBe('rejected');
  await admin.replicaof('NO', 'ONE');
  // Behind whatever is sent again.
  expect(await store.claim('after', 'owner', 60_000)).toBe('new');
  expect(await inbox.health()).toMatchObject({ waiting: 1 });
  expect((await admin.keys('crm:*')).sort()).toEqual(['crm:after', 'crm:before']);
});

test.each<[message: string, passes: boolean]>([
  ["MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.", true],
  ['MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist to disk.', true],
  ['BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.', true],
  ['LOADING Redis is loading the dataset in memory', true],
  ['CLUSTERDOWN Hash slot not served', true],
  ['TRYAGAIN Multiple keys request during rehashing of slot', true],
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
  const url = await urlOf('--enable-debug-command', 'yes');
  const admin = openClient(url);
  // It reads one key in a millisecond.
  await admin.call('DEBUG', 'POPULATE', '30000');
  await admin.config('SET', 'key-load-delay', '1000', 'loading-process-events-interval-bytes', '1024');
  openClient(url)
    .call('DEBUG', 'RELOAD')
    .catch(() => undefined);
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

test.each<[message: string, options: RedisOptions, fail: (proxy: RedisProxy, client: Redis) => unknown]>([
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
  ['Command timed out', { commandTimeout: 5_000 }, () => undefined],
])(
  'an event whose command ends with "%s" is stored, also while the queue is opened',
  async (message, options, fail) => {
    const proxy = await startProxy((await openRedis()).port);
    const client = openClient(proxy.url, options);
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
