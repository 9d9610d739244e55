import {
  parseWebhook,
  parseWebhookRequest,
  type WebhookSecrets,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, envelope } from './deliveries.js';
import { setUp } from './receivers.js';

const one = 'test-workspace-secret-0001';
const two = 'test-workspace-secret-0002';
const three = 'test-workspace-secret-0003';
const quoted = 'a"quoted\\"secret\\';
const long = 's'.repeat(4_096);
const named = { acme: one, globex: [two, three] };
const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`w${at}`, `secret-${at}-`]));
/** As of another realm. */
const bare = Object.assign(Object.create(null) as Record<string, string>, { acme: one, globex: two });

const parse = (workspaceSecret: unknown, secret: WebhookSecrets) =>
  parseWebhook(delivery('webhook_test', { workspaceSecret }), { secret });

test.each<[given: string, secrets: WebhookSecrets, workspace?: string]>([
  [one, named, 'acme'],
  [two, named, 'globex'],
  [three, named, 'globex'],
  [two, bare, 'globex'],
  ['secret-19999-', many, 'w19999'],
  // A file ends with a line break.
  [one, `${one}\n`],
  [one, { acme: [`${one}\n`] }, 'acme'],
  [two, `${one}, ${two}`],
  ['one,two', ['one,two']],
  ['one,two', { acme: 'one,two' }, 'acme'],
  [quoted, quoted],
  ...[1, 255, 256, 257, 4_096].map((length): [string, string[]] => [
    long.slice(0, length),
    [long.slice(0, length), two],
  ]),
])('the secret %s verifies, and one with another end does not', (given, secrets, workspace) => {
  expect(parse(given, secrets).workspace).toBe(workspace);
  for (const wrong of [`${given.slice(0, -1)}x`, given.slice(0, -1), `${given}x`]) {
    expect(() => parse(wrong, secrets)).toThrow(WebhookVerificationError);
  }
});

test.each<[string, unknown]>([
  ['the secret twice', one + one],
  ['another case', one.toUpperCase()],
  ['a difference at the start', `x${one.slice(1)}`],
  ['nothing', ''],
  ['zeros', '\0'.repeat(one.length)],
  ['zeros behind it', one.padEnd(256, '\0')],
  ['a very long one', 'x'.repeat(1_000_000)],
  ['null', null],
  ['a number', 1],
  ['a list with the secret', [one]],
  ['no field', undefined],
])('%s does not verify', (_, given) => {
  for (const secret of [one, [two, one], { acme: one }]) {
    expect(() => parse(given, secret)).toThrow(WebhookVerificationError);
    const parsed = envelope('webhook_test', { workspaceSecret: given });
    expect(() => parseWebhook(parsed, { secret })).toThrow(WebhookVerificationError);
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

test('parseWebhook reads a list of secrets in each call, a receiver once', async () => {
  const list = [one];
  const { send } = setUp({ secret: list });
  expect(parse(one, list).type).toBe('webhook_test');
  list[0] = two;
  expect(() => parse(one, list)).toThrow(WebhookVerificationError);
  expect(parse(two, list).type).toBe('webhook_test');
  const statuses = [one, two].map((workspaceSecret) => send(delivery('webhook_test', { workspaceSecret })));
  expect(await Promise.all(statuses)).toEqual([[200], [401, 'verification_failed']]);
});

test('a text without a valid secret is not parsed', async () => {
  const forged = delivery('webhook_test', { workspaceSecret: 'forged', more: 'x'.repeat(10_000) });
  const parsing = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parsing.mockRestore());
  await setUp({ secret: one }).receiver.handle({ method: 'POST', body: forged });
  expect(() => parseWebhook(forged, { secret: one })).toThrow(WebhookVerificationError);
  await expect(parseWebhookRequest(forged, { secret: one })).rejects.toThrow(WebhookVerificationError);
  expect(Math.max(...parsing.mock.calls.map(([parsed]) => parsed.length))).toBe('"forged"'.length);
});

test.each<[what: string, secret: WebhookSecrets | (() => WebhookSecrets)]>([
  ['a known secret', one],
  ['one that is loaded', () => one],
])('%s is found behind 999 other fields of that name: a chat may quote it', async (_, secret) => {
  const { send } = setUp({ secret });
  const behind = (length: number) => {
    const quoted = Array.from({ length }, (_, at) => ({ workspaceSecret: `quoted ${at}` }));
    return send(JSON.stringify({ quoted, ...envelope('webhook_test', { workspaceSecret: one, length }) }));
  };
  // The second one while no load is due: nothing waits if the secret is known.
  for (const length of [17, 999]) expect(await behind(length)).toEqual([200]);
  expect((await behind(1_000))[0]).toBe(401);
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
  // What looks pasted is refused at creation.
  const secrets = fc
    .string({ minLength: 1, unit: 'grapheme-ascii' })
    .filter((one) => !/^["'`<{[$%]|[ =,]|["'`>};]$/.test(one));
  fc.assert(
    fc.property(json, secrets, fc.nat(4), (beside, secret, indent) => {
      const payload = { message: 'm', createdAt: 1, ...(beside as object), workspaceSecret: secret };
      const sent = { beside, type: 'later_event', payload, after: beside };
      const text = JSON.stringify(sent, undefined, indent);
      // Verified, and of an unknown type.
      expect(() => parseWebhook(text, { secret, validation: 'off' })).toThrow(/not known to this version/);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 500) },
  );
});
