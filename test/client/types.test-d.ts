import {
  AgentPlatform,
  type ApiPromise,
  type Conversation,
  ConversationSchema,
  type DefaultTool,
  endpoint,
  endpoints,
  type MembersAndTeams,
  type ReleaseNumberResult,
  type Tool,
  ToolSchema,
  type Variable,
  withData,
  withFields,
  withoutData,
  withPage,
} from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { Agent, fetch as undiciFetch } from 'undici';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const platform = new AgentPlatform();

test('methods return records', () => {
  expectTypeOf(platform.orgs.listMembersAndTeams('o')).toEqualTypeOf<ApiPromise<MembersAndTeams>>();
  expectTypeOf(platform.variables.create('a', { key: 'k' })).toEqualTypeOf<ApiPromise<Variable>>();
  const released = platform.phoneNumbers.release({ phoneNumberSid: 'p', isImportedNumber: true });
  expectTypeOf(released).toEqualTypeOf<ApiPromise<ReleaseNumberResult>>();
  expectTypeOf(platform.tools.listDefaults()).toEqualTypeOf<ApiPromise<DefaultTool[]>>();
  expectTypeOf(platform.tools.get('t')).toEqualTypeOf<ApiPromise<Tool>>();
  const conversation = platform.conversations.get({ agentId: 'a', convoId: 'c' });
  expectTypeOf(conversation).toEqualTypeOf<ApiPromise<Conversation>>();
  expectTypeOf(platform.workspaces.delete('w')).toEqualTypeOf<ApiPromise<void>>();
});

test('wrong calls do not compile', () => {
  // @ts-expect-error two ids are named
  platform.conversations.get('a', 'c');
  // @ts-expect-error a key is required
  platform.variables.create('a', {});
  // @ts-expect-error a misspelt field
  platform.variables.create('a', { key: 'k', descripton: 'x' });
  // @ts-expect-error isImportedNumber is required
  platform.phoneNumbers.release({ phoneNumberSid: 'p' });
  // @ts-expect-error there is no such region
  new AgentPlatform({ region: 'us' });
  // @ts-expect-error there is no such mode
  platform.tools.get('t', { validation: 'loose' });
});

test('path parameters, body, query and result are typed from the declaration', () => {
  const update = endpoint({
    method: 'PATCH',
    path: '/agents/{agentId}/tools/{toolId}',
    body: z.object({ name: z.string() }),
    query: z.object({ dryRun: z.boolean() }),
    response: withData(ToolSchema),
  });
  const path = { agentId: 'a', toolId: 't' };
  const [body, query] = [{ name: 'n' }, { dryRun: true }];
  expectTypeOf(platform.send(update, { path, body, query })).resolves.toEqualTypeOf<Tool>();
  // @ts-expect-error a path parameter is missing
  platform.send(update, { path: { agentId: 'a' }, body, query });
  // @ts-expect-error a path parameter is misspelt
  platform.send(update, { path: { agentId: 'a', tool: 't' }, body, query });
  // @ts-expect-error the body is missing
  platform.send(update, { path, query });
  // @ts-expect-error the query is missing
  platform.send(update, { path, body });
  // @ts-expect-error the input is missing
  platform.send(update);
});

test('fields of an envelope are typed one by one, and a query of optional fields may be left out', () => {
  const list = endpoint({
    method: 'GET',
    path: '/agents/{agentId}/convos',
    query: z.object({ limit: z.number().optional(), cursor: z.string().optional() }),
    response: withFields({ data: z.array(ConversationSchema), nextCursor: z.string().nullish() }),
  });
  const path = { agentId: 'a' };
  expectTypeOf(platform.send(list, { path })).resolves.toEqualTypeOf<{
    data: Conversation[];
    nextCursor: string | null | undefined;
  }>();
  platform.send(list, { path, query: { limit: 20 } });
  // @ts-expect-error a misspelt field
  platform.send(list, { path, query: { limt: 20 } });
  const ping = endpoint({ method: 'GET', path: '/ping', query: list.query, response: withoutData() });
  platform.send(ping);
});

test('an endpoint without input is sent without input', () => {
  const options = { timeout: 5 };
  expectTypeOf(platform.send(endpoints.listDefaultTools)).resolves.toEqualTypeOf<DefaultTool[]>();
  expectTypeOf(platform.send(endpoints.listDefaultTools, {}, options)).resolves.toEqualTypeOf<
    DefaultTool[]
  >();
  const stop = endpoint({ method: 'POST', path: '/stop', response: withoutData() });
  expectTypeOf(platform.send(stop)).resolves.toEqualTypeOf<void>();
  // @ts-expect-error it takes no body
  platform.send(stop, { body: {} });
});

test('only a path parameter can be reserved', () => {
  // @ts-expect-error there is no parameter `id`
  endpoint({ method: 'GET', path: '/tools/{toolId}', response: z.unknown(), reserved: { id: ['defaults'] } });
});

test('a bare schema gives its output, a record keeps its interface', () => {
  const response = z.object({ at: z.string().transform(Number) });
  const read = endpoint({ method: 'GET', path: '/x', response });
  expectTypeOf(platform.send(read)).resolves.toEqualTypeOf<{ at: number }>();
});

const declared = { method: 'GET', path: '/agents/{agentId}/convos' } as const;
const query = z.object({ limit: z.number().optional(), cursor: z.string().optional() });
const path = { agentId: 'a' };

