import {
  createWebhookReceiver,
  type DeliveryHookContext,
  type LogFields,
  type StoringReceiverOptions,
  type WebhookReceiverOptions,
  type WebhookRejection,
} from 'agent-platform-sdk';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RecordingLogger } from '../support/recording-logger.js';
import { delivery, post, secret } from './deliveries.js';

function setUp(options: WebhookReceiverOptions | Partial<StoringReceiverOptions> = {}) {
  const logger = new RecordingLogger();
  const deliveries: DeliveryHookContext[] = [];
  const receiver = createWebhookReceiver({
    secret: { acme: secret },
    logger,
    hooks: { onDelivery: (one) => deliveries.push(one) },
    ...options,
  } as WebhookReceiverOptions);
  return { receiver, logger, deliveries };
}

test('onDelivery is called once for each delivery, for every outcome', async () => {
  const { receiver, deliveries } = setUp();
  receiver.on('lead_captured', () => Promise.reject(new Error('no'))).on('webhook_test', () => undefined);
  for (const request of [
    post('webhook_test'),
    post('webhook_test'),
    post('lead_captured'),
    post('agent_deleted'),
    post('client_deleted', { clientId: null }),
    { method: 'POST', body: '{}' },
    { method: 'GET' },
  ]) {
    await receiver.handle(request);
  }
  expect(deliveries.map(({ outcome, status, type }) => [outcome, status, type])).toEqual([
    ['handled', 200, 'webhook_test'],
    ['duplicate', 200, 'webhook_test'],
    ['handler_failed', 500, 'lead_captured'],
    ['no_handler', 200, 'agent_deleted'],
    ['invalid_event', 400, 'client_deleted'],
    ['verification_failed', 401, undefined],
    ['method_not_allowed', 405, undefined],
  ]);
  expect(deliveries[0]).toEqual({
    deliveryId: expect.any(String),
    type: 'webhook_test',
    workspace: 'acme',
    outcome: 'handled',
    status: 200,
    size: Buffer.byteLength(delivery('webhook_test')),
    durationMs: expect.any(Number),
  });
});

test('a duration is never negative, although the clock steps back', async () => {
  const { receiver, logger, deliveries } = setUp({ logLevel: 'info' });
  receiver.onAny(() => {
    vi.spyOn(Date, 'now').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
  });
  await receiver.handle(post('webhook_test'));
  expect(deliveries[0]?.durationMs).toBeGreaterThanOrEqual(0);
  expect(logger.lines.join()).toMatch(/200 handled after \d+ ms/);
});

test.each<[string, () => unknown]>([
  ['throws', () => Promise.reject(new Error('again'))],
  ['never settles', () => new Promise(() => undefined)],
])('an onDelivery that %s changes no response', async (_, onDelivery) => {
  const { receiver, logger } = setUp({ hooks: { onDelivery } });
  receiver.on('webhook_test', () => undefined);
  expect((await receiver.handle(post('webhook_test'))).status).toBe(200);
  await vi.waitFor(() => {
    const failed = logger.lines.filter((line) => line.includes('the hook onDelivery failed: Error: again'));
    expect(failed).toHaveLength(_ === 'throws' ? 1 : 0);
  });
});

test('an error of a handler is logged with message, stack and causes', async () => {
  const { receiver, logger } = setUp();
  receiver.on('webhook_test', function saveLead() {
    throw new TypeError('the lead has no address', { cause: new Error('column is null') });
  });
  const response = await receiver.handle(post('webhook_test'));
  const [line = ''] = logger.lines;
  expect(line).toMatch(
    /^error .*webhook webhook_test of "acme": failed at handler, delivery \S+: TypeError: the lead has/,
  );
  expect(line).toMatch(/\n {4}at .*saveLead/);
  expect(line).toMatch(/\n {2}Caused by: Error: column is null\n {4}at /);
  expect(JSON.stringify(response)).not.toContain('address');
});

test.each([
  ['a text', 'sold out', /: sold out$/],
  ['null', null, /: null$/],
])('a handler that throws %s leaves one line', async (_, thrown, line) => {
  const { receiver, logger } = setUp();
  receiver.on('webhook_test', () => Promise.reject(thrown));
  await receiver.handle(post('webhook_test'));
  expect(logger.lines).toEqual([expect.stringMatching(line)]);
});

