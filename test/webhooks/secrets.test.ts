import {
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  type WebhookReceiverOptions,
  type WebhookSecrets,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope, post } from './deliveries.js';

const one = 'test-workspace-secret-0001';
const two = 'test-workspace-secret-0002';
const three = 'test-workspace-secret-0003';
const parse = (workspaceSecret: unknown, secret: WebhookSecrets) =>
  parseWebhook(delivery('webhook_test', { workspaceSecret }), { secret });

test.each([
  [one, 'acme'],
  [two, 'globex'],
  [three, 'globex'],
])('the secret %s is that of %s', (given, workspace) => {
  expect(parse(given, { acme: one, globex: [two, three] }).workspace).toBe(workspace);
});

test.each<[string, unknown]>([
  ['a prefix', one.slice(0, -1)],
  ['an extension', `${one}x`],
  ['the secret twice', one + one],
  ['another case', one.toUpperCase()],
  ['a difference at the start', `x${one.slice(1)}`],
  ['a difference at the end', `${one.slice(0, -1)}x`],
  ['nothing', ''],
  ['zeros', '\0'.repeat(one.length)],
  ['a very long one', 'x'.repeat(1_000_000)],
  ['null', null],
  ['a number', 1],
  ['a list with the secret', [one]],
  ['no field', undefined],
])('%s does not verify', (_, given) => {
  for (const secret of [one, [two, one], { acme: one }]) {
    expect(() => parse(given, secret)).toThrow(WebhookVerificationError);
    expect(() => parseWebhook(envelope('webhook_test', { workspaceSecret: given }), { secret })).toThrow(
      WebhookVerificationError,
    );
  }
});

test('the number of characters compared does not depend on where the first wrong one is', () => {
  const counts = [`x${one.slice(1)}`, `${one.slice(0, -1)}x`, one].map((given) => {
    const spied = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      parseWebhook(envelope('webhook_test', { workspaceSecret: given }), { secret: one });
    } catch {
      // Only the count matters.
    }
    const count = spied.mock.calls.length;
    spied.mockRestore();
    return count;
  });
  expect(new Set(counts).size).toBe(1);
});

test.each([1, 255, 256, 257, 4_096])('a secret of %i characters is compared to its end', (length) => {
  const long = 's'.repeat(length);
  expect(parse(long, [long, two]).type).toBe('webhook_test');
  expect(() => parse(`${long.slice(0, -1)}x`, [long, two])).toThrow(WebhookVerificationError);
});

test('there can be very many workspaces', () => {
  const secrets = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`w${index}`, `secret-${index}`]),
  );
  expect(parse('secret-19999', secrets).workspace).toBe('w19999');
});

test('white space around a secret is not part of it: a file ends with a line break', () => {
  expect(parse(one, `${one}\n`).type).toBe('webhook_test');
});

test('a secret with quotation marks and backslashes is found', () => {
  const quoted = 'a"quoted\\"secret\\';
  expect(parse(quoted, quoted).type).toBe('webhook_test');
});

test('parseWebhook reads a list of secrets in each call, a receiver once', async () => {
  const list = [one];
  const receiver = createWebhookReceiver({ secret: list, logLevel: 'off' });
  const post = (workspaceSecret: string) =>
    receiver.handle({ method: 'POST', body: delivery('webhook_test', { workspaceSecret }) });
  expect(parse(one, list).type).toBe('webhook_test');
  list[0] = two;
  expect(() => parse(one, list)).toThrow(WebhookVerificationError);
  expect(parse(two, list).type).toBe('webhook_test');
  expect([(await post(one)).status, (await post(two)).status]).toEqual([200, 401]);
});

test('a record without a prototype is a record', () => {
  const secrets = Object.assign(Object.create(null) as Record<string, string>, { acme: one, globex: two });
  expect(parse(two, secrets)).toMatchObject({ workspace: 'globex' });
});

