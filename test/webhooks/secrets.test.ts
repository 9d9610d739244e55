import {
  ConfigurationError,
  createWebhookReceiver,
  parseWebhook,
  type WebhookSecrets,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import { delivery } from './deliveries.js';

const [one, two, three] = ['secret-number-one', 'secret-number-two', 'secret-number-three'] as const;

const workspaceOf = (secret: WebhookSecrets, presented: unknown): string | undefined =>
  parseWebhook(delivery('webhook_test', { workspaceSecret: presented }), { secret }).workspace;

test.each([
  [one, 'acme'],
  [two, 'globex'],
  [three, 'globex'],
])('each secret of a list is genuine, and a named one tells whose it is (%s)', (presented, name) => {
  expect(workspaceOf([one, two, three], presented)).toBeUndefined();
  expect(workspaceOf({ acme: one, globex: [two, three] }, presented)).toBe(name);
});

test.each([
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
  ['an object', { toString: one }],
  ['no field', undefined],
])('%s is refused', (_, presented) => {
  expect(() => workspaceOf(one, presented)).toThrow(WebhookVerificationError);
});

test('a long secret is compared to its end', () => {
  // No letter stands where another would do.
  const long = Array.from({ length: 1_000 }, (_, at) => at.toString(36))
    .join('')
    .slice(0, 1_000);
  expect(workspaceOf({ acme: long, globex: 'short' }, long)).toBe('acme');
  expect(workspaceOf({ globex: 'short', acme: long }, long)).toBe('acme');
  expect(() => workspaceOf(long, `${long.slice(0, -1)}x`)).toThrow(WebhookVerificationError);
});

test('a workspace that is renamed in the record that was passed is known by its new name', () => {
  const secrets: Record<string, string> = { acme: one };
  expect(workspaceOf(secrets, one)).toBe('acme');
  delete secrets.acme;
  secrets.globex = one;
  expect(workspaceOf(secrets, one)).toBe('globex');
});

test('a secret that stands in a list now, or stands there alone, is known as before', () => {
  const secrets: Record<string, string | string[]> = { acme: one, globex: two };
  for (const held of [one, [one], [one, three], [three, one], [one], one]) {
    secrets.acme = held;
    expect([workspaceOf(secrets, one), workspaceOf(secrets, two)]).toEqual(['acme', 'globex']);
  }
  delete secrets.globex;
  expect(() => workspaceOf(secrets, two)).toThrow(WebhookVerificationError);
  secrets.acme = [one];
  expect(workspaceOf(secrets, one)).toBe('acme');
});

test('as many letters are compared wherever the first wrong one is, and if none is', () => {
  const long = 'abcdefghijklmnop'.repeat(4);
  const body = (presented: string) => ({ type: 'webhook_test', payload: { workspaceSecret: presented } });
  const compared = [0, 1, 31, 62, 63, 64].map((at) => {
    const presented = `${long.slice(0, at)}${at < 64 ? '~' : ''}${long.slice(at + 1)}`;
    const read = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      parseWebhook(body(presented), { secret: { acme: long, globex: 'short' }, validation: 'off' });
    } catch (error) {
      expect(error).toBeInstanceOf(WebhookVerificationError);
    }
    const { length } = read.mock.calls;
    read.mockRestore();
    return length;
  });
  expect(compared[0]).toBeGreaterThanOrEqual(2 * long.length);
  expect(new Set(compared).size).toBe(1);
});

test('thousands of workspaces are told apart', () => {
  const secrets = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, i) => [`workspace_${i}`, `secret_${i}`]),
  );
  expect(workspaceOf(secrets, 'secret_4321')).toBe('workspace_4321');
});

test.each<[string, WebhookSecrets & object, object, object]>([
  ['list', [one, three], [three, two], [one, three]],
  ['record', { acme: one }, { acme: two }, { acme: one }],
  ['list in a record', { acme: [one] }, { acme: [two] }, { acme: [one] }],
])('a %s goes by what it holds when parseWebhook is called', (_, secrets, changed, asBefore) => {
  const isGenuine = (presented: string) => {
    try {
      workspaceOf(secrets, presented);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(WebhookVerificationError);
      return false;
    }
  };
  expect([isGenuine(one), isGenuine(two)]).toEqual([true, false]);
  Object.assign(secrets, changed);
  expect([isGenuine(one), isGenuine(two)]).toEqual([false, true]);
  // A rotation was taken back.
  Object.assign(secrets, asBefore);
  expect([isGenuine(one), isGenuine(two)]).toEqual([true, false]);
});

