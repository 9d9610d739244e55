import { expect, test } from 'vitest';
import { addFaults, createClient, rejectionOf, requests, seed, TOKEN } from '../support/client.js';

test('a token function is called for each attempt, so that a rotated token is used at once', async () => {
  addFaults({ status: 503 });
  const tokens = ['an-old-token', TOKEN];
  const platform = createClient({ token: async () => tokens.shift() ?? '', maxRetries: 1 });
  await platform.tools.get(seed.toolId);
  expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
    'Bearer an-old-token',
    `Bearer ${TOKEN}`,
  ]);
});

test.each<[what: string, token: () => string | Promise<string>, problem: RegExp]>([
  ['throws', () => Promise.reject(new Error('vault is sealed')), /`token` function failed/],
  ['returns a blank', () => ' ', /token is blank/],
  ['returns nothing', () => undefined as never, /token must be a string/],
])('a token function that %s ends the call before anything is sent', async (_, token, problem) => {
  const error = await rejectionOf(createClient({ token, maxRetries: 2 }).workspaces.delete('w1'));
  expect(error).toMatchObject({ type: 'configuration_error', option: 'token', outcomeUnknown: false });
  expect((error as Error).message).toMatch(problem);
  expect(requests).toHaveLength(0);
});

test.each([` ${TOKEN}\n`, () => ` ${TOKEN}\n`])(
  'white space around a token is not part of it',
  async (token) => {
    await createClient({ token }).tools.get(seed.toolId);
    expect(requests[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
  },
);
