import { createWebhookReceiver, defineEvent, type WebhookEventType, webhookEvents } from 'agent-platform-sdk';
import { createFakePlatform, type DeliveryTarget, fixtures } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { deferred } from '../support/deferred.js';
import { serve } from '../support/loopback.js';

const types = Object.keys(webhookEvents) as WebhookEventType[];

/** A subscriber that keeps what it is sent. */
function subscriber(status = 200): DeliveryTarget & { readonly received: Received[] } {
  const received: Received[] = [];
  return {
    received,
    fetch: async (request) => {
      received.push((await request.json()) as Received);
      return new Response(null, { status });
    },
  };
}
/** A fake, and its one subscriber. */
function subscribed() {
  const fake = createFakePlatform();
  const target = subscriber();
  fake.webhooks.subscribe(target);
  return { fake, target };
}
interface Received {
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The same over real HTTP, for the length of one test. */
async function listener(status = 200): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const address = await serve((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => {
      received.push(JSON.parse(text) as Received);
      response.writeHead(status).end();
    });
  });
  return { url: `${address}/hook`, received };
}

test.each(types)('%s is accepted by a strict receiver', async (type) => {
  const fake = createFakePlatform();
  const seen: [type: string, fields: string[]][] = [];
  const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, validation: 'strict' });
  receiver.onAny((event) => void seen.push([event.type, Object.keys(event.payload)]));
  fake.webhooks.subscribe(receiver);

  const deliveries = await fake.webhooks.send(type);

  expect(deliveries).toMatchObject([{ type, address: 'receiver', outcome: 'success', status: 200 }]);
  expect(seen).toEqual([[type, Object.keys(fixtures.event(type).payload)]]);
});

test('posts JSON over real HTTP, with the secret of the workspace', async () => {
  const fake = createFakePlatform();
  const { url, received } = await listener();
  fake.webhooks.subscribe(url);

  const [delivery] = await fake.webhooks.send('lead_captured', { leadName: 'Dana', leadEmail: undefined });

  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({
    type: 'lead_captured',
    payload: { leadName: 'Dana', operation: 'captured', workspaceSecret: fake.seed.eu.workspaceSecret },
  });
  expect(received[0]?.payload).not.toHaveProperty('leadEmail');
  expect(delivery).toMatchObject({ address: url, via: 'subscription', outcome: 'success' });
});

test('sends only the types that are subscribed', async () => {
  const fake = createFakePlatform();
  const target = subscriber();
  fake.webhooks.subscribe(target, { events: ['lead_captured', 'brand_new'] });

  expect(await fake.webhooks.send('webhook_test')).toEqual([]);
  await fake.webhooks.send('lead_captured');
  await fake.webhooks.sendUnknown('brand_new');
  await fake.webhooks.sendUnknown('other_new');

  expect(target.received.map(({ type }) => type)).toEqual(['lead_captured', 'brand_new']);
});

test('sends to every subscriber, and to none that has left', async () => {
  const fake = createFakePlatform();
  const [first, second] = [subscriber(), subscriber()];
  const leave = fake.webhooks.subscribe(first);
  fake.webhooks.subscribe(second);

  expect(await fake.webhooks.send('webhook_test')).toHaveLength(2);
  leave();
  expect(await fake.webhooks.send('webhook_test')).toHaveLength(1);
  expect([first.received.length, second.received.length]).toEqual([1, 2]);
});

test('keeps workspaces and regions apart', async () => {
  const fake = createFakePlatform();
  const { secondWorkspaceId, secondWorkspaceSecret } = fake.seed.eu;
  const [primary, second, other] = [subscriber(), subscriber(), subscriber()];
  fake.webhooks.subscribe(primary);
  fake.webhooks.subscribe(second, { workspaceId: secondWorkspaceId });
  fake.webhooks.subscribe(other, { region: 'na' });

  await fake.webhooks.send('webhook_test', {}, { workspaceId: secondWorkspaceId });
  await fake.webhooks.send('agent_deleted', {}, { region: 'na' });

  expect(primary.received).toEqual([]);
  expect(second.received).toMatchObject([{ payload: { workspaceSecret: secondWorkspaceSecret } }]);
  expect(other.received).toMatchObject([
    { payload: { agentId: fake.seed.na.agentId, workspaceSecret: fake.seed.na.workspaceSecret } },
  ]);
});

