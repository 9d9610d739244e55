import {
  createWebhookReceiver,
  parseWebhook,
  parseWebhookRequest,
  type WebhookSecretOptions,
  WebhookVerificationError,
} from 'agent-platform-sdk';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { presentedIn } from '../../src/webhooks/presented.js';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, envelope, secret } from './deliveries.js';
import { ManualClock } from './manual-clock.js';

afterEach(() => {
  vi.restoreAllMocks();
});

const forged = delivery('webhook_test', { workspaceSecret: 'forged' });
const genuine = delivery('webhook_test');

const ways: readonly [string, WebhookSecretOptions][] = [
  ['a known secret', { secret }],
  ['a secret that is loaded', { secret: () => secret }],
  ['a look-up', { verifySecret: (presented) => presented === secret }],
];

test.each(ways)('by %s, nothing is parsed of a body that holds no genuine secret', async (_, secrets) => {
  const receiver = createWebhookReceiver({ ...secrets, logger: new RecordingLogger() });
  const bodies = [
    forged,
    '[[[['.repeat(1_000),
    '{"payload":{"workspaceSecret":""}}',
    '{"payload":{"workspaceSecret":7}}',
    `{"payload":{"workspaceSecret" "${secret}"}}`,
    `{"payload":{"workspaceSecret":"${secret}`,
    `{"payload":{"workspaceSecret":["${secret}"]}}`,
    `"${secret}"`,
    `["workspaceSecret","${secret}"]`,
    `{"payload":{"workspaceSecret":'${secret}"}}`,
    `{"payload":{"my_workspaceSecret":"${secret}"}}`,
  ];
  const parse = vi.spyOn(JSON, 'parse');
  // The test runner parses too: the source map of a file of which an error tells.
  const parsed = () =>
    parse.mock.calls.map(([text]) => text).filter((text) => !text.startsWith('{"version"'));
  for (const body of bodies) {
    for (const sent of [body, new TextEncoder().encode(body)]) {
      expect((await receiver.handle({ method: 'POST', body: sent })).status).toBe(401);
      await expect(parseWebhookRequest(sent, secrets)).rejects.toThrow(WebhookVerificationError);
      expect(() => parseWebhook(sent, { secret })).toThrow(WebhookVerificationError);
    }
  }
  expect(parsed()).toEqual([]);
  expect((await receiver.handle({ method: 'POST', body: genuine })).status).toBe(200);
  expect(parsed()).toEqual([genuine]);
});

test.each(ways)(
  'by %s, a genuine secret in another place than the payload verifies nothing',
  async (_, secrets) => {
    const receiver = createWebhookReceiver({ ...secrets, logger: new RecordingLogger() });
    receiver.onAny(() => expect.unreachable());
    for (const body of [
      JSON.stringify({ workspaceSecret: secret, payload: {} }),
      JSON.stringify({ payload: { inner: { workspaceSecret: secret }, workspaceSecret: 'forged' } }),
      JSON.stringify([{ payload: { workspaceSecret: secret } }]),
    ]) {
      expect((await receiver.handle({ method: 'POST', body })).status).toBe(401);
    }
  },
);

test.each<[string, string]>([
  ['a letter of the key by its number', genuine.replace('"workspaceSecret"', '"\\u0077orkspaceSecret"')],
  ['all letters of the key by their numbers', genuine.replace('workspaceSecret', (key) => escaped(key))],
  ['digits in capitals', genuine.replace('"workspaceSecret"', '"w\\u006Frkspa\\u0063eSecret"')],
  ['white space around the colon', genuine.replace('"workspaceSecret":', '"workspaceSecret" \t\r\n:\n\t ')],
  ['the value by numbers', genuine.replace(secret, escaped(secret))],
  ['a byte order mark', `\ufeff${genuine}`],
  ['a key that ends as the key does', genuine.replace('{"message"', '{"a \\"workspaceSecret":"x","message"')],
  ['another value before', genuine.replace('{"message"', '{"workspaceSecret":"forged","message"')],
  ['a key that ends alike before', genuine.replace('{"message"', '{"serverUrlSecret":"x","message"')],
  ['the key as a value before', genuine.replace('{"message"', '{"a":"workspaceSecret","message"')],
])('a genuine delivery is known with %s', async (_, body) => {
  expect(body).not.toBe(genuine);
  for (const [, secrets] of ways) {
    const receiver = createWebhookReceiver({ ...secrets, logger: new RecordingLogger() });
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(200);
    expect((await parseWebhookRequest(body, secrets)).type).toBe('webhook_test');
  }
  expect(parseWebhook(body, { secret }).type).toBe('webhook_test');
});

test('a body whose beginning is missing is genuine, and no JSON: not forged, wherever it begins', async () => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  const whole = `{"payload":{"a":{"workspaceSecret":"x"},"workspaceSecret":"${secret}"}}`;
  for (let start = 1; start < whole.lastIndexOf('"workspaceSecret"'); start += 1) {
    const body = whole.slice(start);
    expect((await receiver.handle({ method: 'POST', body })).status, body).toBe(400);
  }
});

