import {
  type Conversation,
  endpoint,
  endpoints,
  type LeadCapturedPayload,
  type OpenEnum,
  type Tool,
  ToolSchema,
  withData,
  withoutData,
} from 'agent-platform-sdk';
import { createFakePlatform, type DeepPartial, fixtures } from 'agent-platform-sdk/testing';
import { expectTypeOf } from 'vitest';
import * as z from 'zod';

expectTypeOf(fixtures.tool()).toEqualTypeOf<Tool>();
expectTypeOf(fixtures.conversation()).toEqualTypeOf<Conversation>();
expectTypeOf(fixtures.event('lead_captured').payload).toEqualTypeOf<LeadCapturedPayload>();

fixtures.orgClient({ onboardingState: { personalInfo: { role: 'Sales' } }, status: 'online' });
// @ts-expect-error a misspelt field, deep inside
fixtures.orgClient({ onboardingState: { personalInfo: { roll: 'Sales' } } });
// @ts-expect-error a value that is not in a closed list
fixtures.orgClient({ status: 'away' });
// @ts-expect-error a field of another event
fixtures.event('lead_captured', { bugDescription: 'x' });
// @ts-expect-error an event that the document does not know
fixtures.event('lead_lost');

// A list is given whole: its elements are complete.
expectTypeOf<DeepPartial<Tool>['channels']>().toEqualTypeOf<OpenEnum<'web-chat'>[] | undefined>();
// An open list completes its known values and takes any other.
fixtures.conversation({ stage: 'won', state: 'requested_chat' });

const fake = createFakePlatform();
// @ts-expect-error a misspelt field of a record to add
fake.add.tool({ chanels: [] });
// @ts-expect-error the state is for inspection; `add` changes it
fake.state.eu.tools.set('x', { id: 'x' });
// @ts-expect-error a field of another event
void fake.webhooks.send('lead_captured', { bugDescription: 'x' });
void fake.webhooks.send('invoice_paid', { amount: 9 });
// @ts-expect-error a fault with the field of another
fake.faults.inject({ kind: 'reset', ms: 4 });

const createTool = endpoint({
  method: 'POST',
  path: '/agents/{agentId}/tools',
  query: z.object({ limit: z.number().optional() }),
  body: z.object({ name: z.string() }),
  response: withData(ToolSchema),
});
fake.handle(createTool, ({ path, query, body, succeed }) => {
  expectTypeOf(path).toEqualTypeOf<{ readonly agentId: string }>();
  expectTypeOf(query.limit).toEqualTypeOf<number | undefined>();
  expectTypeOf(body).toEqualTypeOf<{ name: string }>();
  // @ts-expect-error a tool has an id
  succeed({ name: body.name });
  // @ts-expect-error this endpoint responds with data
  succeed();
  return succeed({ id: 'tool_1', name: body.name });
});

const deleteTool = endpoint({ method: 'DELETE', path: '/tools/{toolId}', response: withoutData() });
fake.handle(deleteTool, ({ succeed, refuse, path }) => {
  // @ts-expect-error a reason that the fake does not know
  if (path.toolId === 'x') refuse('tooLate', 'no');
  // @ts-expect-error this endpoint responds without data
  succeed({ id: 'tool_1' });
  return succeed();
});

fake.handle(endpoints.getConversation, ({ path, state }) => {
  expectTypeOf(path).toEqualTypeOf<{ readonly agentId: string; readonly convoId: string }>();
  state.tools.set('tool_1', { id: 'tool_1' });
});

const refusals = { notFound: { status: 410, code: 'gone' } };
createFakePlatform({ choices: { refusals } });
// @ts-expect-error the specification shows this status: 400
createFakePlatform({ choices: { refusals: { ...refusals, duplicateKey: { status: 409 } } } });