test.each([201, 204, 302, 400, 500])('%i is not a success, and is not tried again', async (status) => {
  const fake = createFakePlatform();
  const { url, received } = await listener(status);
  fake.webhooks.subscribe(url);

  expect(await fake.webhooks.send('webhook_test')).toMatchObject([
    { outcome: 'refused', status, error: undefined },
  ]);
  expect(received).toHaveLength(1);
});

test('a redirect is not followed', async () => {
  const fake = createFakePlatform();
  const url = await serve((request, response) => {
    request.resume();
    response.writeHead(request.url === '/hook' ? 302 : 200, { location: '/elsewhere' }).end();
  });
  fake.webhooks.subscribe(`${url}/hook`);

  expect(await fake.webhooks.send('webhook_test')).toMatchObject([{ outcome: 'refused', status: 302 }]);
});

test('the start of an answer that is kept shows no part of the secret', async () => {
  const fake = createFakePlatform();
  const { workspaceSecret } = fake.seed.eu;
  fake.webhooks.subscribe({ fetch: () => new Response('x'.repeat(4_080) + workspaceSecret) });
  const [delivery] = await fake.webhooks.send('webhook_test');

  expect(delivery?.answer).toBe(`${'x'.repeat(4_080)}[redacted]`);
});

test('each secret in an answer is masked', async () => {
  const fake = createFakePlatform();
  const { workspaceSecret } = fake.seed.eu;
  fake.webhooks.subscribe({ fetch: () => new Response(`${workspaceSecret}, ${workspaceSecret}`) });
  const [delivery] = await fake.webhooks.send('webhook_test');

  expect(delivery?.answer).toBe('[redacted], [redacted]');
});

test('the secret in an answer is masked however it is written there, and so it is in the reason why none came', async () => {
  const fake = createFakePlatform();
  const secret = 'made-up/"secret"';
  fake.add.workspace({ id: fake.seed.eu.workspaceId, secret });
  fake.webhooks.subscribe({ fetch: async (request) => new Response(await request.text()) });
  // No more of it is read than its beginning, which ends within the secret.
  const beginning = `${JSON.stringify(secret)}${'\\u006d'.repeat(1_363)}${secret.slice(0, 12)}`;
  const pull = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(new TextEncoder().encode(beginning));
  fake.webhooks.subscribe({ fetch: () => new Response(new ReadableStream({ pull })) });
  fake.webhooks.subscribe({ fetch: () => Promise.reject(new Error(`not ${secret}`)) });

  expect(await fake.webhooks.send('webhook_test')).toMatchObject([
    { answer: expect.stringContaining('"workspaceSecret":"[redacted]"') as string },
    { answer: `"[redacted]"${'m'.repeat(1_363)}[redacted]` },
    { error: 'not [redacted]' },
  ]);
});

test('the secret in an answer is masked though it comes in two parts, at the limit', async () => {
  const fake = createFakePlatform();
  const text = 'x'.repeat(4_090) + fake.seed.eu.workspaceSecret;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of [text.slice(0, 4_100), text.slice(4_100)])
        controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });
  fake.webhooks.subscribe({ fetch: () => new Response(body) });

  const [delivery] = await fake.webhooks.send('webhook_test');
  expect(delivery?.answer).toBe(`${'x'.repeat(4_090)}[redac`);
});

test('of an answer, 4096 characters are kept, however its bytes come', async () => {
  const fake = createFakePlatform();
  const bytes = new TextEncoder().encode('ü'.repeat(5_000));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      // Each second one ends within a character.
      for (let at = 0; at < bytes.length; at += 1_001) controller.enqueue(bytes.slice(at, at + 1_001));
      controller.close();
    },
  });
  fake.webhooks.subscribe({ fetch: () => new Response(body) });
  const [delivery] = await fake.webhooks.send('webhook_test');

  expect(delivery?.answer).toBe('ü'.repeat(4_096));
});

test('an answer is read no further than it is kept', async () => {
  const fake = createFakePlatform();
  const cancel = vi.fn();
  const pull = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(new TextEncoder().encode('x'.repeat(1_000)));
  fake.webhooks.subscribe({ fetch: () => new Response(new ReadableStream({ pull, cancel })) });
  const [delivery] = await fake.webhooks.send('webhook_test');

  expect(delivery).toMatchObject({ outcome: 'success', answer: 'x'.repeat(4_096) });
  expect(cancel).toHaveBeenCalledOnce();
});

