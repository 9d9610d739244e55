import { endpoint, endpoints, ToolSchema, withPage } from 'agent-platform-sdk';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { createClient, rejectionOf, requests, respond, response } from '../support/client.js';

const cursor = z.union([z.string(), z.number()]).optional();
const query = z.object({ limit: z.number().optional(), cursor });
const row = z.object({ id: z.string() });
const listRows = endpoint({ method: 'GET', path: '/lists/{id}', query, response: withPage(row) });
const path = { id: 'l 1' };

type Part = Readonly<Record<string, unknown>>;

/** The body of a page with one row for each letter. */
const page = (ids: string, more: Part = {}): Part => ({
  success: true,
  message: '',
  data: Array.from(ids, (id) => ({ id })),
  ...more,
});

/** Responds with these pages, one after the other, repeating the last. */
const serve = (...pages: readonly [Part, ...Part[]]): void => {
  const [first, ...others] = pages.map((body) => response(200, body)) as [Response, ...Response[]];
  respond(first, ...others);
};

async function idsOf(rows: AsyncIterable<{ readonly id: string }>): Promise<string> {
  let ids = '';
  for await (const { id } of rows) ids += id;
  return ids;
}

const list = (client = createClient()) => client.paginate(listRows, { path, query: { limit: 2 } });
const sent = () => requests.map(({ path }) => path.replace('/v3/lists/l%201?limit=2', ''));

test('paginate gives the rows of all pages, and starts anew each time', async () => {
  serve(page('ab', { nextCursor: 'x y' }), page('c', { nextCursor: null }), page('d'));
  const rows = list();
  expect(requests).toHaveLength(0);
  expect(await idsOf(rows)).toBe('abc');
  expect(sent()).toEqual(['', '&cursor=x+y']);
  expect(await idsOf(rows)).toBe('d');
  expect(sent()[2]).toBe('');
});

test('break stops it', async () => {
  serve(page('ab', { nextCursor: 'x' }));
  for await (const { id } of list()) if (id === 'b') break;
  expect(requests).toHaveLength(1);
});

test.each<[what: string, last: Part]>([
  ['`hasMore` is false, whatever the cursor', page('b', { nextCursor: 'z', hasMore: false })],
  ['there is no cursor', page('b')],
  ['the cursor is null', page('b', { nextCursor: null, hasMore: false })],
  ['the cursor is empty', page('b', { nextCursor: '' })],
  ['an empty page repeats its cursor', page('', { nextCursor: 'x', hasMore: true })],
])('the list ends if %s', async (_, last) => {
  serve(page('a', { nextCursor: 'x' }), last, page('never'));
  const given: unknown[] = [];
  for await (const { nextCursor } of list().pages()) given.push(nextCursor);
  expect(given).toEqual(['x', undefined]);
  expect(requests).toHaveLength(2);
});

test('0 and a text that reads like nothing are cursors, and an empty page with a new one goes on', async () => {
  serve(page('a', { nextCursor: 0 }), page('', { nextCursor: 'undefined' }), page('b'));
  expect(await idsOf(list())).toBe('ab');
  expect(sent()).toEqual(['', '&cursor=0', '&cursor=undefined']);
});

const cursors = (...given: readonly unknown[]) =>
  given.map((nextCursor) => page('a', { nextCursor })) as [Part, ...Part[]];

test.each<[what: string, place: string, ...pages: [Part, ...Part[]]]>([
  ['`hasMore` is true without a cursor', 'nextCursor', page('a', { hasMore: true })],
  ['`hasMore` is true with an empty cursor', 'nextCursor', page('', { hasMore: true, nextCursor: '' })],
  ['its cursor comes again', 'nextCursor', ...cursors('x', 'x')],
  ['a number comes again as text', 'nextCursor', ...cursors(5, '5')],
  ['two cursors come in turn', 'nextCursor', ...cursors('x', 'y', 'x')],
  ['the cursor is an object', 'nextCursor', ...cursors({ at: 1 })],
  ['the rows are no list', 'data', { ...page(''), data: { a: 1 } }],
])('the list is not cut off silently if %s', async (_, place, ...pages) => {
  serve(...pages);
  const onEnd = vi.fn();
  const client = createClient({ hooks: { onEnd }, validation: place === 'data' ? 'off' : 'tolerant' });
  const error = await rejectionOf(idsOf(list(client)));
  expect(error).toMatchObject({ type: 'response_validation_error', issues: [{ path: [place] }] });
  expect(requests).toHaveLength(pages.length);
  expect(onEnd).toHaveBeenLastCalledWith(expect.objectContaining({ outcome: 'error', error }));
});

