import { createServer } from 'node:http';
import type { AgentPlatform, AgentPlatformOptions, RetryHookContext } from 'agent-platform-sdk';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect, rejectionOf, success } from '../../support/client.js';
import { type Answer, answerInTurn, answerWith, closedAddress, connectTo } from '../../support/server.js';

// Backoff is a random part of a bound: with 0 there is nothing to wait for.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

const found = answerWith(200, success({ id: 't1' }));
const reset: Answer = (_, response) => void response.socket?.destroy();
const cutBody: Answer = (_, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"success":', () => response.destroy());
};

const create = (platform: AgentPlatform) => platform.variables.create('a1', { key: 'k' });
const remove = (platform: AgentPlatform) => platform.workspaces.delete('w1');

async function attemptsOf(
  answer: Answer,
  call: (platform: AgentPlatform) => Promise<unknown>,
  options: AgentPlatformOptions = { maxRetries: 2 },
): Promise<number> {
  const { platform, server } = await connectTo(answer, options);
  await call(platform).catch(() => undefined);
  return server.requests.length;
}

test.each([
  ['a reset connection', reset],
  ['a body that was cut off', cutBody],
])('a GET is tried again after %s', async (_, failure) => {
  const { platform, server } = await connectTo(answerInTurn(failure, found), { maxRetries: 1 });
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests).toHaveLength(2);
});

test('a GET is tried again after a timeout', async () => {
  const { platform, server } = await connectTo(
    answerInTurn(() => undefined, found),
    { maxRetries: 1, timeout: 1_000 },
  );
  expect(await platform.tools.get('t1')).toEqual({ id: 't1' });
  expect(server.requests).toHaveLength(2);
});

test.each([
  ['a reset connection', reset],
  ['a body that was cut off', cutBody],
  ['a timeout', () => undefined],
] as [string, Answer][])('a POST or DELETE is not tried again after %s', async (_, failure) => {
  expect(await attemptsOf(failure, create, { maxRetries: 2, timeout: 1_000 })).toBe(1);
  expect(await attemptsOf(failure, remove, { maxRetries: 2, timeout: 1_000 })).toBe(1);
});

test('a POST is tried again where no connection was made', async () => {
  const address = await closedAddress();
  const retries: RetryHookContext[] = [];
  const platform = connect(address, {
    maxRetries: 1,
    hooks: { onRetry: (context) => void retries.push(context) },
  });
  await rejectionOf(platform.variables.create('a1', { key: 'k' }));
  expect(retries).toMatchObject([{ attempt: 1, method: 'POST', error: { name: 'ConnectionError' } }]);
});

test('a service that comes up between two attempts is reached', async () => {
  const address = new URL(await closedAddress());
  const server = createServer((_, response) => response.end(JSON.stringify(success({ id: 'v1' }))));
  const platform = connect(address.origin, {
    maxRetries: 1,
    hooks: {
      onRetry: () =>
        new Promise<void>((resolve) => server.listen(Number(address.port), '127.0.0.1', resolve)),
    },
  });
  expect(await platform.variables.create('a1', { key: 'k' })).toEqual({ id: 'v1' });
  server.closeAllConnections();
  server.close();
});
