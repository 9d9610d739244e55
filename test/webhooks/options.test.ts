import {
  ConfigurationError,
  createMemoryDedupe,
  createWebhookHandlers,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  type WebhookReceiverOptions,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, secret } from './deliveries.js';
import { never, setUp } from './receivers.js';

const verifySecret = () => true;
const inbox = { store: never };
const OF_HANDLERS = 'belongs to the handlers: pass it to createWebhookHandlers';
const verify = 'must be a workspace secret';
const PASTED = 'is not the bare value: remove quotes';

/** Wrong options of a receiver, the option that the error names, and its words if they are of webhooks alone. */
test.each<[options: object, option: string, message?: string]>([
  [{ dedup: false }, 'dedup'],
  [{ dedupe: { windowMS: 1 } }, 'dedupe.windowMS'],
  [{ dedupe: true }, 'dedupe'],
  [{ dedupe: null }, 'dedupe'],
  [{ dedupe: { window: 0 } }, 'dedupe.window'],
  [{ dedupe: { store: {} } }, 'dedupe.store'],
  [{ dedupe: { store: { claim: never } } }, 'dedupe.store'],
  [{ dedupe: { claim: never, complete: never } }, 'dedupe.store'],
  [{ deadline: 0 }, 'deadline'],
  [{ deadline: 59_001 }, 'deadline'],
  [{ maxBodyBytes: 0 }, 'maxBodyBytes'],
  [{ hooks: { onDelivery: 1 } }, 'hooks.onDelivery'],
  [{ hooks: { onDeliverey: never } }, 'hooks.onDeliverey'],
  [{ validation: 'lax' }, 'validation'],
  [{ logLevel: 'loud' }, 'logLevel'],
  [{ logger: { log: never } }, 'logger'],
  [{ onDrift: 'console' }, 'onDrift'],
  [{ inbox: {} }, 'inbox'],
  [
    { inbox: { ...inbox, storeTimeout: 55_000 } },
    'deadline',
    'above the storeTimeout of the inbox, 55000 ms',
  ],
  [{ inbox, deadline: 100, validation: 'strict' }, 'validation', OF_HANDLERS],
  [{ inbox, onDrift: never }, 'onDrift', OF_HANDLERS],
  [{ inbox, dedupe: {} }, 'dedupe', 'belongs to the inbox'],
  [{ inbox, handlers: createWebhookHandlers() }, 'handlers', 'belong to the worker: inbox.work(handlers)'],
  [{ handlers: createWebhookHandlers(), validation: 'off' }, 'validation', OF_HANDLERS],
  [{ handlers: createWebhookHandlers(), onDrift: never }, 'onDrift', OF_HANDLERS],
  [{ handlers: { lead_captured: never } }, 'handlers', 'must be made by createWebhookHandlers, got object'],
  [{ verifySecret }, 'verifySecret', 'cannot be combined with `secret`'],
  [{ secret: undefined, verifySecret: secret }, 'verifySecret'],
  [{ secret: (one: string) => one }, 'secret', 'To verify a secret, use the option `verifySecret`'],
])('a receiver refuses %j', (options, option, message = option) => {
  const create = () => createWebhookReceiver({ secret, ...options } as WebhookReceiverOptions);
  expect(create).toThrow(ConfigurationError);
  const words = expect.stringContaining(message) as string;
  expect(create).toThrow(expect.objectContaining({ option, message: words }));
});

test.each<object>([
  { deadline: 59_000 },
  { maxBodyBytes: 1 },
  { dedupe: { window: Number.POSITIVE_INFINITY } },
  { inbox: { ...inbox, storeTimeout: 54_999 } },
  { logger: { error: never, warn: never, info: never, debug: never }, logLevel: 'debug' },
])('a receiver takes %j', (options) => {
  expect(() => createWebhookReceiver({ secret, ...options })).not.toThrow();
});

