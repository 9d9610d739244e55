import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { createWebhookReceiver, type WebhookEventType, webhookEvents } from 'agent-platform-sdk';
import { createFakePlatform, type DeliveryTarget, fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { KEPT } from '../../src/testing/fake/log.js';
import { deferred } from '../support/deferred.js';
import { leavesNothing } from '../support/leaves-nothing.js';
import { serve } from '../support/loopback.js';
import { newFile } from '../support/new-file.js';

interface Received {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A receiver in process that records each delivery. */
function recorder(status = 200) {
  const received: Received[] = [];
  const target: DeliveryTarget = {
    async fetch(request) {
      received.push((await request.json()) as Received);
      return new Response(null, { status });
    },
  };
  return { ...target, received };
}

/** A fake with one subscriber for every event. */
function subscribed(status = 200) {
  const fake = createFakePlatform();
  const target = recorder(status);
  fake.webhooks.subscribe(target);
  return { fake, target };
}

/** A fake with a receiver of this package, and the events that it has handled. */
function received() {
  const fake = createFakePlatform();
  const handled: unknown[] = [];
  const { workspaceSecret: secret } = fake.seed.eu;
  const receiver = createWebhookReceiver({ secret, validation: 'strict', logLevel: 'off' });
  fake.webhooks.subscribe(receiver.onAny((event) => void handled.push(event)));
  return { fake, receiver, handled };
}

describe('send', () => {
  test('posts JSON over real HTTP, with the secret of the workspace; `resend` posts the same again', async () => {
    const fake = createFakePlatform();
    const posted: unknown[] = [];
    const url = await serve(async (request, response) => {
      posted.push([request.method, request.headers['content-type'], await json(request)]);
      response.end('handled');
    });
    fake.webhooks.subscribe(new URL('/hook', url));
    const [delivery] = await fake.webhooks.send('lead_captured', { leadName: 'Dana', leadEmail: undefined });
    const { workspaceId: secretOf, workspaceSecret } = fake.seed.eu;
    const { leadEmail: _, ...rest } = fixtures.event('lead_captured').payload;
    // Created now.
    const createdAt = expect.closeTo(Date.now(), -5) as number;
    const payload = { ...rest, leadName: 'Dana', createdAt, workspaceSecret };
    expect(posted).toEqual([['POST', 'application/json', { type: 'lead_captured', payload }]]);
    expect(delivery).toMatchObject({
      id: 'delivery_1',
      address: `${url}/hook`,
      region: 'eu',
      secretOf,
      outcome: 'success',
      response: 'handled',
      payload: { leadName: 'Dana', workspaceSecret: '[redacted]' },
    });
    expect(fake.webhooks.deliveries).toEqual([delivery]);
    expect(await fake.webhooks.resend('delivery_1')).toMatchObject({ id: 'delivery_2', outcome: 'success' });
    expect(posted[1]).toEqual(posted[0]);
  });

  test('posts identical duplicates, or a wrong secret', async () => {
    const { fake, handled } = received();
    const statusesOf = async (options: object) =>
      (await fake.webhooks.send('lead_captured', {}, options)).map(({ status }) => status);
    expect(await statusesOf({ copies: 3 })).toEqual([200, 200, 200]);
    expect(handled).toHaveLength(1);
    expect(await statusesOf({ forged: true })).toEqual([401]);
    expect(fake.webhooks.deliveries.at(-1)).toMatchObject({ status: 401, secretOf: undefined });
  });

  test('two events of one moment are no duplicates, and a clock that is set back counts', async () => {
    vi.useFakeTimers({ now: 1_760_000_000_000, toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const { fake, target } = subscribed();
    await fake.webhooks.send('webhook_test');
    await fake.webhooks.send('webhook_test');
    vi.setSystemTime(1_500_000_000_000);
    await fake.webhooks.send('webhook_test');
    expect(target.received.map(({ payload }) => payload.createdAt)).toEqual([
      1_760_000_000_000, 1_760_000_000_001, 1_500_000_000_000,
    ]);
  });

  test.each([201, 302, 500])('%i is refused, and not retried', async (status) => {
    const { fake, target } = subscribed(status);
    expect(await fake.webhooks.send('webhook_test')).toMatchObject([{ outcome: 'refused', status }]);
    expect(target.received).toHaveLength(1);
  });

  test('a receiver that throws is a failed delivery; what a handler threw is the error of a refused one', async () => {
    const broken = createFakePlatform().webhooks;
    broken.subscribe({ fetch: () => Promise.reject(new Error('broken')) });
    broken.subscribe({ fetch: (() => undefined) as never });
    expect(await broken.send('webhook_test')).toMatchObject([
      { outcome: 'failed', error: 'broken' },
      { outcome: 'failed', error: 'The receiver returned no Response.' },
    ]);

    const { fake, receiver } = received();
    receiver.on('lead_captured', ({ payload }) => expect(payload.leadName).toBe('Dana'));
    const error = expect.stringContaining("expected 'Eli' to be 'Dana'") as string;
    expect(await fake.webhooks.send('lead_captured', { leadName: 'Eli' })).toMatchObject([
      { status: 500, outcome: 'refused', error },
    ]);
    expect(await fake.webhooks.send('lead_captured', { leadName: 'Dana' })).toMatchObject([
      { status: 200, error: undefined },
    ]);
  });

  test('a receiver has 60 seconds', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { webhooks } = createFakePlatform();
    webhooks.subscribe({ fetch: () => new Promise(() => undefined) });
    const sending = webhooks.send('webhook_test');
    await vi.advanceTimersByTimeAsync(59_999);
    const underWay = { id: 'delivery_1', address: 'receiver', payload: { message: 'This is a test' } };
    expect(webhooks.deliveries).toMatchObject([underWay]);
    expect(webhooks.deliveries[0]?.outcome).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(await sending).toMatchObject([{ outcome: 'timeout', error: 'No response within 60000 ms.' }]);
  });

  test('keeps 4,096 characters of a response, and survives one that breaks off', async () => {
    const { webhooks } = createFakePlatform();
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('half')),
      pull: (controller) => controller.error(new Error('cut')),
    });
    webhooks.subscribe({ fetch: () => new Response('x'.repeat(4_097)) });
    webhooks.subscribe({ fetch: () => new Response(broken) });
    expect(await webhooks.send('webhook_test')).toMatchObject([
      { outcome: 'success', response: 'x'.repeat(4_096) },
      { outcome: 'success', response: 'half' },
    ]);
  });

  test('waits a second for a body that stays open, and reads no more of one than it keeps', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const chunk = new TextEncoder().encode('x'.repeat(3_000));
    /** Sends an event to a receiver whose body stays open after some chunks. */
    const sendTo = (chunks: number) => {
      const { webhooks } = createFakePlatform();
      const [open, cancel] = [deferred(), vi.fn()];
      const pull = vi.fn((controller: ReadableStreamDefaultController) => {
        if (pull.mock.calls.length <= chunks) return controller.enqueue(chunk);
        open.resolve();
        return new Promise<void>(() => undefined);
      });
      webhooks.subscribe({ fetch: () => new Response(new ReadableStream({ pull, cancel })) });
      return { sending: webhooks.send('webhook_test'), open: open.promise, pull, cancel };
    };
    const quiet = sendTo(1);
    await quiet.open;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await quiet.sending).toMatchObject([{ outcome: 'success', response: 'x'.repeat(3_000) }]);
    const endless = sendTo(1_000);
    expect(await endless.sending).toMatchObject([{ response: 'x'.repeat(4_096) }]);
    expect(endless.pull.mock.calls.length).toBeLessThan(5);
    for (const { cancel } of [quiet, endless]) expect(cancel).toHaveBeenCalledOnce();
  });

  test.each(['lead_capture', 'lead_catpured', 'LEAD-CAPTURED'])('refuses the misspelt %s', async (type) => {
    const message = `Unknown event type "${type}". Did you mean "lead_captured"?`;
    await expect(subscribed().fake.webhooks.send(type)).rejects.toThrow(message);
  });

  const newTypes = ['lead_captured_v2', 'chat_redelegated', 'client_merged', 'new'];
  test.each(newTypes)('sends the new type %s, with its payload unchanged', async (type) => {
    const { fake, target } = subscribed();
    await fake.webhooks.send(type, { amount: 9, createdAt: 7 });
    const { workspaceSecret } = fake.seed.eu;
    expect(target.received).toEqual([{ type, payload: { amount: 9, createdAt: 7, workspaceSecret } }]);
  });
});

