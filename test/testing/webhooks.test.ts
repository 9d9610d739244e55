import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createWebhookReceiver, type WebhookEventType, webhookEvents } from 'agent-platform-sdk';
import { createFakePlatform, type DeliveryTarget, fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { KEPT } from '../../src/testing/fake/log.js';
import { serve } from '../support/loopback.js';

const types = Object.keys(webhookEvents) as WebhookEventType[];

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

describe('send', () => {
  test.each(types)('%s is accepted by a strict receiver', async (type) => {
    const fake = createFakePlatform();
    const seen: unknown[] = [];
    const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, validation: 'strict' });
    receiver.onAny((event) => void seen.push(event));
    fake.webhooks.subscribe(receiver);
    const deliveries = await fake.webhooks.send(type);
    expect(deliveries).toMatchObject([{ type, address: 'receiver', outcome: 'success', status: 200 }]);
    const { payload } = fixtures.event(type);
    expect(seen).toMatchObject([{ type, payload: { ...payload, createdAt: expect.any(Number) as number } }]);
  });

  test('posts JSON over real HTTP, with the secret of the workspace', async () => {
    const fake = createFakePlatform();
    const bodies: Received[] = [];
    const heads: unknown[] = [];
    const url = await serve((request, response) => {
      let body = '';
      heads.push([request.method, request.headers['content-type']]);
      request.setEncoding('utf8').on('data', (part: string) => (body += part));
      request.on('end', () => {
        bodies.push(JSON.parse(body) as Received);
        response.end('handled');
      });
    });
    fake.webhooks.subscribe(new URL('/hook', url));
    const payload = { leadName: 'Dana', leadEmail: undefined };
    const [delivery] = await fake.webhooks.send('lead_captured', payload);
    const { leadEmail: _, ...rest } = fixtures.event('lead_captured').payload;
    expect(heads).toEqual([['POST', 'application/json']]);
    expect(bodies).toEqual([
      {
        type: 'lead_captured',
        payload: {
          ...rest,
          leadName: 'Dana',
          createdAt: expect.any(Number) as number,
          workspaceSecret: fake.seed.eu.workspaceSecret,
        },
      },
    ]);
    expect(delivery).toMatchObject({
      id: 'delivery_1',
      address: `${url}/hook`,
      region: 'eu',
      secretOf: fake.seed.eu.workspaceId,
      outcome: 'success',
      response: 'handled',
      payload: { leadName: 'Dana', workspaceSecret: '[redacted]' },
    });
    expect(fake.webhooks.deliveries).toEqual([delivery]);
  });

  test('sends any other type with its payload unchanged', async () => {
    const { fake, target } = subscribed();
    await fake.webhooks.send('invoice_paid', { amount: 9, createdAt: 7 });
    const { workspaceSecret } = fake.seed.eu;
    expect(target.received).toEqual([
      { type: 'invoice_paid', payload: { amount: 9, createdAt: 7, workspaceSecret } },
    ]);
  });

  test('posts identical duplicates, or a wrong secret', async () => {
    const fake = createFakePlatform();
    const handled: unknown[] = [];
    const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, logLevel: 'off' });
    fake.webhooks.subscribe(receiver.onAny((event) => void handled.push(event)));
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

  test.each([201, 204, 302, 400, 500])('%i is refused, and not retried', async (status) => {
    const { fake, target } = subscribed(status);
    expect(await fake.webhooks.send('webhook_test')).toMatchObject([{ outcome: 'refused', status }]);
    expect(target.received).toHaveLength(1);
  });

  test('a receiver that throws is a failed delivery', async () => {
    const { webhooks } = createFakePlatform();
    webhooks.subscribe({ fetch: () => Promise.reject(new Error('broken')) });
    expect(await webhooks.send('webhook_test')).toMatchObject([{ outcome: 'failed', error: 'broken' }]);
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
    const [delivery] = await sending;
    expect(delivery).toMatchObject({ outcome: 'timeout', error: 'No response within 60000 ms.' });
  });

  test('keeps 4,096 characters of a response, and survives one that breaks off', async () => {
    const { webhooks } = createFakePlatform();
    const broken = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('half'));
      },
      pull: (controller) => controller.error(new Error('cut')),
    });
    webhooks.subscribe({ fetch: () => new Response('x'.repeat(10_000)) });
    webhooks.subscribe({ fetch: () => new Response(broken) });
    expect(await webhooks.send('webhook_test')).toMatchObject([
      { outcome: 'success', response: 'x'.repeat(4_096) },
      { outcome: 'success', response: 'half' },
    ]);
  });

  test('waits a second for a body that stays open, and reads no more of one than it keeps', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { webhooks } = createFakePlatform();
    const chunk = new TextEncoder().encode('x'.repeat(3_000));
    const [pulled, cancelled] = [vi.fn(), vi.fn()];
    const body = (chunks: number) =>
      new ReadableStream({
        pull(controller) {
          pulled();
          if (pulled.mock.calls.length <= chunks) controller.enqueue(chunk);
          else return new Promise(() => undefined);
        },
        cancel: cancelled,
      });
    webhooks.subscribe({ fetch: () => new Response(body(1)) });
    const sending = webhooks.send('webhook_test');
    await vi.waitFor(() => expect(pulled).toHaveBeenCalledTimes(2));
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await sending).toMatchObject([{ outcome: 'success', response: 'x'.repeat(3_000) }]);
    pulled.mockClear();
    webhooks.subscribe({ fetch: () => new Response(body(1_000)) });
    for (const { id } of webhooks.subscriptions.slice(0, 1)) webhooks.unsubscribe(id);
    expect(await webhooks.send('webhook_test')).toMatchObject([{ response: 'x'.repeat(4_096) }]);
    expect([pulled.mock.calls.length < 5, cancelled.mock.calls.length]).toEqual([true, 2]);
  });

  test.each(['lead_capture', 'lead_catpured', 'LEAD-CAPTURED'])(
    'refuses the misspelt type %s',
    async (type) => {
      const { webhooks } = createFakePlatform();
      const message = `Unknown event type "${type}". Did you mean "lead_captured"?`;
      await expect(webhooks.send(type)).rejects.toThrow(message);
      expect(() => webhooks.subscribe(recorder(), { events: [type] })).toThrow(message);
    },
  );

  test.each(['lead_captured_v2', 'chat_redelegated', 'client_merged', 'new'])(
    'sends the new type %s',
    async (type) => {
      const { fake } = subscribed();
      expect(await fake.webhooks.send(type)).toMatchObject([{ type, status: 200 }]);
    },
  );
});

