import {
  AgentPlatform,
  type AgentPlatformOptions,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
} from 'agent-platform-sdk';
import { createBullMQInbox } from 'agent-platform-sdk/bullmq';
import { createRedisDedupe } from 'agent-platform-sdk/redis';
import { expect, test } from 'vitest';
import { success } from '../support/client.js';
import { answerWith, connectTo } from '../support/msw.js';

/** The frames of what a program of a user's throws. */
async function framesOf(lineOfTheUser: () => unknown): Promise<string[]> {
  const error: unknown = await (async () => lineOfTheUser())().catch((thrown: unknown) => thrown);
  const { name, message, stack = '' } = error as Error;
  expect(stack.startsWith(`${name}: ${message}\n`)).toBe(true);
  return stack.slice(`${name}: ${message}\n`.length).split('\n');
}

const to = (status: number, body: unknown, options?: AgentPlatformOptions) =>
  connectTo(answerWith(status, body), options).platform;
const fail = () => {
  throw new Error('by the user');
};
const client = { region: 'eu', token: 'workspace-secret', baseUrls: { eu: 'https://service.test' } } as const;

test.each<[string, () => unknown]>([
  ['an option of the client', () => new AgentPlatform({ ...client, timeout: -1 })],
  ['an option of withOptions', () => new AgentPlatform(client).withOptions({ timeout: -1 })],
  ['an option of withOptions alone', () => new AgentPlatform(client).withOptions({ region: 'na' })],
  ['an option of a call', () => to(200, '').tools.get('t', { timeout: -1 })],
  ['no endpoint', () => to(200, '').send({} as never, {} as never)],
  ['an id', () => to(200, '').tools.get('')],
  ['a body', () => to(200, '').variables.create('a', { description: 'x' } as never)],
  ['a body of four fields', () => to(200, '').phoneNumbers.release({ workspaceId: 5 } as never)],
  ['a hook', () => to(200, '', { hooks: { onRequest: fail } }).tools.get('t')],
  ['a token', () => to(200, '', { token: fail }).tools.get('t')],
  ['no answer', () => to(200, '', { fetch: fail }).tools.get('t')],
  ['no time', () => to(200, '', { timeout: 1, fetch: () => new Promise(() => undefined) }).tools.get('t')],
  ['an error status', () => to(404, '').workspaces.delete('w')],
  ['a failure', () => to(200, { ...success({}), success: false }).orgs.listMembersAndTeams('o')],
  ['an unfit answer', () => to(200, success(5)).conversations.get({ agentId: 'a', convoId: 'c' })],
  ['an unfit list', () => to(200, success(5)).tools.listDefaults()],
  ['an answer with its response', () => to(200, success(5)).tools.get('t').withResponse()],
  ['a promise that is not awaited', () => to(404, '').tools.get('t').then(String)],
  ['an option of a receiver', () => createWebhookReceiver({ secret: '' })],
  ['an option of an inbox', () => createBullMQInbox({} as never)],
  ['an option of a store', () => createRedisDedupe({} as never)],
  ['a webhook', () => parseWebhook('{}', { secret: 'workspace-secret' })],
])('the stack begins at the line of the caller: %s', async (_, lineOfTheUser) => {
  expect((await framesOf(lineOfTheUser))[0]).toContain(`${import.meta.filename}:`);
});

test.each(['workspace-secret', ''])(
  'parseWebhookRequest leads to the line that awaits it: %j',
  async (secret) => {
    const lineOfTheUser = async () => await parseWebhookRequest('{}', { secret });
    expect((await framesOf(lineOfTheUser)).join('\n')).toContain('lineOfTheUser');
  },
);

test('the stack holds what the runtime keeps of the caller’s frames, and the limit stays as it is', async () => {
  const limit = Error.stackTraceLimit;
  const recurse = (depth: number): unknown => (depth === 0 ? to(404, '').tools.get('t') : recurse(depth - 1));
  const frames = await framesOf(() => recurse(50));
  expect(frames.filter((frame) => frame.includes('recurse'))).toHaveLength(limit - 1);
  expect(Error.stackTraceLimit).toBe(limit);
});

test('a runtime that keeps no stack, or none of this form, gets the error all the same', async () => {
  const { captureStackTrace, stackTraceLimit } = Error;
  for (const [frames, change] of [
    [/\n {4}at /, { captureStackTrace: undefined }],
    [/^NotFoundError: /, { stackTraceLimit: 0 }],
  ] as const) {
    Object.assign(Error, change);
    await expect(to(404, '').tools.get('t')).rejects.toMatchObject({ status: 404 });
    await expect(to(404, '').tools.get('t')).rejects.toHaveProperty('stack', expect.stringMatching(frames));
    expect(() => createWebhookReceiver({ secret: '' })).toThrow('secret');
    Object.assign(Error, { captureStackTrace, stackTraceLimit });
  }
});