test('an answer that breaks off counts as far as it came', async () => {
  const fake = createFakePlatform();
  const start = (controller: ReadableStreamDefaultController): void =>
    controller.enqueue(new TextEncoder().encode('half'));
  const pull = (controller: ReadableStreamDefaultController): void => controller.error(new Error('cut'));
  fake.webhooks.subscribe({ fetch: () => new Response(new ReadableStream({ start, pull })) });

  expect(await fake.webhooks.send('webhook_test')).toMatchObject([
    { outcome: 'success', status: 200, answer: 'half', error: undefined },
  ]);
});

test('a payload may say when it was created, and not which secret it carries', async () => {
  const { fake, target } = subscribed();
  await fake.webhooks.sendUnknown('lead_scored', { createdAt: 5, workspaceSecret: 'mine' });
  await fake.webhooks.send('lead_captured', { createdAt: 6 });
  // A wrong type, as it can come over HTTP.
  await fake.webhooks.send('lead_captured', JSON.parse('{ "createdAt": null }') as object);
  await fake.webhooks.send('lead_captured', { createdAt: undefined });
  await fake.webhooks.sendUnknown('lead_scored', { createdAt: undefined });
  await fake.webhooks.sendUnknown('lead_scored');

  const { workspaceSecret } = fake.seed.eu;
  expect(target.received).toMatchObject([
    { payload: { createdAt: 5, workspaceSecret } },
    { payload: { createdAt: 6, workspaceSecret } },
    { payload: { createdAt: null, workspaceSecret } },
    { payload: { createdAt: expect.any(Number) as number, workspaceSecret } },
    { payload: { createdAt: expect.any(Number) as number, workspaceSecret } },
    { payload: { createdAt: expect.any(Number) as number, workspaceSecret } },
  ]);
  expect(fake.webhooks.deliveries.map(({ payload }) => payload.workspaceSecret)).toEqual(
    target.received.map(() => '[redacted]'),
  );
});

test('is a POST of JSON to /webhooks', async () => {
  const fake = createFakePlatform();
  let seen: unknown;
  fake.webhooks.subscribe({
    fetch: ({ method, headers, url }) => {
      seen = [method, headers.get('content-type'), new URL(url).pathname];
      return new Response();
    },
  });
  await fake.webhooks.send('webhook_test');

  expect(seen).toEqual(['POST', 'application/json', '/webhooks']);
});

test('an event of one’s own is sent with the options of any other', async () => {
  const { fake, target } = subscribed();
  const scored = defineEvent('lead_scored', z.object({ score: z.number(), createdAt: z.number() }));
  await fake.webhooks.send(scored, { score: 9 }, { copies: 2 });
  await fake.webhooks.send(scored, { score: 9, createdAt: 5 }, { forged: true });

  expect(target.received).toMatchObject([
    { payload: { score: 9 } },
    { payload: { score: 9 } },
    { payload: { score: 9, createdAt: 5, workspaceSecret: `forged-${fake.seed.eu.workspaceId}` } },
  ]);
});

test('several events are sent with the options of one', async () => {
  const fake = createFakePlatform();
  const target = subscriber();
  const { secondWorkspaceId: workspaceId } = fake.seed.na;
  fake.webhooks.subscribe(target, { region: 'na', workspaceId });
  const options = { region: 'na', workspaceId, copies: 2, forged: true } as const;
  await fake.webhooks.sendAll([{ type: 'lead_captured' }], options);
  await fake.webhooks.replay([{ type: 'lead_scored', payload: {} }], options);

  const payload = { workspaceSecret: `forged-${workspaceId}` };
  const types = ['lead_captured', 'lead_captured', 'lead_scored', 'lead_scored'];
  expect(target.received).toMatchObject(types.map((type) => ({ type, payload })));
});

test('a recorded webhook is sent with its envelope, and with the options of any other', async () => {
  const fake = createFakePlatform();
  const target = subscriber();
  fake.webhooks.subscribe(target, { region: 'na' });
  // What an envelope says of its type is not laid over the type.
  const envelope = { sentBy: 'crm', type: 'another', payload: {} };
  const recorded = { type: 'lead_scored', payload: { score: 9 }, envelope };
  await fake.webhooks.replay([recorded], { region: 'na', copies: 2 });

  const { workspaceSecret } = fake.seed.na;
  const sent = { type: 'lead_scored', payload: { score: 9, workspaceSecret }, sentBy: 'crm' };
  expect(target.received).toEqual([sent, sent]);
});

