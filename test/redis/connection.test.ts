import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { openOwnClient } from '../../src/redis/connection.js';

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
