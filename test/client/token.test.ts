import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { rejectionOf, success } from '../support/client.js';
import { answerInTurn, answerWith, connectTo } from '../support/msw.js';

test('a token function is called for each attempt, so that a rotated token is used at once', async () => {
  let calls = 0;
  const { platform, requests } = connectTo(
    answerInTurn(answerWith(503), answerWith(200, success({ id: 't1' }))),
    { token: async () => `token-number-${++calls}`, maxRetries: 1 },
  );
  await platform.tools.get('t1');
  expect(requests.map((request) => request.headers.authorization)).toEqual([
    'Bearer token-number-1',
    'Bearer token-number-2',
  ]);
});

test.each([
  [
    'throws',
    () => {
      throw new Error('vault is sealed');
    },
    'is a function that failed (see `error.cause`), so nothing was sent',
  ],
  [
    'rejects',
    async () => {
      throw new Error('vault is sealed');
    },
    'is a function that failed (see `error.cause`), so nothing was sent',
  ],
  ['returns a blank', () => ' ', 'is blank'],
  ['returns seven characters', () => 'seven77', 'has fewer than eight characters'],
  ['returns nothing', () => undefined as never, 'must be a string, got nothing'],
])('a token function that %s ends the call before anything is sent', async (_, token, problem) => {
  const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), {
    token,
    maxRetries: 2,
  });
  const error = await rejectionOf(platform.workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'configuration_error', option: 'token', outcomeUnknown: false });
  expect((error as Error).message).toContain(`token ${problem}`);
  expect(requests).toHaveLength(0);
});

test('a token function that hangs ends with the timeout, and the outcome is known: nothing was sent', async () => {
  const { platform, requests } = connectTo(answerWith(200), {
    token: () => new Promise<string>(() => undefined),
    timeout: 20,
  });
  const error = await rejectionOf(platform.workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'timeout_error', outcomeUnknown: false });
  expect(requests).toHaveLength(0);
});

test.each([' a-secret\n', () => ' a-secret\n'])(
  'white space around a token is not part of it',
  async (token) => {
    const { platform, requests } = connectTo(answerWith(200, success({ id: 't1' })), { token });
    await platform.tools.get('t1');
    expect(requests[0]?.headers.authorization).toBe('Bearer a-secret');
  },
);

test('a token of an earlier attempt is masked in what the service says of it later', async () => {
  const tokens = ['first-token-of-the-vault', 'second-token-of-the-vault'];
  const { platform } = connectTo(
    answerInTurn(
      answerWith(503, '', { 'retry-after': '0' }),
      answerWith(401, { message: `stale: ${tokens[0]}`, code: 'stale' }),
    ),
    { token: () => tokens.shift() ?? '', maxRetries: 1 },
  );
  const error = await rejectionOf(platform.tools.get('t1'));
  expect(inspect(error)).toContain('stale: [redacted]');
  expect(inspect(error)).not.toContain('first-token');
});

test('a secret header of an earlier attempt is masked too', async () => {
  const keys = ['first-key-of-the-hook', 'second-key-of-the-hook'];
  const { platform } = connectTo(
    answerInTurn(
      answerWith(503, '', { 'retry-after': '0' }),
      answerWith(401, { message: `stale: ${keys[0]}`, code: 'stale' }),
    ),
    { hooks: { onRequest: ({ headers }) => headers.set('x-api-key', keys.shift() ?? '') }, maxRetries: 1 },
  );
  expect(inspect(await rejectionOf(platform.tools.get('t1')))).toContain('stale: [redacted]');
});