test('a list or a record of a receiver is read once', async () => {
  const secrets = { acme: one } as Record<string, string>;
  const receiver = createWebhookReceiver({ secret: secrets, logLevel: 'off' });
  secrets.acme = two;
  const body = delivery('webhook_test', { workspaceSecret: one });
  expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
});

test('a list that has been emptied is refused', () => {
  const secrets: string[] = [one];
  expect(workspaceOf(secrets, one)).toBeUndefined();
  secrets.pop();
  expect(() => workspaceOf(secrets, one)).toThrow(ConfigurationError);
});

test('a list that holds a secret twice since it was passed is refused each time', () => {
  const secrets: string[] = [one];
  expect(workspaceOf(secrets, one)).toBeUndefined();
  secrets.splice(0, 1, two, two);
  for (const presented of [two, two])
    expect(() => workspaceOf(secrets, presented)).toThrow(ConfigurationError);
});

test('another single secret is another verifier', () => {
  expect(workspaceOf(one, one)).toBeUndefined();
  expect(() => workspaceOf(two, one)).toThrow(WebhookVerificationError);
});

test.each<[got: string, secret: unknown]>([
  ['nothing. Is the environment variable set? A function can load it later.', undefined],
  ['an empty string. Is the environment variable set? A function can load it later.', ''],
  ['an empty string.', '  '],
  ['null.', null],
  ['number.', 7],
])('a secret that is no text, or empty, is refused: got %s', (got, secret) => {
  const secretOf = () => createWebhookReceiver({ secret: secret as string });
  const from = "from the dashboard's workspace switcher";
  expect(secretOf).toThrow(
    new ConfigurationError(`secret must be a workspace secret, ${from}, got ${got}`, { option: 'secret' }),
  );
});

test.each<[name: string, secret: unknown, option: string]>([
  ['missing', undefined, 'secret'],
  ['null', null, 'secret'],
  ['a number', 7, 'secret'],
  ['empty', '', 'secret'],
  ['blank', '  ', 'secret'],
  ['an empty list', [], 'secret'],
  ['an empty record', {}, 'secret'],
  ['empty in a list', [one, ''], 'secret[1]'],
  ['empty in a record', { acme: '' }, 'secret.acme'],
  ['empty in a list in a record', { acme: [one, ''] }, 'secret.acme[1]'],
  ['an empty list in a record', { acme: [] }, 'secret.acme'],
  ['of another type in a record', { acme: undefined }, 'secret.acme'],
  ['twice in a record', { acme: one, globex: one }, 'secret'],
  ['twice in a list', [one, one], 'secret'],
])('a secret that is %s is refused at once, and not shown', (_, secret, option) => {
  const create = () => createWebhookReceiver({ secret: secret as string });
  expect(create).toThrow(ConfigurationError);
  expect(create).toThrow(expect.objectContaining({ option, message: expect.not.stringContaining(one) }));
  expect(() => parseWebhook('{}', { secret: secret as string })).toThrow(ConfigurationError);
});

test.each<[secret: WebhookSecrets, message: string]>([
  [[], 'secret holds no secret.'],
  [{ acme: [] }, 'secret.acme holds no secret.'],
  [{}, 'secret holds no secret: give a string, a list, or a plain object of names and secrets.'],
  [[one, one], 'secret holds the same secret twice.'],
])('the secrets %j are refused in these words: %s', (secret, message) => {
  expect(() => createWebhookReceiver({ secret })).toThrow(expect.objectContaining({ message }));
});

test.each([255, 256, 257, 512])(
  'a secret of %i letters is known, and one letter more or less is not',
  (length) => {
    const long = 'x'.repeat(length);
    expect(workspaceOf({ acme: long }, long)).toBe('acme');
    for (const wrong of [long.slice(1), `${long}x`, `${long}\0`]) {
      expect(() => workspaceOf(long, wrong)).toThrow(WebhookVerificationError);
    }
  },
);

test('white space around a secret is not part of it: a file ends with a line break', () => {
  expect(workspaceOf({ acme: `${one}\n` }, one)).toBe('acme');
  expect(workspaceOf({ acme: `\t ${one}` }, one)).toBe('acme');
});

test.each<[string, unknown]>([
  ['a boxed string, whose letters would each be a secret', new String(one)],
  ['a map, which has no fields', new Map([['acme', one]])],
])('%s is refused', (_, secrets) => {
  expect(() => workspaceOf(secrets as WebhookSecrets, 't')).toThrow(ConfigurationError);
});

test('there can be very many secrets', () => {
  const secrets = Array.from({ length: 200_000 }, (_, index) => `secret-number-${index}`);
  expect(workspaceOf(secrets, 'secret-number-199999')).toBeUndefined();
});