test.each(['sendUnknown', 'replay'] as const)('what %s was given may change after it', async (how) => {
  const { fake, target } = subscribed();
  const payload = { createdAt: 5, scores: [9] };
  const envelope = { sentBy: { name: 'crm' } };
  if (how === 'replay') await fake.webhooks.replay([{ type: 'lead_scored', payload, envelope }]);
  else await fake.webhooks.sendUnknown('lead_scored', payload);
  payload.scores.push(10);
  envelope.sentBy.name = 'another';
  const [delivery] = fake.webhooks.deliveries;
  await fake.webhooks.resend(delivery?.id ?? '');

  expect(delivery?.payload).toMatchObject({ scores: [9] });
  expect(target.received[1]).toEqual(target.received[0]);
});

test('several events, and recorded ones, are sent one after the other, of the region that is named', async () => {
  const fake = createFakePlatform();
  const seen: unknown[] = [];
  fake.webhooks.subscribe(
    {
      fetch: async (request) => {
        seen.push('begin', ((await request.json()) as Received).payload.agentId);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push('end');
        return new Response();
      },
    },
    { region: 'na' },
  );
  const events = [{ type: 'lead_captured' }, { type: 'agent_updated' }] as const;
  const sent = await fake.webhooks.sendAll(events, { region: 'na' });
  const recorded = ['one', 'two'].map((agentId) => ({ type: 'lead_scored', payload: { agentId } }));
  const replayed = await fake.webhooks.replay(recorded, { region: 'na' });

  expect([...sent, ...replayed]).toEqual(fake.webhooks.deliveries);

  const { agentId } = fake.seed.na;
  expect(seen).toEqual([agentId, agentId, 'one', 'two'].flatMap((id) => ['begin', id, 'end']));
});

/** Anything can be thrown. */
function thrown(what: unknown): never {
  throw what;
}

test.each<[string, string | DeliveryTarget, RegExp]>([
  ['is not there', 'http://127.0.0.1:1/hook', /fetch failed/],
  ['throws', { fetch: () => Promise.reject(new Error('no')) }, /^no$/],
  ['throws a text', { fetch: () => thrown('no') }, /^no$/],
  ['throws with a cause', { fetch: () => thrown(new Error('no', { cause: new Error('why') })) }, /^no: why$/],
  ['throws with a text as cause', { fetch: () => thrown(new Error('no', { cause: 'why' })) }, /^no$/],
])('a receiver that %s is a failed delivery', async (_, target, error) => {
  const fake = createFakePlatform();
  fake.webhooks.subscribe(target);

  expect(await fake.webhooks.send('webhook_test')).toMatchObject([
    {
      outcome: 'failed',
      status: undefined,
      answer: undefined,
      error: expect.stringMatching(error) as string,
    },
  ]);
});

test('gives a receiver 60 seconds, by the clock it was made with', async () => {
  const timers: { callback: () => void; ms: number }[] = [];
  let now = 1_000;
  const fake = createFakePlatform({
    clock: {
      now: () => now,
      setTimeout: (callback, ms) => timers.push({ callback, ms }),
      clearTimeout: () => undefined,
    },
  });
  let aborted = false;
  fake.webhooks.subscribe({
    fetch: (request) => {
      request.signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => undefined);
    },
  });

  const sending = fake.webhooks.send('webhook_test');
  expect(timers.map(({ ms }) => ms)).toEqual([60_000]);
  now += 60_000;
  timers[0]?.callback();

  expect(await sending).toMatchObject([
    {
      outcome: 'timeout',
      status: undefined,
      error: 'no answer within 60000 ms',
      at: 1_000,
      duration: 60_000,
      payload: { createdAt: 1_000 },
    },
  ]);
  expect(aborted).toBe(true);
});

test('a receiver over HTTP that has had its time is left too', async () => {
  const timers: (() => void)[] = [];
  const setTimer = (callback: () => void): unknown => timers.push(callback);
  const fake = createFakePlatform({
    clock: { now: () => 0, setTimeout: setTimer, clearTimeout: () => undefined },
  });
  const [asked, left] = [deferred(), deferred()];
  const url = await serve((_, response) => {
    response.once('close', left.resolve);
    asked.resolve();
  });
  fake.webhooks.subscribe(url);
  const sending = fake.webhooks.send('webhook_test');
  await asked.promise;
  for (const expire of timers) expire();

  expect(await sending).toMatchObject([{ outcome: 'timeout' }]);
  await left.promise;
});

