import { ConfigurationError } from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createPostgresInbox } from 'agent-platform-sdk/postgres';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { createSqliteInbox } from 'agent-platform-sdk/sqlite';
import { Cluster } from 'ioredis';
import { Client, Pool } from 'pg';
import { afterEach, expect, test, vi } from 'vitest';
import { resolveBullMQ } from '../../src/bullmq/options.js';

// Options and the runtime are checked before anything is opened.

afterEach(() => void vi.restoreAllMocks());

const connection = 'redis://127.0.0.1:1';
const connectionString = 'postgres://127.0.0.1/app';
const [bullmq, sqlite, postgres, dedupe] = [
  (options: object) => createBullMQInbox({ connection, queueName: 'crm', ...options }),
  (options: object) => createSqliteInbox({ path: '/nowhere/webhooks.db', ...options }),
  (options: object) => createPostgresInbox(options),
  (options: object) => createRedisDedupe({ connection, keyPrefix: 'crm:', ...options }),
];
const cluster = new Cluster([{ port: 1 }], { lazyConnect: true });
const notPath = /must be the path of a file/;
const notPrefix = /must be the name of your application.*each skips the other's events as dup/;

type Row = [option: string, create: (options: object) => unknown, wrong: readonly object[], message?: RegExp];

test.each<Row>([
  // Those of every inbox.
  ['attempts', bullmq, [{ attempts: 0 }, { attempts: 1.5 }]],
  ['backoff', bullmq, [{ backoff: -1 }, { backoff: 'no' }]],
  ['backoff.type', bullmq, [{ backoff: { type: 'linear' } }], /'?fixed'?, '?exponential'?/],
  ['backoff.jitter', bullmq, [{ backoff: { type: 'fixed', jitter: 2 } }]],
  ['retention', bullmq, [{ retention: 0 }]],
  ['deadLetterRetention', bullmq, [{ deadLetterRetention: Number.NaN }]],
  ['storeTimeout', bullmq, [{ storeTimeout: '30s' }]],
  ['application', bullmq, [{ application: '' }], /application must be a name/],
  ['hooks.onHandeled', bullmq, [{ hooks: { onHandeled: () => 0 } }], /not a known option/],
  ['hooks.onHandled', bullmq, [{ hooks: { onHandled: 'log' } }]],
  ['logger', bullmq, [{ logger: {} }]],
  ['logLevel', bullmq, [{ logLevel: 'loud' }]],
  [
    'connection',
    bullmq,
    [undefined, null, 'canary@host', 'http://:canary@host'].map((connection) => ({ connection })),
  ],
  [
    'connection',
    bullmq,
    [Promise.resolve({}), new URL('redis://canary'), [{ host: 'canary' }]].map((value) => ({
      connection: value,
    })),
  ],
  // A client of node-redis, and its options.
  [
    'connection',
    bullmq,
    [{ connection: { isOpen: false } }, { connection: { url: 'redis://:canary@host' } }],
  ],
  ['connection.keyPrefix', bullmq, [{ connection: { keyPrefix: 'canary' } }]],
  ['connection.stringNumbers', bullmq, [{ connection: { stringNumbers: true } }]],
  // The last ones would spread a queue over a cluster.
  [
    'prefix',
    bullmq,
    [{ prefix: 'a:' }, ...['bull', '{}', '{}{bull}'].map((prefix) => ({ connection: cluster, prefix }))],
  ],
  ['queueName', bullmq, [{ queueName: 'a:b' }, { queueName: '' }]],
  ['replicas', bullmq, [{ replicas: -1 }]],
  ['highWater', bullmq, [{ highWater: 0 }, { highWater: 85 }]],
  ['telemetry', bullmq, [{ telemetry: 'otel' }]],
  ['path', sqlite, [{ path: undefined }], /path is missing/],
  ['path', sqlite, [{ path: '' }, { path: ':memory:' }, { path: 'file:webhooks.db' }], notPath],
  ['minFree', sqlite, [{ minFree: -1 }], /whole number, 0 or more/],
  ['filename', sqlite, [{ filename: 'x' }]],
  [
    'pool',
    postgres,
    [{}, { pool: new Client() }, { pool: { connectionString } }, { pool: new Pool(), connectionString }],
  ],
  ['options', postgres, [new Pool()], /options must be an object of options, but has \d+ other fields/],
  ['connectionString', postgres, [{ connectionString: '' }, { connectionString: 'mysql://canary@host/db' }]],
  ['connectionString', postgres, [{ connectionString: 'postgres://user:canary#%@host:port/db' }]],
  [
    'schema',
    postgres,
    ['Crm', 'pg_inbox', 'a"; DROP SCHEMA canary; --'].map((schema) => ({ connectionString, schema })),
  ],
  ['pollInterval', postgres, [{ connectionString, pollInterval: 5 }]],
  [
    'connection',
    dedupe,
    [undefined, 'canary@host', 'http://:canary@host'].map((connection) => ({ connection })),
  ],
  ['keyPrefix', dedupe, [{ keyPrefix: undefined }, { keyPrefix: '' }], notPrefix],
  ['keyPrefix', dedupe, [{ keyPrefix: 1 }]],
  ['timeout', dedupe, [{ timeout: -1 }]],
  ['ttl', dedupe, [{ ttl: 1 }]],
])('a wrong option is refused by name, without its value: %s', (option, create, wrong, message = /./) => {
  for (const options of wrong) {
    expect(() => create(options)).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }));
    expect(() => create(options)).toThrow(message);
    expect(() => create(options)).not.toThrow(/canary/);
  }
});

