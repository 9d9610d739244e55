import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { inspect } from 'node:util';
import { createWebhookReceiver, WebhookError } from 'agent-platform-sdk';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { passwordsOf } from '../../src/redis/connection.js';
import { redisFailure } from '../../src/redis/failure.js';
import { createInbox, eventually, stored } from '../bullmq/inbox-fixture.js';
import { deferred } from '../support/deferred.js';
import { freePort } from '../support/free-port.js';
import { listenOnLoopback } from '../support/loopback.js';
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

/** Cannot write its snapshot, where a folder has its name, and takes no writes since then. */
async function startWithoutDisk(): Promise<string> {
  const url = await startWith('--save', '3600 1');
  const admin = new Redis(url);
  const [, directory] = (await admin.config('GET', 'dir')) as [string, string];
  mkdirSync(join(directory, 'dump.rdb'));
  await admin.bgsave();
  await eventually(async () =>
    expect(await admin.info('persistence')).toContain('rdb_last_bgsave_status:err'),
  );
  await admin.quit();
  return url;
}

/** Shakes hands with nobody: it has no certificate. */
async function startWithoutCertificate(): Promise<string> {
  const server = createServer();
  onTestFinished(() => void server.close());
  return `rediss://127.0.0.1:${await listenOnLoopback(server)}`;
}

test.each<[string, () => Promise<string>, RegExp]>([
  ['a command that is forbidden', () => startWithUser('-evalsha', '-eval'), /NOPERM .* see its ACL\./],
  [
    'a command of a script that is forbidden',
    () => startWithUser('-hmset'),
    /can't run this .* see its ACL\./,
  ],
  ['keys that are forbidden', () => startWithUser('resetkeys'), /NOPERM .* see its ACL\./],
  ['a wrong password', async () => (await startWithUser()).replace('the-', 'a-'), /WRONGPASS .* is wrong\./],
  [
    'a password that is missing',
    () => startWith('--requirepass', 'secret'),
    /NOAUTH .* set it in `connection`\./,
  ],
  ['keys on several nodes', startCluster, /CROSSSLOT .* pass a `Cluster` of ioredis/],
  ['TLS that fails', startWithoutCertificate, /TLS failed: see `tls` of `connection`/],
  [
    'a replica that is missing',
    () => startWith('--min-replicas-to-write', '1'),
    /NOREPLICAS .* `min-replicas-to-write`/,
  ],
  ['a disk that cannot be written', startWithoutDisk, /MISCONF .* cannot write to its disk\./],
])('%s is named in onError', async (_, start, message) => {
  const inbox = createInbox({ connection: await start(), storeTimeout: 1_000 });
  const receiver = createWebhookReceiver({ secret, inbox, logger: new RecordingLogger() });
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  expect((await receiver.handle(post('lead_captured'))).status).toBe(500);
  expect(errors).toEqual([expect.any(WebhookError)]);
  expect(String(errors[0])).toMatch(message);
});

test.each([
  [
    "ERR unknown command 'EVALSHA', with args beginning with: 'canary' '{\"leadName\":\"canary\"}' ",
    'evalsha',
  ],
  ['ERR unknown command `EVALSHA`, with args beginning with: `a`, `line\ncanary`, ', 'evalsha'],
  ["ERR unknown subcommand 'X' with args beginning with: 'canary'", 'subcommand'],
])('what Redis repeats of the arguments of a command is not shown: %s', (message, shown) => {
  const thrown = Object.assign(new Error(message), { command: { name: 'evalsha', args: ['canary'] } });
  const { cause, ...error } = redisFailure('It failed', thrown, []);
  const { message: said } = redisFailure('It failed', thrown, []);
  expect(inspect([cause, error, said], { showHidden: true })).not.toContain('canary');
  expect(said.toLowerCase()).toContain(shown);
});

test.each([
  'redis://:canary%21@127.0.0.1',
  'redis://127.0.0.1?password=canary!',
  { password: 'canary!' },
  { sentinels: [{ host: '127.0.0.1' }], name: 'one', sentinelPassword: 'canary!' },
])('no password of %j is shown where Redis repeats it', (connection) => {
  const thrown = new Error('ERR no such user: canary!');
  expect(redisFailure('It failed', thrown, passwordsOf(connection)).message).not.toContain('canary');
});