describe('subscribe', () => {
  test('limits the types', async () => {
    const fake = createFakePlatform();
    const target = recorder();
    fake.webhooks.subscribe(target, { events: ['lead_captured', 'brand_new'] });
    for (const type of ['lead_captured', 'brand_new']) await fake.webhooks.send(type);
    await expect(fake.webhooks.send('webhook_test')).rejects.toThrow(
      'webhooks.send: webhook_test has no subscriber in workspace_eu_1 (eu). Add one with ' +
        'webhooks.subscribe. Subscriptions:\n' +
        '  subscription_1: lead_captured, brand_new of workspace_eu_1 (eu) to receiver',
    );
    expect(target.received.map(({ type }) => type)).toEqual(['lead_captured', 'brand_new']);
  });

  test('ends by its function', async () => {
    const { webhooks } = createFakePlatform();
    const leave = webhooks.subscribe(recorder());
    webhooks.subscribe(recorder());
    leave();
    expect(webhooks.subscriptions).toMatchObject([{ id: 'subscription_2', address: 'receiver' }]);
    webhooks.unsubscribe('subscription_2');
    await expect(webhooks.send('webhook_test')).rejects.toThrow('There are no subscriptions.');
  });

  test('separates workspaces and regions', async () => {
    const fake = createFakePlatform();
    const { secondWorkspaceId: workspaceId, secondWorkspaceSecret } = fake.seed.eu;
    const [primary, second, other] = [recorder(), recorder(), recorder()];
    fake.webhooks.subscribe(primary);
    fake.webhooks.subscribe(second, { workspaceId });
    fake.webhooks.subscribe(other, { region: 'na' });
    await fake.webhooks.send('webhook_test', {}, { workspaceId });
    await fake.webhooks.send('agent_deleted', {}, { region: 'na' });
    expect(primary.received).toEqual([]);
    expect(second.received).toMatchObject([{ payload: { workspaceSecret: secondWorkspaceSecret } }]);
    const { agentId, workspaceSecret } = fake.seed.na;
    expect(other.received).toMatchObject([{ payload: { agentId, workspaceSecret } }]);
  });

  test('has one subscription for an address and workspace: the last', () => {
    const { webhooks, seed } = createFakePlatform();
    const address = 'http://127.0.0.1:3000/a';
    webhooks.subscribe(address);
    webhooks.subscribe(address.replace('http', 'HTTP'), { events: ['lead_captured'] });
    webhooks.subscribe(address, { region: 'na' });
    const { workspaceId } = seed.eu;
    expect(webhooks.subscriptions).toEqual([
      { id: 'subscription_1', address, region: 'eu', workspaceId, events: ['lead_captured'] },
      expect.objectContaining({ id: 'subscription_2', region: 'na' }),
    ]);
  });
});

