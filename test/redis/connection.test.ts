import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Cluster, Redis } from 'ioredis';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import {
  leaveReplica,
  openClient,
  openFamily,
  openOwnClient,
  optionsOf,
  outliveFailover,
  type RedisClient,
} from '../../src/redis/connection.js';
import { startRedis } from '../support/redis-server.js';
import { startWay } from './lagging.js';

const server = await startRedis();
afterAll(() => server.stop());

test.each([
  [true, {}],
  [false, { sentinels: undefined }],
])('the duplicate of a client is told of failovers where there are Sentinels: %s', (isTold, options) => {
  const sentinels = [{ host: '127.0.0.1', port: 1 }];
  const given = new Redis({ sentinels, name: 'inbox', lazyConnect: true, ...options });
  const client = openOwnClient(given, {}, () => false) as Redis;
  onTestFinished(() => client.disconnect());
  expect(client.options.failoverDetector === true).toBe(isTold);
});

test.each([
  [true, {}],
  [false, { failoverDetector: false }],
])(
  'a client that is made here is told of failovers, unless the options say otherwise: %s',
  (isTold, options) => {
    const sentinels = [{ host: '127.0.0.1', port: 1 }];
    const connection = { sentinels, name: 'inbox', lazyConnect: true, ...options };
    const { client } = openClient(connection, {});
    onTestFinished(() => client.disconnect());
    expect((client as Redis).options.failoverDetector).toBe(isTold);
  },
);

const RESP3 = { protocol: 3, replyMapping: 'resp3', lazyConnect: true } as const;

test.each<[what: string, open: () => RedisClient]>([
  ['made of options', () => openClient(RESP3, {}).client],
  ['made for a worker of options', () => openOwnClient(RESP3, {}, () => false)],
  ['made for a worker of a client', () => openOwnClient(new Redis(RESP3), {}, () => false)],
  [
    'made for a worker of a cluster',
    () =>
      openOwnClient(new Cluster([{ port: 1 }], { lazyConnect: true, redisOptions: RESP3 }), {}, () => false),
  ],
])('a client %s gives replies in the form that the scripts are written for', (_, open) => {
  const client = open();
  onTestFinished(() => client.disconnect());
  expect(optionsOf(client)).toMatchObject({ protocol: 3, replyMapping: 'legacy' });
});

test.each([
  ['that is passed in', {}, false],
  ['with one of its own', { reconnectOnError: () => true }, true],
])(
  'the nodes of the duplicate of a cluster %s are left as they become replicas',
  (_, redisOptions, isOwn) => {
    const given = new Cluster([{ port: 1 }], {
      lazyConnect: true,
      redisOptions: { ...redisOptions, commandTimeout: 5 },
    });
    const required = { maxRetriesPerRequest: 7, commandTimeout: undefined };
    const client = openOwnClient(given, required, () => false) as Cluster;
    onTestFinished(() => client.disconnect());
    const { reconnectOnError, maxRetriesPerRequest, commandTimeout } = client.options.redisOptions ?? {};
    expect([reconnectOnError?.(new Error('READONLY')), maxRetriesPerRequest]).toEqual([isOwn, 7]);
    expect(commandTimeout).toBeUndefined();
  },
);

test.each([
  ['READONLY You cannot write against a read only replica.', true],
  // Before Redis 7, of a script.
  ['ERR Error running script (call to f_1): @user_script:1: -READONLY You cannot write', true],
  ['ERR unknown option READONLY', false],
  ['LOADING Redis is loading', false],
])('a Redis that says %s has become a replica: %s', (message, isReplica) => {
  const told: Error[] = [];
  const error = new Error(message);
  // Numbers that ioredis defines: reconnect, and reconnect and send again.
  expect(leaveReplica('rejected')(error)).toBe(isReplica && 1);
  expect(leaveReplica('resent', (one) => told.push(one))(error)).toBe(isReplica && 2);
  expect(told).toEqual(isReplica ? [error] : []);
});

test.each([
  ['Connection is closed.', 'end', 1],
  ['Connection is closed.', 'ready', 0],
  ['read ECONNRESET', 'end', 0],
])('a client that says %s and is in state %s is connected again %d times', async (message, status, times) => {
  let connected = 0;
  // That it is in vain is told by the client itself.
  const connect = () => {
    connected += 1;
    return Promise.reject(new Error('connect ECONNREFUSED'));
  };
  // Of a client, only these parts are looked at.
  outliveFailover({ status, connect } as unknown as RedisClient, new Error(message));
  await setImmediate();
  expect(connected).toBe(times);
});

test('a client of a worker that is told to connect again while it waits for that does', async () => {
  const way = await startWay(1);
  const { client, disconnect } = openFamily(`redis://127.0.0.1:${way.port}`, {}, () => false);
  onTestFinished(disconnect);
  await once(client, 'reconnecting');
  client.disconnect(true);
  way.lead(server.port);
  expect(await client.ping()).toBe('PONG');
});

test('a client of a worker that is closed while it waits to connect again ends, though Redis would not answer', async () => {
  const way = await startWay(1);
  const { client, disconnect } = openFamily(`redis://127.0.0.1:${way.port}`, {}, () => false);
  await once(client, 'reconnecting');
  way.lead(server.port);
  way.hold();
  const ended = once(client, 'end');
  disconnect();
  await ended;
  expect(client.status).toBe('end');
});
