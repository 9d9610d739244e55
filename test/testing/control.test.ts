import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { collectGarbage } from '../support/memory.js';
import { clientOf, listening } from './clients.js';

/** A fake with its control API, and a function that calls it. */
async function controlled() {
  const fake = createFakePlatform();
  const server = await listening(fake, { control: true });
  const call = async (method: string, path: string, body?: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${server.url}/_fake${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { fake, server, call };
}

test('records are listed, added, changed and removed', async () => {
  const { fake, call } = await controlled();
  const tool = { id: 'crm', name: 'CRM', agentId: 'agent_eu_1' };
  const added = await call('POST', '/records/eu/tools', { id: 'crm', name: 'CRM' });
  const changed = await call('PATCH', '/records/eu/tools/crm', { name: 'new' });
  expect([added.body.record, changed.body.record]).toEqual([tool, { ...tool, name: 'new' }]);
  expect((await call('GET', '/records/eu/tools')).body.records).toEqual(fake.records.list('eu', 'tools'));
  expect((await call('DELETE', '/records/eu/tools/crm')).status).toBe(200);
  expect((await call('DELETE', '/records/eu/tools/crm')).status).toBe(404);
  // A conversation is named by the ids of its agent and its own.
  fake.add.conversation({ convoId: 'c/1' });
  for (const id of ['agent_eu_1/convo_eu_1', 'agent_eu_1/c%2F1']) {
    await call('PATCH', `/records/eu/conversations/${id}`, { record: { title: 'new' } });
  }
  expect(fake.records.list('eu', 'conversations').map(({ record }) => record.title)).toEqual(['new', 'new']);
});

test('events are sent to subscribers, and deliveries repeated', async () => {
  const { fake, call } = await controlled();
  const url = 'http://127.0.0.1:9/hook';
  await call('POST', '/subscriptions', { url, events: ['lead_captured'] });
  expect((await call('GET', '/subscriptions')).body).toEqual({ subscriptions: fake.webhooks.subscriptions });
  const event = { type: 'lead_captured', payload: { leadName: 'Dana' }, copies: 2 };
  const { deliveries } = (await call('POST', '/events', event)).body;
  expect(deliveries).toMatchObject([{ payload: { leadName: 'Dana' }, address: url }, { outcome: 'failed' }]);
  const { delivery } = (await call('POST', '/deliveries/delivery_1/resend', {})).body;
  expect(delivery).toMatchObject({ id: 'delivery_3', type: 'lead_captured' });
  expect((await call('GET', '/deliveries?outcome=success')).body).toEqual({ deliveries: [] });
  expect((await call('GET', '/deliveries?outcome=failed')).body.deliveries).toHaveLength(3);
  await call('DELETE', '/deliveries');
  expect(fake.webhooks.deliveries).toEqual([]);
  expect((await call('DELETE', '/subscriptions/subscription_1')).status).toBe(200);
  expect((await call('DELETE', '/subscriptions/subscription_1')).status).toBe(404);
});

test('faults, requests and the whole state', async () => {
  const { fake, call } = await controlled();
  const fault = { kind: 'status', id: 'fault_1', endpoint: 'getTool', status: 503, remaining: 2, hits: 0 };
  const { status, endpoint } = fault;
  expect((await call('POST', '/faults', { endpoint, status, times: 2 })).body).toEqual({ fault });
  await clientOf(fake).tools.listDefaults();
  await expect(clientOf(fake).tools.get('x')).rejects.toThrow();
  const hit = { ...fault, remaining: 1, hits: 1 };
  expect((await call('GET', '/state')).body).toEqual({
    records: JSON.parse(JSON.stringify(fake.snapshot().records)) as object,
    subscriptions: [],
    faults: [hit],
    requests: 2,
    deliveries: 0,
  });
  expect((await call('GET', '/faults')).body).toEqual({ faults: [hit] });
  expect((await call('DELETE', '/faults/fault_1')).status).toBe(200);
  expect((await call('DELETE', '/faults/fault_1')).status).toBe(404);
  await call('POST', '/faults', { status });
  await call('DELETE', '/faults');
  expect(fake.faults.list()).toEqual([]);
  const counted = async (filter: string) => (await call('GET', `/requests${filter}`)).body.requests;
  expect(await counted('')).toHaveLength(2);
  expect(await counted('?status=503&endpoint=getTool')).toHaveLength(1);
  expect(await counted('?status=200&endpoint=getTool')).toHaveLength(0);
  await call('DELETE', '/requests');
  expect(fake.requests).toEqual([]);
});

test('reset ends subscriptions, unless they are kept', async () => {
  const { fake, call } = await controlled();
  await call('POST', '/subscriptions', { url: 'http://127.0.0.1:9/mine' });
  fake.add.tool({ id: 'new' });
  await call('POST', '/reset', { keepSubscriptions: true });
  expect([fake.webhooks.subscriptions.length, fake.state.eu.tools.has('new')]).toEqual([1, false]);
  await call('POST', '/reset', {});
  expect(fake.webhooks.subscriptions).toEqual([]);
});

describe('changes', () => {
  /** Watches a fake, and has read the first event. */
  async function watched() {
    const { fake, server } = await controlled();
    const { headers, body } = await fetch(`${server.url}/_fake/changes`);
    const reader = (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    const { value: first = '' } = await reader.read();
    return { fake, headers, reader, first };
  }

  test('are sent as server-sent events', async () => {
    const { fake, headers, reader, first } = await watched();
    expect(headers.get('content-type')).toBe('text/event-stream');
    fake.add.tool();
    await clientOf(fake).tools.listDefaults();
    let events = first;
    while (!events.includes('"status":200')) events += (await reader.read()).value ?? '';
    await reader.cancel();
    const names = [...events.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
    expect(names).toEqual(['open', 'changed', 'request', 'request']);
    expect(events).toContain('data: {"what":"records"}');
  });

  test('have a sign of life, so that nothing ends a quiet stream', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { reader } = await watched();
    vi.advanceTimersByTime(15_000);
    expect((await reader.read()).value).toMatch(/^: .*\n\n$/);
    await reader.cancel();
    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0));
  });

  test('end for a watcher that does not read, once too much waits for it', async () => {
    const { fake, server } = await controlled();
    // A response that is collected ends its body (Node 20.20.2, undici's FinalizationRegistry).
    const watching = await fetch(`${server.url}/_fake/changes`);
    const text = 'x'.repeat(1_000_000);
    // Each request is two events.
    for (let count = 0; count < 30; count += 1) {
      await fake.fetch(`${fake.baseUrls.eu}/v3/nowhere`, { method: 'POST', body: text });
    }
    const events = await watching.text();
    expect(events.match(/^event: request$/gm)?.length).toBeLessThan(50);
    expect(events.endsWith('\n\n')).toBe(true);
  });

  test('a closed connection ends its listener, after a garbage collection too', async () => {
    const { fake, server } = await controlled();
    const stopped = vi.fn();
    const { onChange } = fake;
    vi.spyOn(fake, 'onChange').mockImplementation((listener) => {
      const stop = onChange.call(fake, listener);
      return () => {
        stopped();
        stop();
      };
    });
    const controller = new AbortController();
    const { body } = await fetch(`${server.url}/_fake/changes`, { signal: controller.signal });
    await body?.getReader().read();
    // An abandoned Request would lose its signal (nodejs/node#55428).
    collectGarbage();
    controller.abort();
    await vi.waitFor(() => expect(stopped).toHaveBeenCalledOnce());
  });
});

test.each<[method: string, path: string, body: object | undefined, status: number, message: string]>([
  ['POST', '/records/eu/tool', {}, 400, 'Unknown collection "tool". Did you mean "tools"?'],
  ['POST', '/events', {}, 400, 'type is missing'],
  ['POST', '/events', { type: 'lead_captured', leadName: 'Dana' }, 400, 'leadName is not a known option.'],
  ['POST', '/subscriptions', {}, 400, 'expected an address or a receiver, got nothing'],
  ['POST', '/deliveries/delivery_1/resend', {}, 400, 'There is no delivery "delivery_1".'],
  ['POST', '/faults', [] as object, 400, 'The body must be a JSON object.'],
  ['GET', '/requests?stauts=503', undefined, 400, 'Unknown filter "stauts". Did you mean "status"?'],
  ['GET', '/deliveries?endpoint=x', undefined, 400, 'Unknown filter "endpoint".'],
  ['DELETE', '/records/eu/tools/%zz', undefined, 404, 'There is no /_fake/records/eu/tools/%zz.'],
  ['GET', '/nowhere', undefined, 404, 'There is no GET /_fake/nowhere.'],
])('%s %s %j is refused with %i', async (method, path, body, status, message) => {
  const { call } = await controlled();
  const code = status === 400 ? 'BAD_REQUEST' : 'NOT_FOUND';
  const error = { message: expect.stringContaining(message) as string, code };
  expect(await call(method, path, body)).toEqual({ status, body: error });
});

test.each([
  ['POST', '/reset', 'text/plain'],
  ['POST', '/reset', undefined],
  ['PATCH', '/records/eu/tools/tool_eu_1', 'application/x-www-form-urlencoded'],
])('a %s of %s with the content type %s is refused before its body is read', async (method, path, type) => {
  const { fake, server } = await controlled();
  fake.add.tool({ id: 'kept' });
  const before = fake.snapshot();
  const headers = { 'content-length': 600_000_000, ...(type !== undefined && { 'content-type': type }) };
  const call = request(`${server.url}/_fake${path}`, { method, headers });
  call.on('error', () => undefined).write('{"name":"changed"}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  call.destroy();
  expect([response.statusCode, fake.snapshot()]).toEqual([415, before]);
});