test('an error whose cause cannot be read leaves a line', async () => {
  const { receiver, logger } = setUp();
  const thrown = Object.defineProperty(new Error('no'), 'cause', {
    get: () => {
      throw new Error('not readable');
    },
  });
  receiver.on('webhook_test', () => Promise.reject(thrown));
  expect(await receiver.handle(post('webhook_test'))).toMatchObject({ status: 500 });
  expect(logger.lines).toEqual([expect.stringContaining('something that cannot be described')]);
});

test('errors that are the cause of each other end', async () => {
  const { receiver, logger } = setUp();
  const [one, two] = [new Error('one'), new Error('two')];
  one.cause = two;
  two.cause = one;
  receiver.on('webhook_test', () => Promise.reject(one));
  await receiver.handle(post('webhook_test'));
  expect(logger.lines[0]?.match(/Caused by/g)).toHaveLength(5);
});

const quoting = () => Promise.reject(new RangeError(`where secret = ${secret}`));

test.each<[string, Parameters<typeof setUp>[0]]>([
  ['verifySecret', { secret: undefined, verifySecret: quoting }],
  ['a store', { dedupe: { claim: quoting, complete: () => undefined, release: () => undefined } }],
  ['an inbox', { inbox: { store: quoting } }],
])('what %s throws goes to onError, and is logged without its message', async (_, options) => {
  const { receiver, logger } = setUp(options);
  if (options?.inbox === undefined) receiver.on('webhook_test', () => undefined);
  const errors: unknown[] = [];
  receiver.onError((error) => errors.push(error));
  await receiver.handle(post('webhook_test'));
  expect(errors).toMatchObject([{ message: `where secret = ${secret}` }]);
  expect(logger.lines).toEqual([expect.stringMatching(/failed at \w+, delivery \S+: RangeError\n {4}at /)]);
  expect(logger.lines.join()).not.toContain(secret);
});

test('lines carry their facts as fields', async () => {
  const fields: (LogFields | undefined)[] = [];
  const take = (_: string, facts?: LogFields) => void fields.push(facts);
  const { receiver } = setUp({
    logLevel: 'info',
    logger: { error: take, warn: take, info: take, debug: take },
  });
  receiver.on('webhook_test', ({ payload }) => {
    if (payload.message === 'fail') throw new Error('no');
  });
  await receiver.handle(post('webhook_test'));
  await receiver.handle({ method: 'GET' });
  await receiver.handle(post('webhook_test', { message: 'fail' }));
  const facts = { deliveryId: expect.any(String), type: 'webhook_test', workspace: 'acme' };
  const durationMs = expect.any(Number) as number;
  expect(fields).toEqual([
    { ...facts, outcome: 'handled', status: 200, durationMs },
    {
      ...facts,
      type: undefined,
      workspace: undefined,
      outcome: 'method_not_allowed',
      status: 405,
      durationMs,
    },
    { ...facts, outcome: 'handler_failed' },
    { ...facts, outcome: 'handler_failed', status: 500, durationMs },
  ]);
});

test('a long type and a long name of a workspace are cut in lines', async () => {
  const { receiver, logger } = setUp({ secret: { ['w'.repeat(200)]: secret } });
  await receiver.handle(post('t'.repeat(200), { more: 1 }));
  expect(logger.lines.join()).toContain(`"${'t'.repeat(100)}"`);
  expect(logger.lines.join()).not.toContain('t'.repeat(101));
});

test.each([
  [
    'a wrong secret',
    post('webhook_test', { workspaceSecret: 'of another region' }),
    /matches none of your secrets/,
  ],
  [
    'a wrong secret that was parsed',
    { body: { payload: { workspaceSecret: 'x' } } },
    /matches none of your secrets/,
  ],
  [
    'a probe of the doctor',
    post('webhook_test', { workspaceSecret: 'forged-by-agent-platform-sdk' }),
    /^warn .*401 verification_failed.*\n.*a forged event of `agent-platform-sdk doctor`/,
  ],
  ['no secret', { body: '{"type":"webhook_test"}' }, /has no `payload.workspaceSecret`/],
])('%s is explained in the log and to onRejected, and not in the response', async (_, request, explained) => {
  const { receiver, logger } = setUp();
  const rejections: WebhookRejection[] = [];
  receiver.onRejected((rejection) => void rejections.push(rejection));
  const response = await receiver.handle({ method: 'POST', ...request });
  expect(logger.lines).toEqual([expect.stringMatching(explained)]);
  expect(logger.lines.join()).not.toContain('of another region');
  const hint = String(rejections[0]?.hint);
  expect(logger.lines.join()).toContain(hint);
  expect(JSON.parse(response.body)).toEqual({ message: 'verification failed', code: 'verification_failed' });
});