describe('subscribe', () => {
  test('limits the types', async () => {
    const fake = createFakePlatform();
    const target = recorder();
    fake.webhooks.subscribe(target, { events: ['lead_captured', 'brand_new'] });
    for (const type of ['lead_captured', 'brand_new']) await fake.webhooks.send(type);
    for (const type of ['webhook_test', 'other_new']) {
      await expect(fake.webhooks.send(type)).rejects.toThrow(
        `webhooks.send: ${type} has no subscriber in workspace_eu_1 (eu). Add one with ` +
          'webhooks.subscribe. Subscriptions:\n' +
          '  subscription_1: lead_captured, brand_new of workspace_eu_1 (eu) to receiver',
      );
    }
    expect(target.received.map(({ type }) => type)).toEqual(['lead_captured', 'brand_new']);
  });

  test('ends by its function, or by its id', async () => {
    const { webhooks } = createFakePlatform();
    const leave = webhooks.subscribe(recorder());
    webhooks.subscribe(recorder());
    leave();
    expect(webhooks.subscriptions).toMatchObject([{ id: 'subscription_2', address: 'receiver' }]);
    expect([webhooks.unsubscribe('subscription_2'), webhooks.unsubscribe('subscription_2')]).toEqual([
      true,
      false,
    ]);
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
    webhooks.subscribe('http://127.0.0.1:3000/a');
    webhooks.subscribe('HTTP://127.0.0.1:3000/a', { events: ['lead_captured'] });
    webhooks.subscribe('http://127.0.0.1:3000/a', { region: 'na' });
    expect(webhooks.subscriptions).toEqual([
      {
        id: 'subscription_1',
        address: 'http://127.0.0.1:3000/a',
        region: 'eu',
        workspaceId: seed.eu.workspaceId,
        events: ['lead_captured'],
      },
      expect.objectContaining({ id: 'subscription_2', region: 'na' }),
    ]);
  });
});

