import type { Worker } from 'bullmq';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Rest, withoutInfo } from '../../src/bullmq/refusing-redis.js';

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** A rest, and what it asks of its worker. */
function setUp() {
  const asked: unknown[] = [];
  const worker = {
    pause: (doNotWaitActive: boolean) => asked.push(['pause', doNotWaitActive]),
    resume: () => asked.push('resume'),
  };
  // Only these two are called.
  return { rest: new Rest(worker as unknown as Worker), asked };
}

const PAUSE = ['pause', true];

test('each rest is twice as long as the one before, up to five seconds, and short again once Redis took a command', () => {
  const { rest, asked } = setUp();
  const restFor = (ms: number) => {
    asked.length = 0;
    rest.begin();
    vi.advanceTimersByTime(ms - 1);
    expect(asked).toEqual([PAUSE]);
    vi.advanceTimersByTime(1);
    expect(asked).toEqual([PAUSE, 'resume']);
  };
  for (const ms of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) restFor(ms);
  rest.forget();
  for (const ms of [100, 200]) restFor(ms);
});

test('refusals during a rest change nothing', () => {
  const { rest, asked } = setUp();
  rest.begin();
  vi.advanceTimersByTime(60);
  rest.begin();
  vi.advanceTimersByTime(40);
  expect(asked).toEqual([PAUSE, 'resume']);
  vi.advanceTimersByTime(10_000);
  expect(asked).toHaveLength(2);
});

test('a worker that closes is not resumed, also where it is refused as it closes', () => {
  const { rest, asked } = setUp();
  rest.begin();
  rest.end();
  vi.advanceTimersByTime(10_000);
  expect(asked).toEqual([PAUSE]);
  const other = setUp();
  other.rest.end();
  other.rest.begin();
  expect(vi.getTimerCount()).toBe(0);
  expect(other.asked).toEqual([]);
});

type Client = Parameters<typeof withoutInfo>[0];

/** A client whose `INFO` is refused. Only these two are called. */
function refusing(message: string): Client {
  const info = (...args: readonly unknown[]) =>
    args.length > 0 ? Promise.resolve('for ioredis itself') : Promise.reject(new Error(message));
  return { info, duplicate: () => refusing(message) } as unknown as Client;
}

test.each(['NOPERM no permission', "ERR unknown command 'info'"])(
  'a client that may not ask for the version, and its duplicates, have the least: %s',
  async (message) => {
    const client = refusing(message);
    withoutInfo(client);
    // Those of a `Redis` and of a `Cluster` differ in what they take: here, nothing.
    const copyOf = (one: Client) => (one.duplicate as () => Client)();
    for (const one of [client, copyOf(client), copyOf(copyOf(client))]) {
      expect(await one.info()).toBe('redis_version:6.2.0');
      expect(await one.info(() => undefined)).toBe('for ioredis itself');
    }
  },
);

test('another failure of the question for the version is no answer to it', async () => {
  const client = refusing('Connection is closed.');
  withoutInfo(client);
  await expect(client.info()).rejects.toThrow('Connection is closed.');
});