test('a text that is no JSON where it presents a secret is searched no further', async () => {
  const receiver = createWebhookReceiver({ secret, logger: new RecordingLogger() });
  const broken = '"workspaceSecret":"\\x",'.repeat(1_000);
  const parse = vi.spyOn(JSON, 'parse');
  for (const body of [
    `{"payload":{${broken}"a":1}}`,
    `{"payload":{${broken}"workspaceSecret":"${secret}"}}`,
  ]) {
    expect((await receiver.handle({ method: 'POST', body })).status).toBe(401);
    expect(() => parseWebhook(body, { secret })).toThrow(WebhookVerificationError);
  }
  expect(parse.mock.calls.filter(([text]) => text === '"\\x"')).toHaveLength(4);
});

test('however many secrets a body presents, those of a list or a record are looked at once more for it', () => {
  let looks = 0;
  const secrets = {
    get acme() {
      looks += 1;
      return secret;
    },
  };
  const body = `{"payload":{${'"workspaceSecret":"forged",'.repeat(1_000)}"a":1}}`;
  expect(parseWebhook(genuine, { secret: secrets }).workspace).toBe('acme');
  const before = looks;
  expect(() => parseWebhook(body, { secret: secrets })).toThrow(WebhookVerificationError);
  expect(looks - before).toBe(1);
});

test('a secret that is new in a list is found in a body that presents others first', () => {
  const secrets = [secret];
  const nested = JSON.stringify({
    type: 'webhook_test',
    payload: { args: [{ workspaceSecret: 'x' }], workspaceSecret: 'secret-of-tomorrow' },
  });
  expect(() => parseWebhook(nested, { secret: secrets, validation: 'report' })).toThrow(
    WebhookVerificationError,
  );
  secrets.push('secret-of-tomorrow');
  expect(parseWebhook(nested, { secret: secrets, validation: 'report' }).type).toBe('webhook_test');
});

test('where a look-up fails for another secret of a body, the genuine one counts', async () => {
  const verifySecret = async (presented: string) => {
    if (presented === secret || presented === 'another') return presented === secret;
    throw new Error('down');
  };
  const logger = new RecordingLogger();
  const receiver = createWebhookReceiver({ verifySecret, logger, validation: 'report' });
  const send = async (payload: object) => {
    const body = JSON.stringify({ type: 'webhook_test', payload });
    return (await receiver.handle({ method: 'POST', body })).status;
  };
  const args = [{ workspaceSecret: 'x' }, { workspaceSecret: 'y' }];
  expect(await send({ args, workspaceSecret: secret })).toBe(200);
  expect(await send({ args, workspaceSecret: 'z' })).toBe(500);
  // That one of them is none says nothing of the others.
  expect(await send({ args, workspaceSecret: 'another' })).toBe(500);
});

test('behind one of which nothing can be said, fifteen more are asked about at most', async () => {
  const load = vi.fn(() => {
    throw new Error('down');
  });
  const values = Array.from({ length: 100 }, (_, at) => `{"workspaceSecret":"forged-${at}"}`);
  const body = `{"payload":{"args":[${values.join()}]}}`;
  await expect(parseWebhookRequest(body, { secret: load })).rejects.toThrow('failed to load');
  expect(load).toHaveBeenCalledTimes(16);
});

test('while secrets cannot be loaded, a genuine one of the last goes on behind others in its body', async () => {
  const clock = new ManualClock();
  let isDown = false;
  const load = () => {
    if (isDown) throw new Error('down');
    return [secret];
  };
  const receiver = createWebhookReceiver({
    secret: load,
    clock,
    logger: new RecordingLogger(),
    validation: 'report',
  });
  const send = async (payload: object) => {
    const body = JSON.stringify({ type: 'webhook_test', payload: { ...payload, workspaceSecret: secret } });
    return (await receiver.handle({ method: 'POST', body })).status;
  };
  expect(await send({})).toBe(200);
  isDown = true;
  await clock.advance(11_000);
  expect(await send({ args: [{ workspaceSecret: 'x' }] })).toBe(200);
});

test('a secret that holds quotation marks and backslashes is known', () => {
  const quoted = 'a"quoted\\"secret\\';
  const body = delivery('webhook_test', { workspaceSecret: quoted });
  expect(parseWebhook(body, { secret: quoted }).type).toBe('webhook_test');
});

function escaped(text: string): string {
  return Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

test('whatever stands beside it, a secret that JSON.parse finds is found in the text', () => {
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
    fc.property(json, fc.string({ minLength: 1, unit: 'binary' }), fc.nat(4), (beside, presented, indent) => {
      const payload = { ...(beside as object), workspaceSecret: presented };
      const text = JSON.stringify({ beside, payload, after: beside }, undefined, indent);
      expect([...presentedIn(text)]).toContain(presented);
    }),
  );
});

test('a look-up is asked once about a secret, and about sixteen in one body at most', async () => {
  const asked: string[] = [];
  const verifySecret = (presented: string) => {
    asked.push(presented);
    return presented === secret;
  };
  const receiver = createWebhookReceiver({ verifySecret, logger: new RecordingLogger() });
  await receiver.handle({ method: 'POST', body: genuine });
  await receiver.handle({ method: 'POST', body: envelope('webhook_test') });
  expect(asked).toEqual([secret, secret]);
  asked.length = 0;
  const many = Array.from({ length: 1_000 }, (_, index) => `{"workspaceSecret":"forged ${index % 500}"}`);
  expect((await receiver.handle({ method: 'POST', body: `[${many.join()}]` })).status).toBe(401);
  expect(asked).toHaveLength(16);
});
