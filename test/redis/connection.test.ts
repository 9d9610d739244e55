import { Cluster, Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { leaveReplica, openOwnClient } from '../../src/redis/connection.js';

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