test('no timer keeps the process after a delivery, or after a latency that nobody waits for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const { fake } = subscribed();
  await fake.webhooks.send('webhook_test');
  fake.faults.inject({ kind: 'latency', ms: 60_000 });
  const controller = new AbortController();
  const call = fake.fetch(`${fake.baseUrls.eu}/v3/tools/defaults`, { signal: controller.signal });
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  controller.abort();
  await expect(call).rejects.toThrow();

  expect(vi.getTimerCount()).toBe(0);
});

test('a body that does not end is left after the same time, and no timer stays', async () => {
  const timers = new Map<unknown, () => void>();
  const clock = {
    now: () => 0,
    setTimeout: (callback: () => void) => {
      timers.set(callback, callback);
      return callback;
    },
    clearTimeout: (timer: unknown) => void timers.delete(timer),
  };
  const fake = createFakePlatform({ clock });
  fake.webhooks.subscribe({ fetch: () => new Response(new ReadableStream()) });
  const sending = fake.webhooks.send('webhook_test');
  await new Promise((resolve) => setImmediate(resolve));
  for (const expire of timers.values()) expire();

  expect(await sending).toMatchObject([{ outcome: 'success', status: 200, answer: '' }]);
  expect(timers.size).toBe(0);
});

describe('what a receiver must be ready for', () => {
  test('duplicates, alike to the last byte', async () => {
    const { fake, target } = subscribed();

    await fake.webhooks.send('lead_captured', {}, { copies: 3 });

    expect(target.received).toHaveLength(3);
    expect(new Set(target.received.map((each) => JSON.stringify(each))).size).toBe(1);
  });

  test('a receiver handles duplicates once, and two events of the same moment twice', async () => {
    const fake = createFakePlatform({
      clock: { now: () => 5, setTimeout: () => 0, clearTimeout: () => undefined },
    });
    let handled = 0;
    const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret });
    receiver.on('lead_captured', () => {
      handled += 1;
    });
    fake.webhooks.subscribe(receiver);

    await fake.webhooks.send('lead_captured', {}, { copies: 2 });
    expect(handled).toBe(1);
    await fake.webhooks.send('lead_captured');
    expect(handled).toBe(2);
  });

  test('another order, the same for the same seed', async () => {
    const asSent = ['0', '1', '2', '3', '4', '5', '6', '7'];
    const order = async (shuffle: number | undefined): Promise<unknown[]> => {
      const { fake, target } = subscribed();
      const events = asSent.map((message) => ({ type: 'webhook_test' as const, overrides: { message } }));
      await fake.webhooks.sendAll(events, { shuffle });
      const byTime = [...target.received].sort(
        (a, b) => Number(a.payload.createdAt) - Number(b.payload.createdAt),
      );
      expect(byTime.map(({ payload }) => payload.message)).toEqual(asSent);
      return target.received.map(({ payload }) => payload.message);
    };

    expect(await order(undefined)).toEqual(asSent);
    for (const seed of [0, 1]) expect(await order(seed)).not.toEqual(asSent);
    expect(await order(1)).toEqual(await order(1));
    expect(await order(2)).not.toEqual(await order(1));
  });

  test('a forged secret', async () => {
    const fake = createFakePlatform();
    fake.webhooks.subscribe(createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, logLevel: 'off' }));

    expect(await fake.webhooks.send('webhook_test', {}, { forged: true })).toMatchObject([
      { outcome: 'refused', status: 401 },
    ]);
  });

  test('an unknown type', async () => {
    const fake = createFakePlatform();
    const unknown: unknown[] = [];
    const receiver = createWebhookReceiver({ secret: fake.seed.eu.workspaceSecret, logLevel: 'off' });
    receiver.onUnknown((event) => void unknown.push(event.type, event.payload));
    fake.webhooks.subscribe(receiver);

    await fake.webhooks.sendUnknown('brand_new', { size: 3 });

    await fake.webhooks.sendUnknown('constructor');

    expect(unknown).toEqual([
      'brand_new',
      expect.objectContaining({ size: 3 }),
      'constructor',
      expect.objectContaining({}),
    ]);
    const refusal = new TypeError('"webhook_test" is a known type: use send.');
    expect(() => fake.webhooks.sendUnknown('webhook_test')).toThrow(refusal);
  });

  test("the agent's own address, for conversation_updated alone", async () => {
    const fake = createFakePlatform();
    const agentLevel = await listener();
    const target = subscriber();
    fake.webhooks.subscribe(target);
    const { id: agentId } = fake.add.agent({ advanced: { serverUrl: agentLevel.url } });

    const deliveries = await fake.webhooks.send('conversation_updated', { agentId });
    await fake.webhooks.send('conversation_updated');
    await fake.webhooks.send('lead_captured', { agentId });
    expect(await fake.webhooks.send('conversation_updated', { agentId }, { region: 'na' })).toEqual([]);

    expect(deliveries.map(({ via }) => via).sort()).toEqual(['agent', 'subscription']);
    expect(agentLevel.received).toEqual([target.received[0]]);
  });

  test("an agent's own address is sent the secret of the agent's workspace", async () => {
    const fake = createFakePlatform();
    const { secondWorkspaceId: workspaceId, secondWorkspaceSecret } = fake.seed.eu;
    const { url, received } = await listener();
    const { id: agentId } = fake.add.agent({ workspaceId, advanced: { serverUrl: url } });

    await fake.webhooks.send('conversation_updated', { agentId });
    await fake.webhooks.send('conversation_updated', { agentId }, { forged: true });

    expect(received).toMatchObject([
      { payload: { workspaceSecret: secondWorkspaceSecret } },
      { payload: { workspaceSecret: `forged-${workspaceId}` } },
    ]);
  });
});