test.each<[name: string, secret: unknown, option: string, got: RegExp]>([
  ['undefined', undefined, 'secret', /got nothing\. Is the environment variable set\?/],
  ['empty', '', 'secret', /got an empty string\. Is the environment variable set\?/],
  ['blank', '  ', 'secret', /got an empty string\.$/],
  ['null', null, 'secret', /got null/],
  ['a number', 7, 'secret', /got number/],
  ['an empty list', [], 'secret', /secret is empty/],
  ['an empty record', {}, 'secret', /secret is empty/],
  ['empty in a list', [one, ''], 'secret[1]', /secret\[1\] must be a workspace secret/],
  ['undefined in a record', { acme: undefined }, 'secret.acme', /secret\.acme must be a workspace secret/],
  ['empty in a list in a record', { acme: [one, ''] }, 'secret.acme[1]', /secret\.acme\[1\]/],
  ['twice in a record', { acme: one, globex: one }, 'secret', /same secret twice/],
  ['twice in a list', [one, one], 'secret', /same secret twice/],
  ['too long', 'x'.repeat(4_097), 'secret', /at most 4096 characters/],
  ['a map', new Map([['acme', one]]), 'secret', /got object/],
])('a secret that is %s is refused everywhere', async (_, secret, option, message) => {
  const options = { secret } as WebhookReceiverOptions;
  const refusal = expect.objectContaining({
    option,
    message: expect.stringMatching(message) as string,
  }) as Error;
  expect(() => createWebhookReceiver(options)).toThrow(refusal);
  expect(() => createWebhookReceiver(options)).toThrow(ConfigurationError);
  expect(() => parseWebhook('{}', options as { secret: string })).toThrow(refusal);
  await expect(parseWebhookRequest('{}', options)).rejects.toThrow(refusal);
});

const inEnvironment = (value: string | undefined) => {
  vi.stubEnv('AGENT_PLATFORM_WEBHOOK_SECRET', value);
  onTestFinished(() => void vi.unstubAllEnvs());
};

test('without the option, the variable has the secret, or several separated by commas', async () => {
  for (const value of [one, ` ${one} , ${two},`]) {
    inEnvironment(value);
    const body = delivery('webhook_test', { workspaceSecret: one });
    expect(parseWebhook(body).type).toBe('webhook_test');
    expect((await parseWebhookRequest(body)).type).toBe('webhook_test');
    const receiver = createWebhookReceiver().onAny(() => undefined);
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
  }
});

test('a receiver without any secret does not start', () => {
  inEnvironment(undefined);
  for (const create of [
    () => createWebhookReceiver(),
    () => createWebhookReceiver({}),
    () => parseWebhook('{}'),
  ]) {
    expect(create).toThrow(ConfigurationError);
    expect(create).toThrow(
      /secret must be a workspace secret.*Without secret and verifySecret, AGENT_PLATFORM_WEBHOOK_SECRET is read/,
    );
  }
});

test('an undefined option is an absent one, as in the client', async () => {
  inEnvironment(one);
  const receiver = createWebhookReceiver({ secret: undefined, verifySecret: undefined }).onAny(
    () => undefined,
  );
  expect((await receiver.handle(post('webhook_test', { workspaceSecret: one }))).status).toBe(200);
  const text = delivery('webhook_test', { workspaceSecret: one });
  expect(parseWebhook(text, { secret: undefined })).toMatchObject({ type: 'webhook_test' });
  expect(await parseWebhookRequest(text, { secret: undefined })).toMatchObject({ type: 'webhook_test' });
});

test('a text without a valid secret is not parsed', async () => {
  const text = delivery('webhook_test', { workspaceSecret: 'forged', more: 'x'.repeat(10_000) });
  const parsing = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsing.mockRestore());
  const receiver = createWebhookReceiver({ secret: one, logLevel: 'off' });
  expect((await receiver.handle({ method: 'POST', body: text })).status).toBe(401);
  expect(() => parseWebhook(text, { secret: one })).toThrow(WebhookVerificationError);
  await expect(parseWebhookRequest(text, { secret: one })).rejects.toThrow(WebhookVerificationError);
  expect(Math.max(...parsing.mock.calls.map(([parsed]) => parsed.length))).toBe('"forged"'.length);
});

test('whatever appears beside it, the secret in a payload is found in the text', () => {
  const key = fc.oneof(
    fc.string(),
    fc.constantFrom('workspaceSecret', 'a"workspaceSecret', 'workspaceSecret\\'),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.string(), key, fc.jsonValue(), tie('list'), tie('record')),
    list: fc.array(tie('value'), { maxLength: 4 }),
    record: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  })).record;
  fc.assert(
    fc.property(json, fc.string({ minLength: 1, unit: 'binary' }), fc.nat(4), (beside, given, indent) => {
      // What looks pasted is refused at creation.
      fc.pre(given.trim() === given && given !== '' && !/^["'`$<{[\p{Pi}\p{Pf}„‚]|[=:#\p{Cf}]/u.test(given));
      const payload = { message: 'm', createdAt: 1, ...(beside as object), workspaceSecret: given };
      const text = JSON.stringify({ beside, type: 'later_event', payload, after: beside }, undefined, indent);
      // Verified, and of an unknown type.
      expect(() => parseWebhook(text, { secret: given, validation: 'off' })).toThrow(
        /not known to this version/,
      );
    }),
  );
});