describe('the agent (6.2, 6.3)', () => {
  test('its own address receives conversation_updated, with the secret of its workspace', async () => {
    const fake = createFakePlatform();
    const target = recorder();
    const { secondWorkspaceId: workspaceId, secondWorkspaceSecret } = fake.seed.eu;
    const url = await serve((request, response) => {
      void target.fetch(
        new Request('http://x', { method: 'POST', body: request as never, duplex: 'half' } as object),
      );
      request.on('end', () => response.end());
    });
    fake.add.agent({ id: 'bot', workspaceId, advanced: { serverUrl: url } });
    const deliveries = await fake.webhooks.send('conversation_updated', { agentId: 'bot' });
    expect(deliveries).toMatchObject([{ address: url, outcome: 'success' }]);
    await expect(fake.webhooks.send('lead_captured', { agentId: 'bot' })).rejects.toThrow(
      'has no subscriber',
    );
    expect(target.received).toMatchObject([{ payload: { workspaceSecret: secondWorkspaceSecret } }]);
  });

  test('sets agentPlatform, unless the test does', async () => {
    const { fake, target } = subscribed();
    fake.add.agent({ id: 'flow', platform: 'vf' });
    await fake.webhooks.send('agent_updated', { agentId: 'flow' });
    await fake.webhooks.send('agent_updated', { agentId: 'flow', agentPlatform: 'vg' });
    expect(target.received.map(({ payload }) => payload.agentPlatform)).toEqual(['vf', 'vg']);
  });

  test.each(types)('on the other platform sends %s only if that platform does', async (type) => {
    const { fake } = subscribed();
    fake.add.agent({ id: 'flow', platform: 'vf' });
    const isNative = webhookEvents[type].platforms === 'native';
    const sending = fake.webhooks.send<string>(type, { agentId: 'flow' });
    if (isNative) await expect(sending).rejects.toThrow('only the native platform sends it (6.2)');
    else await expect(sending).resolves.toHaveLength(1);
  });
});

test('resend repeats a delivery, to the last byte', async () => {
  const { fake, target } = subscribed();
  const [first] = await fake.webhooks.send('lead_captured');
  const again = await fake.webhooks.resend(first?.id ?? '');
  expect(again).toMatchObject({ id: 'delivery_2', outcome: 'success' });
  expect(target.received[1]).toEqual(target.received[0]);
  await expect(fake.webhooks.resend('delivery_9')).rejects.toThrow('There is no delivery "delivery_9".');
});

test('the newest deliveries are kept, and can be repeated', async () => {
  expect(KEPT.entries).toBe(10_000);
  onTestFinished(() => {
    KEPT.entries = 10_000;
  });
  KEPT.entries = 100;
  const { webhooks } = createFakePlatform();
  webhooks.subscribe({ fetch: () => new Response() });
  await webhooks.send('webhook_test', {}, { copies: 102 });
  expect(webhooks.deliveries).toHaveLength(100);
  await expect(webhooks.resend('delivery_2')).rejects.toThrow('There is no delivery "delivery_2".');
  await expect(webhooks.resend('delivery_3')).resolves.toMatchObject({ id: 'delivery_103' });
});