describe('the agent (6.2, 6.3)', () => {
  test('its own address receives conversation_updated, with the secret of its workspace', async () => {
    const fake = createFakePlatform();
    const bodies: unknown[] = [];
    const { secondWorkspaceId: workspaceId, secondWorkspaceSecret: workspaceSecret } = fake.seed.eu;
    const url = await serve(async (request, response) => {
      bodies.push(await json(request));
      response.end();
    });
    fake.add.agent({ id: 'bot', workspaceId, advanced: { serverUrl: url } });
    const deliveries = await fake.webhooks.send('conversation_updated', { agentId: 'bot' });
    expect(deliveries).toMatchObject([{ address: url, outcome: 'success' }]);
    await expect(fake.webhooks.send('lead_captured', { agentId: 'bot' })).rejects.toThrow('no subscriber');
    expect(bodies).toMatchObject([{ payload: { workspaceSecret } }]);
  });

  test('sets agentPlatform, unless the test does', async () => {
    const { fake, target } = subscribed();
    fake.add.agent({ id: 'flow', platform: 'vf' });
    await fake.webhooks.send('agent_updated', { agentId: 'flow' });
    await fake.webhooks.send('agent_updated', { agentId: 'flow', agentPlatform: 'vg' });
    expect(target.received.map(({ payload }) => payload.agentPlatform)).toEqual(['vf', 'vg']);
  });

  const types = Object.keys(webhookEvents) as WebhookEventType[];
  test.each(types)('on the other platform sends %s only if that platform does', async (type) => {
    const { fake } = subscribed();
    fake.add.agent({ id: 'flow', platform: 'vf' });
    const sending = fake.webhooks.send<string>(type, { agentId: 'flow' });
    if (webhookEvents[type].platforms !== 'native') await expect(sending).resolves.toHaveLength(1);
    else await expect(sending).rejects.toThrow('only the native platform sends it');
  });
});