test.each<[secret: unknown, option: string, message: string]>([
  [undefined, 'secret', 'got nothing. Is the environment variable set? Without secret and verifySecret, A'],
  ['', 'secret', 'got an empty string. Is the environment variable set?'],
  ['  ', 'secret', 'got an empty string.'],
  [null, 'secret', 'got null'],
  [7, 'secret', 'got number'],
  [[], 'secret', 'got array without a secret'],
  [{}, 'secret', 'got object without a secret'],
  [new Map([['acme', secret]]), 'secret', 'got Map'],
  [Buffer.from(secret), 'secret', 'got Uint8Array.'],
  // Its letters are fields, each of which would be a secret.
  [Object('abc'), 'secret', 'got String.'],
  [[secret, ''], 'secret[1]', `secret[1] ${verify}`],
  [{ acme: undefined }, 'secret.acme', `secret.acme ${verify}`],
  [{ acme: [secret, ''] }, 'secret.acme[1]', `secret.acme[1] ${verify}`],
  [{ acme: secret, globex: secret }, 'secret', 'same secret twice'],
  [[secret, secret], 'secret', 'same secret twice'],
  ['x'.repeat(4_097), 'secret', 'at most 4096 characters'],
  // `test/client/configuration.test.ts` has the forms.
  [`"${secret}"`, 'secret', `secret ${PASTED}`],
  [{ acme: ['null'] }, 'secret.acme[0]', `secret.acme[0] ${PASTED}`],
])('the secret %j is refused everywhere', async (given, option, words) => {
  vi.stubEnv('AGENT_PLATFORM_WEBHOOK_SECRET', undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const options = { secret: given } as { secret: string };
  const message = expect.stringContaining(words) as string;
  const refusal = expect.objectContaining({ type: 'configuration_error', option, message }) as Error;
  expect(() => createWebhookReceiver(options)).toThrow(refusal);
  expect(() => parseWebhook('{}', options)).toThrow(refusal);
  await expect(parseWebhookRequest('{}', options)).rejects.toThrow(refusal);
});

test.each([
  [{ secret, maxBytes: 1 }, 'maxBytes'],
  [{ secret, validaton: 'off' }, 'validaton'],
  [{ secret, maxBodyBytes: 0 }, 'maxBodyBytes'],
  [{ secret, maxBodyBytes: '1' }, 'maxBodyBytes'],
  [{ secret, validation: 'lax' }, 'validation'],
  [{ secret, onDrift: 1 }, 'onDrift'],
  [{ secret, verifySecret }, 'verifySecret'],
  [{ verifySecret: 'a-secret' }, 'verifySecret'],
])('parsing refuses %j', async (options, option) => {
  const refusal = { type: 'configuration_error', option };
  await expect(parseWebhookRequest('not JSON', options as never)).rejects.toMatchObject(refusal);
  if (option.startsWith('max')) return;
  expect(() => parseWebhook('not JSON', options as never)).toThrow(expect.objectContaining(refusal));
});

test.each<[run: () => unknown, message: string]>([
  [() => parseWebhook('{}', secret as never), 'options must be an object, got string. Pass { secret }.'],
  [
    () => parseWebhook('{}', Promise.resolve({ secret }) as never),
    'options must be an object, got a promise',
  ],
  [() => parseWebhook('{}', { secret: () => secret } as never), 'secret cannot be a function, because'],
  [() => parseWebhook('{}', { verifySecret } as never), 'verifySecret cannot be a function, because'],
  [() => createWebhookReceiver(secret as never), 'options'],
  [() => createWebhookReceiver({ webhookSecret: secret } as never), 'Did you mean `secret`?'],
  [() => createWebhookReceiver({ ['signing-secret']: secret } as never), 'Did you mean `secret`?'],
  [() => createWebhookHandlers({ secret } as never), 'createWebhookHandlers: secret is not a known option'],
  [() => createMemoryDedupe({ maxKeys: 0 }), 'maxKeys must be a whole number, 1 or more, got 0'],
  [() => createMemoryDedupe({ maxkeys: 1 } as never), 'Did you mean `maxKeys`?'],
])('a mistake says what was meant (%#)', (run, message) => {
  expect(run).toThrow(ConfigurationError);
  expect(run).toThrow(message);
});

test('all wrong options are named in one error', () => {
  expect(() => createWebhookReceiver({ secret: [], deadlin: 1, validation: 'lax' } as never)).toThrow(
    /createWebhookReceiver: 3 options .*\n.*validation must be one of .*\n.*deadlin .*Did.*\n.*secret must be a string/s,
  );
});

test.each([
  [{ dedupe: { window: 24 } }, 'dedupe.window is 24'],
  [{ deadline: 55 }, 'deadline is 55'],
])('%j is warned of: it may be in another unit', (options, warning) => {
  const line = `warn [agent-platform-sdk] receiver: ${warning} milliseconds, which is short. Is it in another unit?`;
  expect(setUp(options).lines).toEqual([line]);
});

test('a receiver with an inbox refuses handlers', () => {
  // From JavaScript: its type has no handlers.
  const { receiver } = setUp({ inbox });
  const message = expect.stringContaining('Pass them to the worker') as string;
  const refusal = expect.objectContaining({ option: 'inbox', message }) as Error;
  expect(() => receiver.on('lead_captured', never)).toThrow(refusal);
  for (const name of ['onAny', 'onUnhandled', 'onUnknown', 'onInvalid'] as const) {
    expect(() => receiver[name](never)).toThrow(refusal);
  }
});

const one = 'test-workspace-secret-0002';
test.each<[what: string, variable: string | undefined, option: WebhookReceiverOptions]>([
  ['of the variable', one, {}],
  ['of the variable, which has several', ` ${secret} , ${one},`, {}],
  ['of the variable, if the options are undefined', one, { secret: undefined }],
  ['of the option, split at commas', undefined, { secret: `${secret}, ${one}` }],
  ['of the option, whatever the variable is', secret, { secret: one }],
])('the secret is that %s', async (_, variable, option) => {
  vi.stubEnv('AGENT_PLATFORM_WEBHOOK_SECRET', variable);
  onTestFinished(() => void vi.unstubAllEnvs());
  const body = delivery('webhook_test', { workspaceSecret: one });
  const receiver = createWebhookReceiver({ logLevel: 'off', ...option });
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  expect(parseWebhook(body, option as object).type).toBe('webhook_test');
  expect((await parseWebhookRequest(body, option)).type).toBe('webhook_test');
});
