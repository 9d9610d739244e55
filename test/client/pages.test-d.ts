import { AgentPlatform, type Conversation, ConversationSchema, endpoint, withPage } from 'agent-platform-sdk';
import { createFakePlatform } from 'agent-platform-sdk/testing';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';

const platform = new AgentPlatform();
const declared = { method: 'GET', path: '/agents/{agentId}/convos' } as const;
const query = z.object({ limit: z.number().optional(), cursor: z.string().optional() });

const listConvos = endpoint({ ...declared, query, response: withPage(ConversationSchema) });
const path = { agentId: 'a' };

export async function read(): Promise<void> {
  for await (const convo of platform.paginate(listConvos, { path })) {
    expectTypeOf(convo).toEqualTypeOf<Conversation>();
  }
  for await (const page of platform.paginate(listConvos, { path, query: { limit: 5 } }).pages()) {
    expectTypeOf(page.data).toEqualTypeOf<Conversation[]>();
    expectTypeOf(page.nextCursor).toEqualTypeOf<string | number | undefined>();
  }
  const one = await platform.send(listConvos, { path, query: { cursor: 'c' } });
  expectTypeOf(one.data).toEqualTypeOf<Conversation[]>();
  expectTypeOf(one.nextCursor).toEqualTypeOf<string | number | null | undefined>();
  expectTypeOf(one.hasMore).toEqualTypeOf<boolean | undefined>();

  // @ts-expect-error A list that is awaited is no list.
  (await platform.paginate(listConvos, { path })).length;
  // @ts-expect-error The ids are those of the path.
  platform.paginate(listConvos, { path: { id: 'a' } });
  // @ts-expect-error The query is that of its schema.
  platform.paginate(listConvos, { path, query: { limitt: 5 } });

  const getConvo = endpoint({ ...declared, response: ConversationSchema });
  // @ts-expect-error Its response is no page.
  platform.paginate(getConvo, { path });
}

const names = { data: 'items', nextCursor: 'next', hasMore: 'more', cursor: 'after' } as const;
const renamed = endpoint({
  ...declared,
  query: z.object({ after: z.string().optional() }),
  response: withPage(z.object({ id: z.string(), at: z.string().transform((text) => new Date(text)) }), names),
});

export async function readRenamed(): Promise<void> {
  for await (const row of platform.paginate(renamed, { path })) {
    expectTypeOf(row).toEqualTypeOf<{ id: string; at: Date }>();
  }
  const one = await platform.send(renamed, { path });
  expectTypeOf(one.items).toEqualTypeOf<{ id: string; at: Date }[]>();
  expectTypeOf(one.next).toEqualTypeOf<string | number | null | undefined>();
  // @ts-expect-error The service calls it `items`.
  one.data;
}

// @ts-expect-error Without a query, the cursor would not be sent.
endpoint({ ...declared, response: withPage(ConversationSchema) });
// @ts-expect-error The schema would drop the cursor.
endpoint({ ...declared, query: z.object({ page: z.string() }), response: withPage(ConversationSchema) });
// @ts-expect-error The field has another name.
endpoint({ ...declared, query, response: withPage(ConversationSchema, { cursor: 'after' }) });
// @ts-expect-error A page has no such part.
withPage(ConversationSchema, { next: 'x' });

// One that takes any field.
endpoint({ ...declared, query: z.record(z.string(), z.string()), response: withPage(ConversationSchema) });

export const fake = createFakePlatform();
fake.handle(listConvos, ({ path: { agentId } }) => {
  expectTypeOf(agentId).toEqualTypeOf<string>();
  return Response.json({});
});