test("an agent's own address gets nothing once its workspace was removed, and others are sent the event", async () => {
  const { fake } = subscribed();
  const { secondWorkspaceId: workspaceId } = fake.seed.eu;
  const { id: agentId } = fake.add.agent({ workspaceId, advanced: { serverUrl: 'http://127.0.0.1:1' } });
  fake.records.remove('eu', 'workspaces', workspaceId);

  expect(await fake.webhooks.send('conversation_updated', { agentId })).toMatchObject([{ status: 200 }]);
});

describe('the platform of an agent (6.2)', () => {
  const native = types.filter((type) => webhookEvents[type].platforms === 'native');

  test('is the native one by default', () => {
    const fake = createFakePlatform();

    expect([fake.add.agent().platform, fake.add.agent({ platform: 'vf' }).platform]).toEqual(['vg', 'vf']);
  });

  test.each(types)(
    '%s is sent for an agent of the other one, unless it needs the native one',
    async (type) => {
      const { fake, target } = subscribed();
      fake.add.agent({ id: fake.seed.eu.agentId, platform: 'vf' });

      if (native.includes(type)) {
        const message = `${type} cannot be sent for the agent "agent_eu_1": only the native platform sends it (6.2), and the agent's platform is "vf".`;
        expect(() => fake.webhooks.send(type)).toThrow(new TypeError(message));
      } else await fake.webhooks.send(type);

      expect(target.received).toHaveLength(native.includes(type) ? 0 : 1);
    },
  );

  test('is that of the agent in the region of the event', async () => {
    const { fake } = subscribed();
    fake.add.agent({ id: 'bot', platform: 'vg' });
    fake.add.na.agent({ id: 'bot', platform: 'vf' });
    const overrides = { agentId: 'bot' };

    const sent = await fake.webhooks.send('lead_captured', overrides, { region: 'eu' });

    expect(sent).toHaveLength(1);
    // Of an agent that the fake does not have, nothing is known.
    expect(await fake.webhooks.send('lead_captured', { agentId: 'elsewhere' })).toHaveLength(1);
    expect(() => fake.webhooks.send('lead_captured', overrides, { region: 'na' })).toThrow(
      'only the native platform',
    );
  });

  test('is said to who sends an event over HTTP', async () => {
    const fake = createFakePlatform();
    await using server = await fake.listen({ control: true });
    fake.add.agent({ id: fake.seed.eu.agentId, platform: 'vf' });
    const headers = { 'content-type': 'application/json' };
    const body = '{"type":"lead_captured"}';

    const response = await fetch(`${server.url}/_fake/events`, { method: 'POST', headers, body });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: expect.stringContaining('only the native platform sends it') as string,
    });
  });

  test('holds several events back, before the first is sent', async () => {
    const { fake, target } = subscribed();
    const { id: agentId } = fake.add.agent({ platform: 'vf' });

    const sending = fake.webhooks.sendAll([
      { type: 'webhook_test' },
      { type: 'form_submitted', overrides: { agentId } },
    ]);

    await expect(sending).rejects.toThrow(TypeError);
    expect(target.received).toEqual([]);
  });

  test('is told in the events of the agent, unless the test says otherwise', async () => {
    const { fake, target } = subscribed();
    const { id: agentId } = fake.add.agent({ platform: 'vf' });

    await fake.webhooks.send('agent_created');
    await fake.webhooks.send('agent_created', { agentId });
    await fake.webhooks.send('agent_created', { agentId, agentPlatform: 'vg' });
    await fake.webhooks.send('agent_created', { agentId, agentPlatform: undefined });

    expect(target.received.map(({ payload }) => payload.agentPlatform)).toEqual([
      'vg',
      'vf',
      'vg',
      undefined,
    ]);
  });
});

