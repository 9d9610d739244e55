import { ConfigurationError, RequestValidationError } from 'agent-platform-sdk';
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

test('request sends its arguments, and returns the whole body as it was sent', async () => {
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

test('request takes any path that URLs keep, and its query', async () => {
  respond(response(200, success({})));
  const paths: [path: string, sent: string][] = [
    ['/räume/a b', '/r%C3%A4ume/a%20b'],
    ['/r%C3%A4ume/a%2Fb/100%', '/r%C3%A4ume/a%2Fb/100%'],
    ['/tools//x/', '/tools//x/'],
    ['/workspaces/undefined', '/workspaces/undefined'],
    ['/agents/:id', '/agents/:id'],
    ['/tools?filter={"a":"../b"}&x', '/tools?filter={%22a%22:%22../b%22}&x'],
  ];
  for (const [path] of paths) await createClient().request('GET', path);
  expect(requests.map(({ path }) => path)).toEqual(paths.map(([, sent]) => `/v3${sent}`));
  await createClient().request('GET', '/tools?a=1', { query: { b: 2 } });
  expect(requests.at(-1)?.path).toBe('/v3/tools?a=1&b=2');
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

test.each<[what: string, args: readonly unknown[], message: string]>([
  ['no argument', [], 'method: expected one of GET, POST, PUT, PATCH, DELETE'],
  ['a method in small letters', ['get', '/tools'], 'method: expected one of GET'],
  ['a path without a slash', ['GET', 'tools'], 'path: expected a path like "/tools/{toolId}"'],
  ['a path that is not a text', ['GET', 5], 'path: expected a path like'],
  ['a path with a version', ['GET', '/v3?x'], 'path: expected a path like'],
  ['a path with a parameter', ['GET', '/tools/{toolId}'], 'replace the braces by ids'],
  ['a GET with a body', ['GET', '/tools', { body: {} }], 'body: expected none: a GET sends no body'],
  ['a query that is a text', ['GET', '/tools', { query: 'a=1' }], 'query: expected object, received string'],
])('request rejects %s', async (_, args, message) => {
  const platform = createClient();
  const call: Promise<unknown> = Reflect.apply(platform.request, platform, args);
  const error = await rejectionOf(call);
  expect(error).toBeInstanceOf(RequestValidationError);
  expect((error as Error).message).toContain(message);
  expect(requests).toHaveLength(0);
});

test.each<[options: unknown, message: string]>([
  [{ params: {} }, 'GET /tools: params is not a known option. Known: '],
  [{ validation: 'strict' }, 'GET /tools: validation is not a known option'],
  [null, 'GET /tools: options must be of type object, got null'],
])('request rejects the options %j', async (options, message) => {
  const error = await rejectionOf(createClient().request('GET', '/tools', options as object));
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toContain(message);
});