describe('replay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recording-'));
  const write = (content: string): string => {
    const file = join(folder, `${content.length}.ndjson`);
    writeFileSync(file, content);
    return file;
  };

  test('sends the webhooks of a recording in order, with the secret of the workspace', async () => {
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const { fake, target } = subscribed();
    const lines = [
      { type: 'lead_captured', payload: { leadName: 'Dana', createdAt: 1 }, receivedAt: 2 },
      { type: 'unheard_of', payload: {} },
    ];
    const file = write(`${lines.map((line) => JSON.stringify(line)).join('\n\n')}\n`);
    const { workspaceSecret } = fake.seed.eu;
    const expected = lines.map(({ type, payload }) => ({ type, payload: { ...payload, workspaceSecret } }));
    for (const recording of [file, pathToFileURL(file), lines]) {
      await fake.webhooks.replay(recording);
      expect(target.received.splice(0)).toEqual(expected);
    }
    const wrong = write('{"type":"a","payload":{}}\n{"type":"b"}');
    await expect(fake.webhooks.replay(wrong)).rejects.toThrow(`Line 2 of ${wrong} is not a recorded webhook`);
  });
});

test('reset forgets deliveries, and ends subscriptions unless they are kept', async () => {
  const { fake } = subscribed();
  await fake.webhooks.send('webhook_test');
  fake.reset({ keepSubscriptions: true });
  expect([fake.webhooks.deliveries, fake.webhooks.subscriptions.length]).toEqual([[], 1]);
  expect(await fake.webhooks.send('webhook_test')).toMatchObject([{ id: 'delivery_1' }]);
  fake.reset();
  expect(fake.webhooks.subscriptions).toEqual([]);
  const wrong = { keepSubscription: true };
  expect(() => fake.reset(wrong as object)).toThrow('Did you mean `keepSubscriptions`?');
});

test('reset ends a delivery under way, which leaves no record and emits nothing', async () => {
  const fake = createFakePlatform();
  let isAborted = false;
  const fetch = (request: Request): Promise<Response> => {
    request.signal.addEventListener('abort', () => (isAborted = true));
    return new Promise(() => undefined);
  };
  fake.webhooks.subscribe({ fetch });
  const sending = fake.webhooks.send('webhook_test');
  fake.reset();
  const changes: unknown[] = [];
  fake.onChange((change) => void changes.push(change));
  expect(await sending).toMatchObject([{ outcome: 'failed', error: 'The fake was reset.' }]);
  expect([isAborted, fake.webhooks.deliveries, changes]).toEqual([true, [], []]);
});

/** What `fetch` throws, by a code. Of a name with several addresses, one for each, and no message around them. */
const failed = (code: string): Error => Object.assign(new Error('words of the runtime'), { code });
test.each([
  [failed('ECONNREFUSED'), 'Is the receiver running at this address?'],
  [
    new AggregateError([failed('ECONNREFUSED'), failed('ETIMEDOUT')]),
    'Is the receiver running at this address?',
  ],
  [failed('ENOTFOUND'), 'Is the name of the host right?'],
  [failed('DEPTH_ZERO_SELF_SIGNED_CERT'), 'To trust your own, set NODE_EXTRA_CA_CERTS.'],
  [failed('ERR_TLS_CERT_ALTNAME_INVALID'), 'Is the certificate valid, and for this address?'],
  [failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'Is the certificate valid, and for this address?'],
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

test('no operation sends an event on its own', async () => {
  const { fake, target } = subscribed();
  const headers = { authorization: `Bearer ${fake.seed.eu.secondWorkspaceSecret}` };
  await fake.fetch(`${fake.baseUrls.eu}/v3/workspaces/workspace_eu_2`, { method: 'DELETE', headers });
  expect([fake.requests[0]?.status, target.received]).toEqual([200, []]);
});

describe('a receiver in process that fails', () => {
  test('leaves what its handler threw in the delivery', async () => {
    const fake = createFakePlatform();
    const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, logLevel: 'off' });
    receiver.on('lead_captured', ({ payload }) => expect(payload.leadName).toBe('Dana'));
    fake.webhooks.subscribe(receiver);
    const [failed] = await fake.webhooks.send('lead_captured', { leadName: 'Eli' });
    expect(failed).toMatchObject({
      status: 500,
      outcome: 'refused',
      error: expect.stringContaining("expected 'Eli' to be 'Dana'") as string,
    });
    const [handled] = await fake.webhooks.send('lead_captured', { leadName: 'Dana' });
    expect(handled).toMatchObject({ status: 200, error: undefined });
  });
});