test('a list with a cursor is typed by its rows', async () => {
  const list = endpoint({ ...declared, query, response: withPage(ConversationSchema) });
  for await (const convo of platform.paginate(list, { path })) {
    expectTypeOf(convo).toEqualTypeOf<Conversation>();
  }
  for await (const page of platform.paginate(list, { path, query: { limit: 5 } }).pages()) {
    expectTypeOf(page.data).toEqualTypeOf<Conversation[]>();
    expectTypeOf(page.nextCursor).toEqualTypeOf<string | number | undefined>();
  }
  const one = await platform.send(list, { path, query: { cursor: 'c' } });
  expectTypeOf(one.data).toEqualTypeOf<Conversation[]>();
  expectTypeOf(one.nextCursor).toEqualTypeOf<string | number | null | undefined>();
  expectTypeOf(one.hasMore).toEqualTypeOf<boolean | undefined>();
  createFakePlatform().handle(list, ({ path: { agentId } }) => {
    expectTypeOf(agentId).toEqualTypeOf<string>();
    return Response.json({});
  });

  // @ts-expect-error a list that is awaited is no list
  (await platform.paginate(list, { path })).length;
  // @ts-expect-error the ids are those of the path
  platform.paginate(list, { path: { id: 'a' } });
  // @ts-expect-error the query is that of its schema
  platform.paginate(list, { path, query: { limitt: 5 } });
  const getConvo = endpoint({ ...declared, response: ConversationSchema });
  // @ts-expect-error its response is no page
  platform.paginate(getConvo, { path });
});

test('a page may have other names, and its rows the output of a schema', async () => {
  const names = { data: 'items', nextCursor: 'next', hasMore: 'more', cursor: 'after' } as const;
  const row = z.object({ at: z.string().transform((text) => new Date(text)) });
  const after = z.object({ after: z.string().optional() });
  const renamed = endpoint({ ...declared, query: after, response: withPage(row, names) });
  for await (const one of platform.paginate(renamed, { path }))
    expectTypeOf(one).toEqualTypeOf<{ at: Date }>();
  const page = await platform.send(renamed, { path });
  expectTypeOf(page.items).toEqualTypeOf<{ at: Date }[]>();
  expectTypeOf(page.next).toEqualTypeOf<string | number | null | undefined>();
  // @ts-expect-error the service calls it `items`
  page.data;
});

test('a list has a query that sends its cursor', () => {
  // @ts-expect-error without a query, the cursor would not be sent
  endpoint({ ...declared, response: withPage(ConversationSchema) });
  // @ts-expect-error the schema would drop the cursor
  endpoint({ ...declared, query: z.object({ page: z.string() }), response: withPage(ConversationSchema) });
  // @ts-expect-error the field has another name
  endpoint({ ...declared, query, response: withPage(ConversationSchema, { cursor: 'after' }) });
  // @ts-expect-error a page has no such part
  withPage(ConversationSchema, { next: 'x' });
  const anyField = z.record(z.string(), z.string());
  endpoint({ ...declared, query: anyField, response: withPage(ConversationSchema) });
});

test('request is unchecked, and says so', () => {
  expectTypeOf(platform.request('GET', '/agents/a')).toEqualTypeOf<ApiPromise<unknown>>();
  platform.request('POST', '/agents', { body: { any: 1 }, query: { page: [1, 2] }, timeout: 5 });
  // @ts-expect-error a misspelt option
  platform.request('GET', '/agents/a', { params: {} });
  // @ts-expect-error methods are in capitals
  platform.request('get', '/agents/a');
});

test('headers may be whatever fetch takes', () => {
  platform.tools.get('t', { headers: new Headers() });
  platform.tools.get('t', { headers: [['x-app', 'shop']] });
  platform.tools.get('t', { headers: { 'x-app': 'shop' } });
});

/** As node-fetch declares it, with a Response and Headers of its own. */
interface NodeFetch {
  (
    url: string | URL,
    init?: {
      method?: string;
      headers?: Record<string, string>;
      body?: string;
      redirect?: 'manual' | 'follow';
    },
  ): Promise<{
    status: number;
    ok: boolean;
    headers: { get(name: string): string | null; raw(): Record<string, string[]> };
    body: NodeJS.ReadableStream;
    text(): Promise<string>;
  }>;
}

// openai-node#1886
test('the fetch of another package fits the option', () => {
  new AgentPlatform({ fetch: undiciFetch });
  new AgentPlatform({ fetch: (() => undefined) as unknown as NodeFetch });
  new AgentPlatform({ fetch: (url, init) => fetch(url, init) });
  // @ts-expect-error it gives no response
  new AgentPlatform({ fetch: async () => ({ ok: true }) });
});

test('fetchOptions take what the runtime takes, but for what the client sets', () => {
  platform.tools.get('t', { fetchOptions: { dispatcher: new Agent(), cache: 'no-store' } });
  platform.tools.get('t', { fetchOptions: { proxy: 'http://proxy.example.com:3128' } });
  // @ts-expect-error the client sets it
  platform.tools.get('t', { fetchOptions: { redirect: 'follow' } });
  // @ts-expect-error an object
  platform.tools.get('t', { fetchOptions: { dispatcher: 'http://proxy.example.com:3128' } });
});