test('nor is the password as it stands in a URL', () => {
  const connection = 'redis://:canary%21@127.0.0.1';
  const { message } = redisFailure('It failed', new Error(`no ${connection}`), passwordsOf(connection));
  expect(message).toContain('[redacted]');
  expect(message).not.toContain('canary');
});

test('the name of a reply is the code of the error', async () => {
  const codes: unknown[] = [];
  const connection = (await startWithUser()).replace('the-', 'a-');
  const hooks = { onRedisError: (error: NodeJS.ErrnoException) => codes.push(error.code) };
  const inbox = createInbox({ connection, storeTimeout: 1_000, hooks });
  await expect(inbox.store(stored())).rejects.toMatchObject({ cause: { code: 'WRONGPASS' } });
  expect(codes).toContain('WRONGPASS');
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

test('a user who may not run INFO stores events, and is warned once', async () => {
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: await startWithUser('-info'), queueName: 'webhooks', logger });
  await inbox.store(stored());
  await inbox.store(stored());
  const health = await inbox.health();
  expect(health).toMatchObject({ ready: true, waiting: 2, memoryUsed: undefined });
  expect(health.warnings).toEqual([
    'The user of Redis may not run INFO: memory, disk and replicas cannot be watched. Allow it: +info.',
  ]);
  expect(logger.lines).toEqual([expect.stringContaining('may not run INFO')]);
});

test('a Redis that takes no writes is logged once, however many commands it refuses', async () => {
  const url = await startWith();
  const admin = new Redis(url);
  onTestFinished(() => admin.disconnect());
  const logger = new RecordingLogger();
  const inbox = createInbox({ connection: url, storeTimeout: 1_000, logger });
  await inbox.store(stored());
  await admin.replicaof('127.0.0.1', '1');
  // The write of `health` and the scripts of BullMQ are refused in different words.
  await Promise.allSettled([inbox.health(), inbox.store(stored()), inbox.store(stored())]);
  await admin.replicaof('NO', 'ONE');
  await eventually(async () => expect(await inbox.health()).toMatchObject({ ready: true }));
  const lines = logger.lines.filter((line) => /Redis (?:failed|is back)/.test(line));
  expect(lines).toEqual([expect.stringContaining('READONLY'), expect.stringContaining('Redis is back')]);
});

const FULL = 'Redis is full: see its `maxmemory`.';
const CLUSTER = 'This Redis is a cluster: pass a `Cluster` of ioredis as `connection`.';
const FORBIDDEN = 'The user of Redis lacks a permission: see its ACL.';
const digest = 'a'.repeat(40);