test('the newest deliveries are kept, and can be repeated', async () => {
  expect(KEPT.entries).toBe(10_000);
  onTestFinished(() => {
    KEPT.entries = 10_000;
  });
  KEPT.entries = 998;
  const { webhooks } = createFakePlatform();
  webhooks.subscribe({ fetch: () => new Response() });
  // The most copies.
  await webhooks.send('webhook_test', {}, { copies: 1_000 });
  expect(webhooks.deliveries).toHaveLength(998);
  await expect(webhooks.resend('delivery_2')).rejects.toThrow('There is no delivery "delivery_2".');
  await expect(webhooks.resend('delivery_3')).resolves.toMatchObject({ id: 'delivery_1001' });
});

test('replay sends the webhooks of a recording in order, with the secret of the workspace', async () => {
  const { fake, target } = subscribed();
  const lines = [
    { type: 'lead_captured', payload: { leadName: 'Dana', createdAt: 1 }, receivedAt: 2 },
    { type: 'unheard_of', payload: {} },
  ];
  const file = newFile(`${lines.map((line) => JSON.stringify(line)).join('\n\n')}\n`);
  const { workspaceSecret } = fake.seed.eu;
  const expected = lines.map(({ type, payload }) => ({ type, payload: { ...payload, workspaceSecret } }));
  for (const recording of [file, pathToFileURL(file), lines]) {
    await fake.webhooks.replay(recording);
    expect(target.received.splice(0)).toEqual(expected);
  }
  const wrong = newFile('{"type":"a","payload":{}}\n{"type":"b"}');
  await expect(fake.webhooks.replay(wrong)).rejects.toThrow(`Line 2 of ${wrong} is not a recorded webhook`);
});

test('reset ends calls and deliveries under way: they leave nothing, no record, and emit nothing', async () => {
  const fake = createFakePlatform();
  // Its signal follows the fake's only while the request is referenced: nodejs/node#55428.
  let delivering: Request | undefined;
  fake.faults.inject({ kind: 'latency', ms: 600_000 });
  fake.webhooks.subscribe({
    fetch: (request) => {
      delivering = request;
      return new Promise(() => undefined);
    },
  });
  const changes: unknown[] = [];
  await leavesNothing(async () => {
    const call = fake.fetch(`${fake.baseUrls.eu}/v3/tools/defaults`);
    const sending = fake.webhooks.send('webhook_test');
    await vi.waitFor(() => expect([fake.requests.length, delivering?.signal.aborted]).toEqual([1, false]));
    fake.reset();
    fake.onChange((change) => void changes.push(change));
    expect((await call).status).toBe(409);
    expect(await sending).toMatchObject([{ outcome: 'failed', error: 'The fake was reset.' }]);
  });
  expect(delivering?.signal.aborted).toBe(true);
  expect([changes, fake.requests, fake.webhooks.deliveries]).toEqual([[], [], []]);
});

/** What `fetch` throws, by a code. Of a name with several addresses, one for each, and no message around them. */
const failed = (code: string): Error => Object.assign(new Error('words of the runtime'), { code });
test.each([
  [failed('ECONNREFUSED'), 'Is the receiver running at this address?'],
  [new AggregateError([failed('ECONNREFUSED'), failed('ETIMEDOUT')]), 'Is the receiver running'],
  [failed('ENOTFOUND'), 'Is the name of the host right?'],
  [failed('DEPTH_ZERO_SELF_SIGNED_CERT'), 'To trust your own, set NODE_EXTRA_CA_CERTS.'],
  [failed('ERR_TLS_CERT_ALTNAME_INVALID'), 'Is the certificate valid, and for this address?'],
  [failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'Is the certificate valid'],
  [failed('HPE_INVALID_CONSTANT'), 'Does it speak https: instead of http:?'],
])('advises on a failed connection (%#)', async (cause, advice) => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause })));
  onTestFinished(() => void vi.unstubAllGlobals());
  const { webhooks } = createFakePlatform();
  webhooks.subscribe('https://shop.example/hook');
  const [delivery] = await webhooks.send('webhook_test');
  expect(delivery?.outcome).toBe('failed');
  expect(delivery?.error).toContain('fetch failed: words of the runtime. ');
  expect(delivery?.error).toContain(advice);
});