test('the cursor that the caller passed was sent too', async () => {
  serve(page('a', { nextCursor: 'x' }));
  const rows = createClient().paginate(listRows, { path, query: { cursor: 'x' } });
  expect(await rejectionOf(idsOf(rows))).toMatchObject({ type: 'response_validation_error' });
});

test('a page that fails rejects with the error of its call, and its options are those of each call', async () => {
  respond(response(200, page('a', { nextCursor: 'x' })), response(404, { message: 'gone' }));
  const ids: string[] = [];
  const rows = createClient().paginate(listRows, { path }, { headers: { 'x-job': '7' } });
  const error = await rejectionOf(
    (async () => {
      for await (const { id } of rows) ids.push(id);
    })(),
  );
  expect([ids, error]).toMatchObject([['a'], { type: 'not_found_error' }]);
  expect(requests.map(({ headers }) => headers.get('x-job'))).toEqual(['7', '7']);
});

test('pages give cursor, drift and response, so that a program can go on later', async () => {
  const listTools = endpoint({ method: 'GET', path: '/tools', query, response: withPage(ToolSchema) });
  const tool = { id: 't1', name: null };
  serve({ ...page(''), data: [tool], nextCursor: 'x', hasMore: 'yes' }, { ...page(''), data: [] });
  const client = createClient();
  for await (const { data, nextCursor, drift, response } of client.paginate(listTools).pages()) {
    expect([data, nextCursor, response.status]).toEqual([[tool], 'x', 200]);
    expect(drift.map(({ path }) => path.join('.')).sort()).toEqual(['data.0.name', 'hasMore']);
    break;
  }
  expect(await idsOf(client.paginate(listTools, { query: { cursor: 'x' } }))).toBe('');
  expect(requests.at(-1)?.path).toBe('/v3/tools?cursor=x');
  const strict = client.withOptions({ validation: 'strict' });
  serve({ ...page(''), data: [tool] });
  expect(await rejectionOf(idsOf(strict.paginate(listTools)))).toMatchObject({
    issues: [{ path: ['data', 0, 'name'] }],
  });
});

test('a page may have other names, and rows of any Standard Schema', async () => {
  const names = { data: 'items', nextCursor: 'next', hasMore: 'more', cursor: 'after' } as const;
  const born = z.object({ id: z.string().transform((id) => id.toUpperCase()) });
  const upper = { '~standard': born['~standard'] };
  for (const record of [born, upper]) {
    const renamed = endpoint({
      method: 'GET',
      path: '/names',
      query: z.object({ after: z.string().optional() }),
      response: withPage(record, names),
    });
    requests.length = 0;
    serve({ items: [{ id: 'a' }], next: 'x', more: true }, { items: [{ id: 'b' }], more: false });
    expect(await idsOf(createClient().paginate(renamed))).toBe('AB');
    expect(requests.map(({ path }) => path)).toEqual(['/v3/names', '/v3/names?after=x']);
    serve({ items: [{ id: 'a' }, { id: 5 }] });
    expect(await rejectionOf(createClient().send(renamed))).toMatchObject({
      issues: [{ path: ['items', 1, 'id'] }],
    });
  }
});

test.each([
  [undefined, 'nothing'],
  [endpoints.getTool, 'object'],
])('paginate rejects what is no list', async (given, got) => {
  const rows = Reflect.apply(createClient().paginate, undefined, [given, {}]) as AsyncIterable<{
    id: string;
  }>;
  await expect(idsOf(rows)).rejects.toMatchObject({
    option: 'endpoint',
    message: `paginate: endpoint must have a response of withPage(), got ${got}.`,
  });
});

test.each<[what: string, input: unknown]>([
  ['nothing', undefined],
  ['a text', 'l1'],
  ['an option in the place of input', { path, timeout: 5_000 }],
])('wrong input rejects before anything is sent: %s', async (_, input) => {
  const rows = createClient().paginate(listRows, input as never);
  expect(await rejectionOf(idsOf(rows))).toMatchObject({ type: 'request_validation_error' });
  expect(requests).toHaveLength(0);
});

test.each<[what: string, declare: () => unknown, message: string]>([
  ['a page without a record', () => withPage(undefined as never), 'withPage: takes the Standard Schema'],
  ['a part that no page has', () => withPage(row, { next: 'x' } as object), 'withPage: takes names'],
  ['a part that every object has', () => withPage(row, { toString: 'x' } as object), 'withPage: takes names'],
  ['a name that is no text', () => withPage(row, { data: 5 } as object), 'withPage: takes names'],
  ['an empty name', () => withPage(row, { data: '' }), 'withPage: takes names'],
  ['one name for two parts', () => withPage(row, { data: 'x', nextCursor: 'x' }), 'not empty, all different'],
])('%s is refused', (_, declare, message) => {
  expect(declare).toThrow(TypeError);
  expect(declare).toThrow(message);
});
