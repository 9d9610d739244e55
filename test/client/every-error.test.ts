import { inspect } from 'node:util';
import {
  type AgentPlatform,
  type AgentPlatformOptions,
  createWebhookReceiver,
  type endpoints,
  parseWebhook,
} from 'agent-platform-sdk';
import { fixtures } from 'agent-platform-sdk/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createClient, respond, response, success } from '../support/client.js';

const TOKEN = 'token-1f9d2c-of-this-test';
const MARKED = 'marked-field';

const client = (options: AgentPlatformOptions = {}) => createClient({ token: TOKEN, ...options });
const getTool = (options: AgentPlatformOptions = {}) => client(options).tools.get('t1');
const fail = () => {
  throw new Error('by the program');
};

/** Calls a service that responds with the token, with colours, and with a field that is secret. */
function replied(status: number, body: object | string, call: (platform: AgentPlatform) => unknown) {
  respond(response(status, body, { 'retry-after': '0', 'set-cookie': MARKED }));
  return call(client({ maxRetries: 1, validation: 'strict' }));
}
const get = ({ tools }: AgentPlatform) => tools.get('t1');
const remove = ({ workspaces }: AgentPlatform) => workspaces.delete('w1');
const issue = { message: `not\n ${TOKEN}`, path: ['a', 0], magicCode: MARKED };
const departing = success({ id: 5, magicCode: MARKED });
const delivery = fixtures.delivery('agent_deleted', TOKEN, { agentId: undefined });
const echo = { message: `\u001b[31mno ${TOKEN}`, code: `c-${TOKEN}`, issues: [issue], magicCode: MARKED };

test.each<[what: string, name: string, act: () => unknown]>([
  ['a wrong option', 'ConfigurationError', () => client().tools.get('t', { timeout: -1 })],
  ['a wrong option of a client', 'ConfigurationError', () => getTool({ token: `${TOKEN}\n${TOKEN}` })],
  ['an option of a receiver', 'ConfigurationError', () => createWebhookReceiver({ secret: ['', ' '] })],
  ['a wrong id', 'RequestValidationError', () => client().tools.get('')],
  ['a wrong path', 'RequestValidationError', () => client().request('GET', 'tools')],
  ['a wrong body', 'RequestValidationError', () => client().variables.create('a', { x: TOKEN } as never)],
  ['no endpoint', 'ConfigurationError', () => client().send({} as typeof endpoints.listDefaultTools)],
  ['a hook', 'HookError', () => getTool({ hooks: { onRequest: fail } })],
  ['a token function', 'ConfigurationError', () => getTool({ token: fail })],
  ['a token with a line break', 'ConfigurationError', () => getTool({ token: () => `${TOKEN}\n${TOKEN}` })],
  ['a fetch', 'ConnectionError', () => getTool({ fetch: fail })],
  ['no connection', 'ConnectionError', () => remove(client({ fetch: () => Promise.reject(new Error()) }))],
  ['a timeout', 'TimeoutError', () => getTool({ timeout: 20, fetch: () => new Promise(() => undefined) })],
  ['an abort', 'AbortError', () => client().tools.get('t', { signal: AbortSignal.abort() })],
  ['an error status', 'NotFoundError', () => replied(404, echo, get)],
  ['a call with its response', 'NotFoundError', () => replied(404, echo, (one) => get(one).withResponse())],
  ['an error after a retry', 'ServerError', () => replied(503, echo, get)],
  ['a page of a proxy', 'ServerError', () => replied(502, `<html>${TOKEN} ${MARKED}</html>`, remove)],
  ['a cut error body', 'ServerError', () => replied(500, JSON.stringify(echo).slice(0, -3), remove)],
  ['a failed envelope', 'OperationFailedError', () => replied(200, { ...echo, success: false }, get)],
  ['no JSON', 'ResponseValidationError', () => replied(200, `${TOKEN} ${MARKED}`, get)],
  ['another response', 'ResponseValidationError', () => replied(200, departing, get)],
  ['another payload', 'WebhookPayloadError', () => parseWebhook(delivery, { secret: TOKEN })],
])('the error of %s has the line of the caller, a readable form and no secret', async (_, name, act) => {
  async function lineOfTheCaller(): Promise<void> {
    await act();
  }
  const error = (await lineOfTheCaller().then(
    () => expect.unreachable(),
    (thrown: unknown) => thrown,
  )) as Error;
  // Its stack has the line of the caller.
  expect(error.stack?.startsWith(`${name}: ${error.message}\n`)).toBe(true);
  expect(error.stack).toContain('lineOfTheCaller');
  // A first line, then places by their path, then what to try; in no colours.
  expect(String(error)).toMatch(/^\w+: \S.*(\n {2}- \S.*)*(\n {2}(?!- )\S.*)*$/);
  expect(String(error)).toMatch(/^[\n\x20-\uffff]*$/);
  // No secret, however it is printed.
  const fields = JSON.stringify([error, Object.entries(error)]);
  for (const form of [error.stack, inspect(error, { depth: Number.POSITIVE_INFINITY }), fields]) {
    expect(form).not.toMatch(new RegExp(`${TOKEN}|${MARKED}`));
  }
});

test('the stack of an API error begins at the line of the caller', async () => {
  async function lineOfTheCaller(): Promise<void> {
    await replied(404, echo, get);
  }
  const error = (await lineOfTheCaller().catch((thrown: unknown) => thrown)) as Error;
  expect(error.stack?.split('\n').find((line) => line.startsWith('    at '))).toContain('lineOfTheCaller');
});

test('without await, the original stack is kept', async () => {
  respond(response(404));
  const error = await getTool().catch((thrown: Error) => thrown);
  expect((error as Error).stack).toMatch(/\n {4}at /);
});

// winston#401, kue#426: https://github.com/felixge/node-stack-trace and others return call sites.
test.each<[what: string, change: object]>([
  ['without stacks', { stackTraceLimit: 0 }],
  ['that cannot capture them', { captureStackTrace: undefined }],
  ['with a formatter that returns call sites', { prepareStackTrace: (_: Error, sites: unknown) => sites }],
  ['with a formatter that throws', { prepareStackTrace: fail }],
])('a runtime %s gets the same error, and calls onEnd', async (_, change) => {
  const onEnd = vi.fn();
  respond(response(404));
  const platform = createClient({ hooks: { onEnd } });
  const { captureStackTrace, stackTraceLimit, prepareStackTrace } = Error as unknown as Record<
    string,
    unknown
  >;
  const restore = () => void Object.assign(Error, { captureStackTrace, stackTraceLimit, prepareStackTrace });
  onTestFinished(restore);
  Object.assign(Error, change);
  const error = await platform.tools.get('t1').catch((thrown: unknown) => thrown);
  restore();
  expect(error).toMatchObject({ type: 'not_found_error', status: 404, outcomeUnknown: false });
  expect(onEnd).toHaveBeenCalledWith(expect.objectContaining({ error }));
});
