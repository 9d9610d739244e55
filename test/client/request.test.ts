import { ConfigurationError } from 'agent-platform-sdk';
import { expect, expectTypeOf, test } from 'vitest';
import {
  addFaults,
  createClient,
  rejectionOf,
  requests,
  respond,
  response,
  seed,
  success,
} from '../support/client.js';

test('request sends what it is given, and returns the whole body as it came', async () => {
  const body = await createClient().request('GET', `/tools/${seed.toolId}`);
  expectTypeOf(body).toEqualTypeOf<unknown>();
  expect(body).toMatchObject({ success: true, data: { id: seed.toolId } });
});

test('request takes a query, a body and the options of a call', async () => {
  respond(response(200, success({})));
  const query = { tag: ['a', 'b'], page: 2, none: undefined };
  await createClient().request('POST', '/leads', { query, body: { x: 1 }, headers: { 'x-app': 'shop' } });
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: '/v3/leads?tag=a&tag=b&page=2',
    body: '{"x":1}',
  });
  expect(requests[0]?.headers.get('x-app')).toBe('shop');
});

test.each<[body: string, data: unknown]>([
  ['', undefined],
  ['null', null],
  ['{"odd":true}', { odd: true }],
])('a 2xx with the body %j gives %j', async (body, data) => {
  respond(response(200, body));
  expect(await createClient().request('DELETE', '/things/1')).toEqual(data);
});

test('request retries, and rejects with typed errors, as any call', async () => {
  addFaults({ status: 503 });
  const platform = createClient({ maxRetries: 1 });
  await platform.request('GET', `/tools/${seed.toolId}`);
  expect(requests).toHaveLength(2);
  expect(await rejectionOf(platform.request('GET', '/tools/none'))).toMatchObject({
    type: 'not_found_error',
    region: 'eu',
  });
});

test('request refuses a path that is none, and unknown options', async () => {
  const platform = createClient();
  expect(() => platform.request('GET', 'tools')).toThrow('the path must look like "/tools/{toolId}"');
  const options = { params: {} } as object;
  expect(await rejectionOf(platform.request('GET', '/tools', options))).toBeInstanceOf(ConfigurationError);
});