test('keeps and tells every delivery, without the secret', async () => {
  const told: unknown[] = [];
  const fake = createFakePlatform({ onDelivery: (delivery) => told.push(delivery) });
  fake.webhooks.subscribe(subscriber(), { events: ['webhook_test'] });
  fake.webhooks.subscribe(subscriber(500), { events: ['lead_captured'] });
  await fake.webhooks.send('webhook_test');
  await fake.webhooks.send('lead_captured');

  expect(fake.webhooks.deliveries.map(({ type }) => type)).toEqual(['webhook_test', 'lead_captured']);
  expect(told).toEqual(fake.webhooks.deliveries);
  expect(JSON.stringify(fake.webhooks.deliveries)).not.toContain(fake.seed.eu.workspaceSecret);
});

test('a delivery that is forgotten while it is under way is told all the same', async () => {
  const onDelivery = vi.fn();
  const { webhooks } = createFakePlatform({ onDelivery });
  webhooks.subscribe({
    fetch: () => {
      webhooks.clear();
      return new Response();
    },
  });
  const told = await webhooks.send('webhook_test');

  expect(onDelivery.mock.calls).toEqual([told]);
  expect(webhooks.deliveries).toEqual([]);
  expect(await webhooks.send('webhook_test')).toMatchObject([{ id: 'delivery_2' }]);
});

test('sends a thousand copies', async () => {
  const { fake } = subscribed();

  expect(await fake.webhooks.send('webhook_test', {}, { copies: 1_000 })).toHaveLength(1_000);
});

test.each([0, 1.5, -1, 1_001, Number.NaN])('refuses %d copies', (copies) => {
  const { webhooks } = createFakePlatform();
  const message = `copies must be a whole number from 1 to 1000, got ${copies}.`;

  expect(() => webhooks.send('webhook_test', {}, { copies })).toThrow(new TypeError(message));
  expect(() => webhooks.sendUnknown('brand_new', {}, { copies })).toThrow(new TypeError(message));
});

test("an agent's own address of another kind is a failed delivery", async () => {
  const fake = createFakePlatform();
  const { id: agentId } = fake.add.agent({ advanced: { serverUrl: 'file:///etc/passwd' } });

  expect(await fake.webhooks.send('conversation_updated', { agentId })).toMatchObject([
    {
      outcome: 'failed',
      error: 'the target must be an http: or https: address, got "file:///etc/passwd".',
    },
  ]);
});

