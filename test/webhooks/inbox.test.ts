import {
  createWebhookHandlers,
  type StoredWebhook,
  WebhookError,
  type WebhookFailure,
} from 'agent-platform-sdk';
import { expect, test } from 'vitest';
import { stored as aStored } from '../inbox/fixture.js';
import { delivery, envelope, minimal, secret, settle } from './deliveries.js';
import { handling, setUp, storing } from './receivers.js';

test('200 means stored: the event without its secret, not validated; a worker gets all of it', async () => {
  const { stored, send } = storing({ secret: { acme: secret } });
  expect(await send(delivery('lead_captured', { channel: 'fax' }))).toEqual([200]);
  const payload = { ...minimal.lead_captured, channel: 'fax' };
  const event = { type: 'lead_captured', payload, workspace: 'acme' };
  const [{ key, deliveryId, receivedAt } = aStored()] = stored;
  expect(stored).toEqual([{ version: 1, key, ...event, deliveryId, receivedAt }]);
  expect([key, typeof deliveryId, typeof receivedAt]).toEqual([
    expect.stringMatching(/^[0-9a-f]{64}$/),
    'string',
    'number',
  ]);
  const seen: unknown[] = [];
  const handlers = createWebhookHandlers({ logLevel: 'off' }).onAny((...given) => seen.push(given));
  const { signal } = new AbortController();
  await handlers.process(JSON.parse(JSON.stringify(stored[0])), { signal });
  const drift = [expect.objectContaining({ path: ['payload', 'channel'] })];
  expect(seen).toEqual([[event, { deliveryId, eventKey: key, receivedAt, signal, drift }]]);
});

test('an unknown field of the envelope is logged, and is not stored', async () => {
  const { stored, all, send } = storing();
  await send({ ...envelope('webhook_test'), sentAt: 1 });
  expect(all()).toMatch(/warn .*webhook_test .*not passed on\n {2}- sentAt: unknown field/);
  expect(JSON.stringify(stored)).not.toContain('sentAt');
});

test('an inbox that returns no promise is warned of once', async () => {
  const { lines, send } = setUp({ inbox: { store: (() => undefined) as never } });
  for (const type of ['webhook_test', 'lead_captured']) await send(delivery(type));
  expect(lines).toEqual([expect.stringContaining('the `store` of the inbox returned no promise')]);
});

test.each<[what: string, field: string, status: number, value?: unknown]>([
  ['nested 1,000 times', `${'['.repeat(1_000)}${']'.repeat(1_000)}`, 200, expect.any(Array)],
  ['nested 100,000 times', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400],
  ['nested 100,000 times as a list', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, 400],
  ['1e400', '1e400', 200, null],
  ['-1.5E+400 in a list', '[-1.5E+400, 2]', 200, [null, 2]],
  ['of 400 digits', '9'.repeat(400), 200, null],
  ['of 300 digits', '9'.repeat(300), 200, Number('9'.repeat(300))],
  ['"1e400"', '"1e400"', 200, '1e400'],
])('a field %s comes to the same with an inbox and without', async (_, field, status, value) => {
  const body = delivery('later_event').replace('{"workspaceSecret"', `{"more":${field},"workspaceSecret"`);
  const [inbox, direct] = [storing(), handling()];
  for (const { send } of [inbox, direct]) expect((await send(body))[0]).toBe(status);
  const payloads = inbox.stored.map(({ payload }) => JSON.parse(JSON.stringify(payload)) as unknown);
  expect(payloads).toEqual(status === 200 ? [{ more: value }] : []);
  expect(direct.payloads()).toEqual(payloads);
  if (status === 400) expect(direct.all()).toContain('nested too deeply');
});

test('handlers that fail reject the run with their errors as cause; others run', async () => {
  const failures: [unknown, WebhookFailure][] = [];
  const ran: boolean[] = [];
  const [one, two] = [new Error('one'), new Error('two')];
  const handlers = createWebhookHandlers({ logLevel: 'off' })
    .on('lead_captured', () => Promise.reject(one))
    .on('lead_captured', (_, { signal }) => ran.push(signal.aborted))
    // The run ends after it: a process may end with it.
    .onError((error, failure) => settle().then(() => failures.push([error, failure])));
  const webhook = aStored();
  await expect(handlers.process(webhook)).rejects.toMatchObject({ type: 'webhook_error', cause: one });
  handlers.on('lead_captured', () => Promise.reject(two));
  const message = '2 handler(s) of the webhook lead_captured failed.';
  await expect(handlers.process(webhook)).rejects.toMatchObject({ message, cause: { errors: [one, two] } });
  expect(ran).toEqual([false, false]);
  const failure = { stage: 'handler', context: { eventKey: webhook.key } };
  expect(failures).toMatchObject([one, one, two].map((error) => [error, failure]));
});

const final = (retryAfter?: number) => new WebhookError('no', { retryable: false, retryAfter });
const later = (retryAfter: number) => new WebhookError('no', { retryAfter });
const foreign = Object.assign(new Error('no'), { retryable: false, retryAfter: 7 });

test.each<[what: string, errors: readonly unknown[], retryable: boolean, retryAfter?: number]>([
  ['one is final', [final()], false],
  ['all are final', [final(), final()], false],
  ['one of two is final', [final(), later(1)], true, 1],
  ['one of two is not ours', [final(), new Error('no')], true],
  ['an error of another library has such fields', [foreign], true],
  ['several ask for a delay', [later(5), later(9), new Error('no')], true, 9],
  ['nothing was thrown', [undefined], true],
])('if %s, the run says what its handlers ask for', async (_, errors, retryable, retryAfter) => {
  const handlers = createWebhookHandlers({ logLevel: 'off' });
  for (const error of errors) handlers.onAny(() => Promise.reject(error));
  const rejection = await handlers.process(aStored()).catch((error: unknown) => error);
  expect(rejection).toMatchObject({ type: 'webhook_error', retryable, cause: expect.anything() });
  expect((rejection as WebhookError).retryAfter).toBe(retryAfter);
});

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'hello'],
  ['the body of a request', envelope('webhook_test')],
  ['an event without a version', { ...aStored(), version: undefined }],
  ['a payload that is a list', { ...aStored(), payload: [] }],
])('%s is not a stored webhook, and a retry does not help', async (_, data) => {
  const processing = createWebhookHandlers().process(data as StoredWebhook);
  await expect(processing).rejects.toThrow(/not a stored webhook. Pass a raw body to a receiver or to par/);
  await expect(processing).rejects.toMatchObject({ retryable: false });
});

test('an event of a newer version must be kept until the worker is updated', async () => {
  const processing = createWebhookHandlers().process(aStored({ version: 2 }));
  await expect(processing).rejects.toThrow(/version 2: update agent-platform-sdk in the worker/);
  await expect(processing).rejects.toMatchObject({ type: 'webhook_error', retryable: true });
});
