import type { AgentPlatformOptions, endpoints } from 'agent-platform-sdk';
import type { FaultInput } from 'agent-platform-sdk/testing';
import { expect, test, vi } from 'vitest';
import { addFaults, createClient, seed } from '../support/client.js';

const fail = () => {
  throw new Error('by the program');
};
const after = (fault: FaultInput, options?: AgentPlatformOptions) => {
  addFaults(fault);
  return createClient(options);
};

/** The stack of what a program throws that awaits its call. */
async function stackOf(call: () => unknown): Promise<string> {
  async function lineOfTheCaller(): Promise<void> {
    await call();
  }
  const error = (await lineOfTheCaller().then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  )) as Error;
  expect(error.stack?.startsWith(`${error.name}: ${error.message}\n`)).toBe(true);
  return error.stack ?? '';
}

test.each<[string, () => unknown]>([
  ['a wrong option', () => createClient().tools.get('t', { timeout: -1 })],
  ['a wrong id', () => createClient().tools.get('')],
  ['a wrong path', () => createClient().request('GET', 'tools')],
  ['what is no endpoint', () => createClient().send({} as typeof endpoints.listDefaultTools)],
  ['a wrong body', () => createClient().variables.create('a', { description: 'x' } as never)],
  ['a hook', () => createClient({ hooks: { onRequest: fail } }).tools.get('t')],
  ['a token', () => createClient({ token: fail }).tools.get('t')],
  ['a fetch', () => createClient({ fetch: fail }).tools.get('t')],
  ['no connection', () => after({ kind: 'reset' }).tools.get(seed.toolId)],
  ['a timeout', () => after({ kind: 'stall' }, { timeout: 20 }).tools.get(seed.toolId)],
  ['an abort', () => createClient().tools.get('t', { signal: AbortSignal.abort() })],
  ['an error status', () => createClient().tools.get('nobody')],
  [
    'an error after a retry',
    () => after({ status: 503, retryAfter: 0, times: 2 }, { maxRetries: 1 }).tools.listDefaults(),
  ],
  ['a failed envelope', () => after({ status: 200, body: { success: false } }).tools.listDefaults()],
  [
    'a response that does not match its schema',
    () => after({ status: 200, body: { unexpected: true } }).tools.get(seed.toolId),
  ],
  ['a call with its response', () => createClient().tools.get('nobody').withResponse()],
])('with await, the stack of %s contains the line of the caller', async (_, call) => {
  expect(await stackOf(call)).toContain('lineOfTheCaller');
});

test('the stack of an API error begins at the line of the caller', async () => {
  async function lineOfTheCaller(): Promise<void> {
    await createClient().tools.get('nobody');
  }
  const error = (await lineOfTheCaller().catch((thrown: unknown) => thrown)) as Error;
  const [first] = error.stack?.split('\n').filter((line) => line.startsWith('    at ')) ?? [];
  expect(first).toContain('lineOfTheCaller');
});

test('without await, the original stack is kept', async () => {
  const error = await createClient()
    .tools.get('nobody')
    .catch((thrown: Error) => thrown);
  expect((error as Error).stack).toMatch(/\n {4}at /);
});

test('a runtime without stacks gets the same error', async () => {
  const { captureStackTrace, stackTraceLimit } = Error;
  for (const change of [{ captureStackTrace: undefined }, { stackTraceLimit: 0 }]) {
    Object.assign(Error, change);
    await expect(createClient().tools.get('nobody')).rejects.toMatchObject({ status: 404 });
    Object.assign(Error, { captureStackTrace, stackTraceLimit });
  }
});

// winston#401, kue#426: https://github.com/felixge/node-stack-trace and others return call sites.
test.each<[what: string, prepareStackTrace: unknown]>([
  ['returns call sites', (_: Error, sites: unknown) => sites],
  ['throws', fail],
])('a formatter of stacks that %s changes no error, and onEnd is called', async (_, prepareStackTrace) => {
  const onEnd = vi.fn();
  const platform = createClient({ hooks: { onEnd } });
  const error = Error as { prepareStackTrace?: unknown };
  const { prepareStackTrace: before } = error;
  error.prepareStackTrace = prepareStackTrace;
  const found = await platform.tools.get('nobody').catch((thrown: unknown) => thrown);
  error.prepareStackTrace = before;
  expect(found).toMatchObject({ type: 'not_found_error', status: 404, outcomeUnknown: false });
  expect(onEnd).toHaveBeenCalledWith(expect.objectContaining({ error: found }));
});