test.each<[object, string]>([
  [{}, '{agent-platform-webhooks}'],
  [{ queueName: 'crm' }, '{crm}'],
  [{ queueName: 'a{b}' }, 'bull'],
  [{ prefix: '{b}', queueName: 'a' }, '{b}'],
])('with %j, the keys of a queue share a hash tag in a cluster: the prefix is %s', (options, prefix) => {
  expect(resolveBullMQ({ connection: cluster, logLevel: 'off', ...options }).prefix).toBe(prefix);
});

test('wrong and unknown options are one error, with a line each', () => {
  const problems = /createBullMQInbox: 3 options are missing or wrong\n.*attempts.*\n.*replicas.*\n.*retries/;
  expect(() => bullmq({ attempts: 0, replicas: -1, retries: 3 })).toThrow(problems);
});

/** Replaces what this Node has. */
function stubRuntime(sqlite: unknown): void {
  const { getBuiltinModule } = process;
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(((name: string) =>
    name === 'node:sqlite' ? sqlite : getBuiltinModule(name)) as typeof getBuiltinModule);
}

const sqliteOf = (version: string) => ({
  DatabaseSync: class {
    prepare = () => ({ all: () => [{ version }] });
    close = () => undefined;
  },
});

test.each([
  ['no SQLite', undefined, /has no node:sqlite/],
  ['a SQLite that can corrupt the file', sqliteOf('3.51.2'), /has SQLite 3.51.2, in which two connections/],
  ['a much older one', sqliteOf('3.46.1'), /has SQLite 3.46.1/],
])('a runtime with %s is refused, with what to use', (_, sqlite, problem) => {
  stubRuntime(sqlite);
  const create = () => createSqliteInbox({ path: '/nowhere/webhooks.db' });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(problem);
  expect(create).toThrow(/Use Node 22\.22\.3\+ or 24\.15\+, Bun, or Deno\. Or use createPostgresInbox/);
});

test.each(['3.51.3', '3.52.0', '3.53.4', '4.0.0'])('SQLite %s is taken', (version) => {
  stubRuntime(sqliteOf(version));
  // What is wrong then is the path.
  expect(() => createSqliteInbox({ path: '/nowhere/webhooks.db' })).toThrow(/Create its folder/);
});