describe('subscriptions', () => {
  test('are told, without the receiver', () => {
    const { webhooks, seed } = createFakePlatform();
    webhooks.subscribe('http://127.0.0.1:1/hook', { events: ['lead_captured'] });
    webhooks.subscribe(subscriber(), { region: 'na' });

    expect(webhooks.subscriptions).toEqual([
      {
        id: 'subscription_1',
        address: 'http://127.0.0.1:1/hook',
        region: 'eu',
        workspaceId: seed.eu.workspaceId,
        events: ['lead_captured'],
        untilReset: false,
      },
      {
        id: 'subscription_2',
        address: 'receiver',
        region: 'na',
        workspaceId: seed.na.workspaceId,
        events: undefined,
        untilReset: false,
      },
    ]);
  });

  test('are one for each address and workspace, with the last events that were asked for', async () => {
    const fake = createFakePlatform();
    const { url, received } = await listener();
    const { secondWorkspaceId: workspaceId } = fake.seed.eu;
    fake.webhooks.subscribe(url, { events: ['lead_captured'] });
    fake.webhooks.subscribe(url, { workspaceId });
    fake.webhooks.subscribe(url, { region: 'na' });
    fake.webhooks.subscribe(new URL(url), { events: ['webhook_test'] });

    expect(await fake.webhooks.send('lead_captured')).toEqual([]);
    expect(await fake.webhooks.send('webhook_test')).toHaveLength(1);
    expect(received).toHaveLength(1);
    expect(fake.webhooks.subscriptions).toHaveLength(3);
    fake.webhooks.subscribe(url, { untilReset: true });
    fake.webhooks.subscribe(url, { events: ['webhook_test'] });
    expect(fake.webhooks.subscriptions.at(-1)?.untilReset).toBe(true);
    fake.webhooks.subscribe(url, { untilReset: false });
    expect(fake.webhooks.subscriptions.at(-1)?.untilReset).toBe(false);
  });

  test('are two where both regions have a workspace of the same id', async () => {
    const { add, webhooks } = createFakePlatform();
    const workspaceId = 'same';
    for (const region of ['eu', 'na'] as const) {
      add[region].workspace({ id: workspaceId });
      webhooks.subscribe('http://127.0.0.1:1/hook', { region, workspaceId });
    }
    expect(webhooks.subscriptions.map(({ region }) => region)).toEqual(['eu', 'na']);
    expect(await webhooks.send('webhook_test', {}, { region: 'na', workspaceId })).toHaveLength(1);
  });

  test('are of one address, however it is written, and get nothing where they ask for no type', async () => {
    const { webhooks } = createFakePlatform();
    webhooks.subscribe('HTTP://127.0.0.1:1');
    const events: string[] = [];
    webhooks.subscribe('http://127.0.0.1:1/', { events });
    events.push('webhook_test');

    expect(webhooks.subscriptions).toMatchObject([{ address: 'http://127.0.0.1:1/' }]);
    expect(await webhooks.send('webhook_test')).toEqual([]);
  });

  test('end by their id', async () => {
    const { webhooks } = createFakePlatform();
    webhooks.subscribe(subscriber());
    webhooks.subscribe(subscriber());

    expect([webhooks.unsubscribe('subscription_1'), webhooks.unsubscribe('subscription_1')]).toEqual([
      true,
      false,
    ]);
    expect(await webhooks.send('webhook_test')).toHaveLength(1);
    // Each has an id of its own, also after others have ended.
    webhooks.subscribe(subscriber());
    expect(webhooks.subscriptions.map(({ id }) => id)).toEqual(['subscription_2', 'subscription_3']);
  });
});

test.each([undefined, null, () => new Response(), {}])(
  'a target that takes no requests is refused: %s',
  (target) => {
    const { webhooks } = createFakePlatform();
    expect(() => webhooks.subscribe(target as never)).toThrow(
      new TypeError('subscribe: the target must be an address or a receiver'),
    );
    expect(webhooks.subscriptions).toEqual([]);
  },
);

test('reset forgets deliveries and keeps subscriptions', async () => {
  const fake = createFakePlatform();
  fake.webhooks.subscribe(subscriber());
  await fake.webhooks.send('webhook_test');

  fake.reset();

  expect(fake.webhooks.deliveries).toEqual([]);
  expect(await fake.webhooks.send('webhook_test')).toHaveLength(1);
});

test.each([
  [
    'an address that is no URL',
    () => createFakePlatform().webhooks.subscribe('nowhere'),
    'The address must be an http: or https: address, got "nowhere"',
  ],
  [
    'an address of another kind',
    () => createFakePlatform().webhooks.subscribe(new URL('file:///etc/passwd')),
    'The address must be an http: or https: address, got "file:///etc/passwd"',
  ],
  [
    'an unknown workspace',
    () => createFakePlatform().webhooks.subscribe(subscriber(), { workspaceId: 'x' }),
    'Region eu has no workspace with the id "x"',
  ],
  [
    'a delivery that is not there',
    () => createFakePlatform().webhooks.resend('x'),
    'There is no delivery with the id "x".',
  ],
])('refuses %s', (_name, refused, message) => {
  expect(refused).toThrow(TypeError);
  expect(refused).toThrow(message);
});

test('no operation sends an event on its own', async () => {
  const { fake, target } = subscribed();
  const { secondWorkspaceId, secondWorkspaceSecret } = fake.seed.eu;
  const headers = { authorization: `Bearer ${secondWorkspaceSecret}` };
  const url = `${fake.baseUrls.eu}/v3/workspaces/${secondWorkspaceId}`;

  expect((await fake.fetch(url, { method: 'DELETE', headers })).status).toBe(200);
  expect(target.received).toEqual([]);
});