test.each<[said: string, code: string | undefined, told: string]>([
  ['NOPERM no', 'NOPERM', `NOPERM no. ${FORBIDDEN}`],
  ['WRONGPASS no', 'WRONGPASS', 'WRONGPASS no. The user name or the password of `connection` is wrong.'],
  ['NOAUTH no.', 'NOAUTH', 'NOAUTH no. Redis wants a password: set it in `connection`.'],
  ['CROSSSLOT no', 'CROSSSLOT', `CROSSSLOT no. ${CLUSTER}`],
  ['MOVED 1 host:1', 'MOVED', `MOVED 1 host:1. ${CLUSTER}`],
  [
    'CLUSTERDOWN no . ',
    'CLUSTERDOWN',
    'CLUSTERDOWN no. The Redis cluster has no node for these keys at present.',
  ],
  ["OOM used memory > 'maxmemory'.", 'OOM', `OOM used memory > 'maxmemory'. ${FULL}`],
  ['MISCONF no', 'MISCONF', 'MISCONF no. Redis cannot write to its disk.'],
  [
    'NOREPLICAS no',
    'NOREPLICAS',
    'NOREPLICAS no. Fewer replicas are connected than `min-replicas-to-write` asks for.',
  ],
  // Of a script.
  [`NOPERM no script: ${digest}, on @user_script:12.`, 'NOPERM', `NOPERM no. ${FORBIDDEN}`],
  [`READONLY no script: ${digest}, on @user_script:12`, 'READONLY', 'READONLY no'],
  [
    "ERR The user executing the script can't",
    'NOPERM',
    `ERR The user executing the script can't. ${FORBIDDEN}`,
  ],
  ...['a non local key in a cluster node', 'keys that do not hash to the same slot'].map(
    (which): [string, string, string] => {
      const said = `ERR Script attempted to access ${which}`;
      return [said, 'CROSSSLOT', `${said}. ${CLUSTER}`];
    },
  ),
  // Before Redis 7, of a script.
  [
    'ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed',
    'OOM',
    `ERR Error running script (call to f_1): @user_script:1: -OOM command not allowed. ${FULL}`,
  ],
  // Of nothing that setting up mends.
  ['READONLY no.', 'READONLY', 'READONLY no.'],
  ['ERR no.', undefined, 'ERR no.'],
  ['ERR no: NOPERM it is not', undefined, 'ERR no: NOPERM it is not'],
  [
    'ERR no, ERR Script attempted to access a non local key',
    undefined,
    'ERR no, ERR Script attempted to access a non local key',
  ],
  ['no NOPERM', undefined, 'no NOPERM'],
  ['constructor no', undefined, 'constructor no'],
])('what Redis says is told with its code, and with advice where there is some: %s', (said, code, told) => {
  // Most addresses have no password: an empty one is none to be masked.
  const { message, cause } = redisFailure('It failed', new Error(said), passwordsOf('redis://localhost'));
  expect(message).toBe(`It failed: ${told}`);
  if (code === undefined) expect(cause).not.toHaveProperty('code');
  else expect(cause).toHaveProperty('code', code);
});

test('what is thrown and no error is told by its type alone, and a WebhookError as it is', () => {
  const { message, cause } = redisFailure('It failed', 'canary', []);
  expect([message, String(cause)]).toEqual(['It failed: string', 'Error: string']);
  const own = new WebhookError('no');
  expect(redisFailure('It failed', own, [])).toBe(own);
});

test.each([
  'EPROTO',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SUBJECT_ISSUER_MISMATCH',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_SSL_WRONG_VERSION_NUMBER',
])('TLS that fails with %s is told with advice, on one line', (code) => {
  const { message } = redisFailure('It failed', Object.assign(new Error('no\nline'), { code }), []);
  expect(message).toBe(
    'It failed: no\\nline. TLS failed: see `tls` of `connection`, and the certificate of Redis.',
  );
});

test.each(['ECONNREFUSED', 'XEPROTO', 'EPROTON', 'toString'])(
  'a failure with the code %s is not taken for one of TLS',
  (code) => {
    const { message } = redisFailure('It failed', Object.assign(new Error('no'), { code }), []);
    expect(message).toBe('It failed: no');
  },
);

test('where nobody may run INFO, events are stored, which is warned of, and worked', async () => {
  const { port } = new URL(await startWith('--rename-command', 'INFO', ''));
  const connection = { host: '127.0.0.1', port: Number(port), enableReadyCheck: false };
  const inbox = createInbox({ connection });
  await inbox.store(stored());
  expect(await inbox.health()).toMatchObject({
    ready: true,
    waiting: 1,
    warnings: [expect.stringContaining('may not run INFO')],
  });
  const handled = deferred();
  inbox.work({ lead_captured: handled.resolve });
  await handled.promise;
});

test('of a name with several addresses, each that refuses is told', () => {
  const refused = ['::1:1', '127.0.0.1:1'].map((address) => new Error(`connect ECONNREFUSED ${address}`));
  const all = 'connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1';
  expect(redisFailure('It failed', new AggregateError(refused), []).message).toBe(`It failed: ${all}`);
  // With words of its own.
  expect(redisFailure('It failed', new AggregateError(refused, 'no'), []).message).toBe(
    `It failed: no; ${all}`,
  );
});
