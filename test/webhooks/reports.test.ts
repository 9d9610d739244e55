import type { LogFields } from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delivery, secret } from './deliveries.js';
import { failing, forgetful, handling, setUp } from './receivers.js';

const acme = { acme: secret };

test('onDelivery gets the facts of a delivery', async () => {
  const { deliveries, send } = handling({ secret: acme });
  await send(delivery('webhook_test'));
  expect(deliveries).toEqual([
    {
      deliveryId: expect.any(String),
      type: 'webhook_test',
      workspace: 'acme',
      outcome: 'handled',
      status: 200,
      size: Buffer.byteLength(delivery('webhook_test')),
      durationMs: expect.any(Number),
    },
  ]);
});

test('the response does not wait for onDelivery', async () => {
  const { send } = handling({ hooks: { onDelivery: () => new Promise(() => undefined) } });
  expect(await send(delivery('webhook_test'))).toEqual([200]);
});

test('a duration is never negative, although the clock steps back', async () => {
  const { deliveries, lines, send } = handling({ logLevel: 'info' }, () => {
    vi.spyOn(Date, 'now').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
  });
  await send(delivery('webhook_test'));
  expect(deliveries[0]?.durationMs).toBeGreaterThanOrEqual(0);
  expect(lines.join()).toMatch(/200 handled after \d+ ms/);
});

test('an error of a handler is logged with message, stack and causes', async () => {
  const { lines, send } = handling({ secret: acme }, function saveLead() {
    throw new TypeError('the lead has no address', { cause: new Error('column is null') });
  });
  await send(delivery('webhook_test'));
  const [line = ''] = lines;
  expect(line).toMatch(
    /^error .*webhook webhook_test of "acme": failed at handler, delivery \S+: TypeError: the lead has/,
  );
  expect(line).toMatch(/\n {4}at .*saveLead/);
  expect(line).toMatch(/\n {2}Caused by: Error: column is null\n {4}at /);
});

const unreadable = Object.defineProperty(new Error('no'), 'cause', {
  get: () => {
    throw new Error('not readable');
  },
});
const circular = Object.assign(new Error('one'), { cause: new Error('two') });
circular.cause.cause = circular;
const fields = { code: 'E_CRM', token: 'hunter2', message: 'CRM is down' };

test.each<[what: string, thrown: unknown, line: RegExp]>([
  ['a text', 'sold out', /: sold out$/],
  ['null', null, /: null$/],
  ['an object', fields, /: an object, not an Error \(fields: code, token, message\): CRM is down$/],
  ['an error whose cause cannot be read', unreadable, /something that cannot be described/],
  [
    'errors that are the cause of each other',
    circular,
    /^(?:(?:(?!Caused by)[^])*Caused by){5}(?![^]*Caused by)/,
  ],
])('a handler that throws %s leaves one line', async (_, thrown, line) => {
  const { lines, send } = handling({}, () => Promise.reject(thrown));
  expect(await send(delivery('webhook_test'))).toEqual([500, 'handler_failed']);
  expect(lines).toEqual([expect.stringMatching(line)]);
  expect(lines.join()).not.toContain('hunter2');
});

const quoted = new RangeError(`where secret = ${secret}`);
const quoting = () => Promise.reject(quoted);

test.each<[string, Parameters<typeof setUp>[0]]>([
  ['secret', { verifySecret: quoting }],
  ['dedupe', { dedupe: { ...forgetful, claim: quoting } }],
  ['inbox', { inbox: { store: quoting } }],
])(
  'what fails at %s goes to onError as thrown, and is logged without its message',
  async (stage, options) => {
    const { receiver, lines, failures, send } = setUp(options);
    if (stage !== 'inbox') receiver.on('webhook_test', () => undefined);
    await send(delivery('webhook_test'));
    expect(failures).toEqual([[quoted, expect.objectContaining({ stage })]]);
    expect(lines).toEqual([expect.stringMatching(`failed at ${stage}, delivery \\S+: RangeError\\n {4}at `)]);
    expect(lines.join()).not.toContain(secret);
  },
);

test('lines carry their facts as fields, and a long type or name of a workspace is cut', async () => {
  const facts: (LogFields | undefined)[] = [];
  const take = (_: string, more?: LogFields) => void facts.push(more);
  const logger = { error: take, warn: take, info: take, debug: take };
  const { receiver, send } = setUp({ secret: { ['w'.repeat(101)]: secret }, logLevel: 'info', logger });
  receiver.onUnknown(({ type }) => (type === 'later' ? failing() : undefined));
  const { lines, send: sendOther } = setUp({ secret: { ['w'.repeat(101)]: secret } });
  await sendOther(delivery('t'.repeat(101), { more: 1 }));
  expect(lines.join()).toContain(`"${'t'.repeat(100)}"`);
  await send(delivery('t'.repeat(101)));
  await receiver.handle({ method: 'GET' });
  await send(delivery('later'));
  const durationMs = expect.any(Number) as number;
  const workspace = 'w'.repeat(101);
  const deliveryId = expect.any(String) as string;
  expect(facts).toEqual([
    { type: 't'.repeat(100), workspace, deliveryId, outcome: 'handled', status: 200, durationMs },
    { deliveryId, outcome: 'method_not_allowed', status: 405, durationMs },
    { type: 'later', workspace, deliveryId, outcome: 'handler_failed' },
    { type: 'later', workspace, deliveryId, outcome: 'handler_failed', status: 500, durationMs },
  ]);
});
